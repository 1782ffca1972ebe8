// A residual block whose input is cut in two halves, one of which the shortcut overwrites, against the block as it was.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/half.h"
#include "graph/builder.h"
#include "graph/passes/pass.h"
#include "graph/program.h"
#include "support/devices.h"

namespace driftwood::graph {
namespace {

constexpr std::uint32_t channels = 32, height = 9, width = 11;

std::vector<float> noise(std::size_t count, unsigned seed, float scale) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, scale);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

Tensor convolution(Builder& b, const Tensor& x, const std::string& name, std::uint32_t outputs, std::uint32_t window) {
  const std::uint32_t pad = window / 2;
  const Conv2d operation{
      .window_h = window, .window_w = window, .pad_top = pad, .pad_left = pad, .pad_bottom = pad, .pad_right = pad};
  const Tensor weights = b.weights({.format = DataType::F16,
                                    .columns = convolution_columns(window * window, x.shape().c),
                                    .blocks = {{name, outputs}},
                                    .taps = window * window,
                                    .channels = x.shape().c});
  return b.conv2d(x, weights, operation, b.vector(name + ".bias", noise(outputs, 7, 0.5F)));
}

Graph residual_block() {
  Builder b({.activation = DataType::F16});
  const Tensor x = convolution(b, b.input("in", {.h = height, .w = width, .c = 8}), "in.weight", channels, 3);
  const auto norm = [&](const Tensor& t, const std::string& name) {
    return b.silu(b.group_norm(t, b.vector(name + ".gamma", noise(t.shape().c, 3, 1)),
                               b.vector(name + ".beta", noise(t.shape().c, 4, 1)), {.groups = 4}));
  };
  const Tensor shortcut = convolution(b, x, "shortcut", channels / 2, 1);
  const Tensor h = convolution(b, norm(x, "norm1"), "conv1", channels / 2, 3);
  b.output("out", b.add(convolution(b, norm(h, "norm2"), "conv2", channels / 2, 3), shortcut));
  return std::move(b).build();
}

struct Result {
  std::vector<float> out;
  std::uint64_t planned;
};

Result run(gpu::Device& device, Graph graph) {
  std::map<std::string, std::vector<std::byte>, std::less<>> file;
  const auto add = [&](const std::string& name, std::size_t count, float scale) {
    for (const float value : noise(count, static_cast<unsigned>(count), scale)) {
      const std::uint16_t bits = float_to_half(value);
      file[name].push_back(static_cast<std::byte>(bits & 0xFF));
      file[name].push_back(static_cast<std::byte>(bits >> 8));
    }
  };
  add("in.weight", std::size_t{channels} * 8 * 9, 0.1F);
  add("shortcut", std::size_t{channels} / 2 * channels, 0.2F);
  add("conv1", std::size_t{channels} / 2 * channels * 9, 0.1F);
  add("conv2", std::size_t{channels} / 2 * channels / 2 * 9, 0.1F);
  ProgramSettings settings;
  settings.store = std::make_shared<ResourceStore>(
      device, [&](std::string_view name) { return std::span<const std::byte>(file.find(name)->second); });
  Program program(device, std::move(graph), settings);
  program.write_floats("in", noise(std::size_t{height} * width * 8, 1, 1));
  program.run({.tokens = 1});
  Result result{.out = std::vector<float>(std::size_t{height} * width * channels / 2),
                .planned = program.memory().activations_planned};
  program.read_floats("out", result.out);
  return result;
}

class SplitShortcut : public testing::TestWithParam<std::string> {};

TEST_P(SplitShortcut, GivesTheSameInLessMemory) {
  gpu::Device* device = test::device(GetParam());
  if (device == nullptr || !device->facts().has_matrices) GTEST_SKIP() << "no matrix units";
  Graph graph = residual_block();
  run_passes(graph, {});
  const Result whole = run(*device, graph);
  ASSERT_EQ(split_shortcuts_from(graph, 1), 1U);
  graph.check();
  const Result halves = run(*device, graph);
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < whole.out.size(); ++i) {
    difference += std::pow(whole.out[i] - halves.out[i], 2);
    norm += std::pow(whole.out[i], 2);
  }
  EXPECT_LT(std::sqrt(difference / norm), 1e-3);  // the sum of both parts of the shortcut is rounded in between
  EXPECT_GT(norm, 1);
  EXPECT_LT(halves.planned, whole.planned);
}

INSTANTIATE_TEST_SUITE_P(Devices, SplitShortcut, testing::Values("reference", "opencl:0"),
                         [](const auto& info) { return info.param == "reference" ? "reference" : "opencl"; });

}  // namespace
}  // namespace driftwood::graph
