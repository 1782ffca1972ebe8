// Linears of one input as one, whose output their own are parts of: the same numbers with fewer kernels, for every kind
// of storage.
#include "graph/joined_linears.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <set>

#include "graph/builder.h"
#include "graph/program.h"
#include "support/devices.h"
#include "support/random_floats.h"

namespace driftwood::test {
namespace {

using graph::Builder;
using graph::Tensor;

// A model of f32 weights, each of its own seed.
struct Model {
  std::uint32_t max_tokens = 1, tokens = 1;
  std::function<void(Builder&)> build = {};
};

Tensor matrix(Builder& b, const std::string& name, std::uint32_t rows, std::uint32_t columns) {
  return b.weights({.format = DataType::F32, .columns = columns, .blocks = {{name, rows}}});
}

Tensor bias(Builder& b, const std::string& name, std::uint32_t size) {
  return b.vector(name + ".bias", random_floats(size, static_cast<unsigned>(name.size())));
}

struct Result {
  std::map<std::string, std::vector<float>> values = {};  // of the outputs
  std::size_t linears = 0;
};

Result run(const Model& model, const std::string& device_id, DataType type, StorageKind storage, bool joins) {
  gpu::Device& device = *test::device(device_id);
  Builder b({.activation = type, .max_tokens = model.max_tokens});
  model.build(b);
  graph::Graph graph = std::move(b).build();
  // Of one file: what a matrix holds depends on its name alone.
  std::map<std::string, std::vector<float>> stored;
  for (const graph::Value& value : graph.values()) {
    if (value.role != graph::Role::Weights) continue;
    stored[value.name] =
        random_floats(value.shape.elements(), static_cast<unsigned>(std::hash<std::string>{}(value.name)));
  }
  graph::ProgramSettings settings;
  settings.store = std::make_shared<graph::ResourceStore>(
      device, [&](std::string_view name) { return std::as_bytes(std::span(stored.at(std::string(name)))); });
  settings.options.storage = storage;
  if (!joins) settings.options.disabled_passes = {"join-linears"};
  graph::Program program(device, graph, std::move(settings));
  unsigned seed = 1;
  Result result;
  const auto values_of = [&](graph::Role role) {
    std::vector<graph::Value> values;
    for (const graph::Value& value : program.lowered().graph.values())
      if (value.role == role) values.push_back(value);
    return values;
  };
  for (const graph::Value& input : values_of(graph::Role::Input)) {
    program.write_floats(input.name, random_floats(input.shape.elements(), ++seed));
  }
  program.run({.tokens = model.tokens});
  for (const graph::Value& output : values_of(graph::Role::Output)) {
    std::vector<float>& values = result.values[output.name];
    values.resize(output.shape.elements());
    program.read_floats(output.name, values);
    values.resize(values.size() / model.max_tokens * model.tokens);
  }
  result.linears = static_cast<std::size_t>(std::ranges::count_if(
      program.lowered().graph.nodes(), [](const graph::Node& node) { return node.as<graph::Linear>() != nullptr; }));
  return result;
}

// The linears that are left of a model, which gives the same numbers in both ways on every device.
std::size_t linears_of(const Model& model) {
  std::set<std::size_t> counts;
  for (const char* device_id : {"reference", "reference-cpu", "opencl:0", "webgpu:0"}) {
    if (test::device(device_id) == nullptr) continue;
    const bool has_images = test::device(device_id)->facts().has_images;
    for (const StorageKind storage : {StorageKind::Buffer, StorageKind::ImageBuffer, StorageKind::Texture2D,
                                      StorageKind::Texture3D, StorageKind::Texture2DArray}) {
      if (storage != StorageKind::Buffer && (!has_images || device_id != std::string_view("reference"))) continue;
      for (const DataType type : {DataType::F32, DataType::F16}) {
        SCOPED_TRACE(fmt::format("{}, {} in {}", device_id, to_string(type), to_string(storage)));
        const Result apart = run(model, device_id, type, storage, false);
        const Result joined = run(model, device_id, type, storage, true);
        EXPECT_LT(joined.linears, apart.linears);
        counts.insert(joined.linears);
        for (const auto& [name, values] : apart.values) {
          EXPECT_THAT(joined.values.at(name),
                      testing::Pointwise(testing::FloatNear(type == DataType::F16 ? 4e-3F : 1e-5F), values))
              << name;
          EXPECT_TRUE(std::ranges::any_of(values, [](float value) { return value != 0; }));
        }
      }
    }
  }
  EXPECT_EQ(counts.size(), 1U);
  return *counts.begin();
}

TEST(JoinedLinears, OfSelfAttentionOverTokens) {
  Model model{.max_tokens = 8, .tokens = 5};
  model.build = [](Builder& b) {
    const Tensor x = b.input("x", {.w = 8, .c = 20});
    const auto of = [&](const std::string& name) { return b.linear(x, matrix(b, name, 24, 20), bias(b, name, 24)); };
    b.output("y", b.multi_head_attention(of("q"), of("key"), of("value"), {.heads = 2, .scale = 0.3F, .causal = true}));
  };
  EXPECT_EQ(linears_of(model), 1U);
}

// Two attentions to one text with heads of different sizes, and the time's terms in what convolutions add.
TEST(JoinedLinears, OfATextAndATimeThatAllLayersRead) {
  Model model;
  model.build = [](Builder& b) {
    const Tensor text = b.input("text", {.b = 2, .w = 7, .c = 12}), time = b.input("time", {.c = 16});
    Tensor x = b.input("x", {.b = 2, .h = 3, .w = 5, .c = 8});
    for (const std::uint32_t channels : {40U, 24U}) {
      const std::string layer = std::to_string(channels);
      const auto weights = b.weights({.format = DataType::F32,
                                      .columns = graph::convolution_columns(9, x.shape().c),
                                      .blocks = {{layer + ".conv", channels}},
                                      .taps = 9,
                                      .channels = x.shape().c});
      const auto term = b.linear(time, matrix(b, layer + ".time", channels, 16), bias(b, layer + ".time", channels));
      x = b.add(b.conv2d(x, weights,
                         {.window_h = 3, .window_w = 3, .pad_top = 1, .pad_left = 1, .pad_bottom = 1, .pad_right = 1},
                         bias(b, layer + ".conv", channels)),
                term);
      const auto of_text = [&](const std::string& name) {
        return b.linear(text, matrix(b, layer + name, channels, 12));
      };
      x = b.multi_head_attention(x, of_text(".k"), of_text(".v"), {.heads = 2, .scale = 0.2F});
    }
    b.output("y", x);
  };
  EXPECT_EQ(linears_of(model), 2U);
}

// Linears that others than attention and fused programs read stay, as do those of other inputs.
TEST(JoinedLinears, NotWhereOtherOperationsRead) {
  Builder b({.activation = DataType::F32});
  const Tensor x = b.input("x", {.w = 6, .c = 16}), z = b.input("z", {.w = 6, .c = 16});
  const Tensor q = b.linear(x, matrix(b, "q", 16, 16)), k = b.linear(z, matrix(b, "k", 16, 16));
  const Tensor v = b.linear(x, matrix(b, "v", 16, 16));
  b.output("y", b.linear(b.multi_head_attention(q, k, v, {.heads = 1}), matrix(b, "o", 16, 16)));
  b.output("other", b.linear(v, matrix(b, "p", 4, 16)));
  graph::Graph graph = std::move(b).build();
  join_linears(graph, {});
  EXPECT_EQ(graph.nodes().size(), 6U);
}

// Without memory to spare only those are joined that are read together.
TEST(JoinedLinears, KeepsNoMoreThanTheDeviceHasToSpare) {
  const auto count = [](std::uint64_t memory, bool is_cpu) {
    Builder b({.activation = DataType::F32});
    const Tensor text = b.input("text", {.w = 1024, .c = 16});
    Tensor x = b.input("x", {.w = 64, .c = 320});
    for (const char* layer : {"a", "b"}) {
      const auto of = [&](const char* name) { return b.linear(text, matrix(b, std::string(layer) + name, 320, 16)); };
      x = b.multi_head_attention(x, of("k"), of("v"), {.heads = 2});
    }
    b.output("y", x);
    graph::Graph graph = std::move(b).build();
    gpu::DeviceFacts facts;
    facts.global_memory = memory;
    facts.is_cpu = is_cpu;
    join_linears(graph, facts);
    return graph.nodes().size() - 2;
  };
  EXPECT_EQ(count(0, false), 2U);
  EXPECT_EQ(count(std::uint64_t{512} << 20, false), 2U);  // 4 MiB for 5
  EXPECT_EQ(count(std::uint64_t{8} << 30, false), 1U);
  EXPECT_EQ(count(std::uint64_t{8} << 30, true), 2U);
}

}  // namespace
}  // namespace driftwood::test
