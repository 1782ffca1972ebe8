// Activations stored as the tiles of the pipeline's products take them: the same numbers as laid out by a kernel,
// without that kernel.
#include "graph/tiled_inputs.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <random>

#include "base/half.h"
#include "graph/builder.h"
#include "graph/lowering.h"
#include "graph/program.h"
#include "support/devices.h"
#include "support/random_floats.h"

namespace driftwood::test {
namespace {

using graph::Builder;
using graph::Tensor;

// f16 weights of -1 to 1, by name.
class Matrices {
 public:
  std::span<const std::byte> operator()(std::string_view name, std::size_t count) {
    std::vector<std::byte>& bytes = bytes_[std::string(name)];
    std::mt19937 random(static_cast<unsigned>(name.front()));
    std::uniform_real_distribution<float> range(-1, 1);
    while (bytes.size() < 2 * count) {
      const std::uint16_t half = float_to_half(range(random));
      const auto* begin = reinterpret_cast<const std::byte*>(&half);
      bytes.insert(bytes.end(), begin, begin + 2);
    }
    return bytes;
  }

 private:
  std::map<std::string, std::vector<std::byte>> bytes_;
};

struct Result {
  std::vector<std::vector<float>> values;  // of the outputs
  std::size_t tiled = 0;                   // activations in tiles
  std::size_t packings = 0;                // kernels that lay an input out
};

struct Model {
  Shape shape = {};
  std::uint32_t tokens = 1;  // of a run
  bool counts_tokens = false;
  std::map<std::string, std::pair<std::uint32_t, std::uint32_t>> matrices = {};  // rows, columns
  std::function<void(Builder&, const Tensor&, const std::function<Tensor(const std::string&)>&)> build = {};
};

Result run(const Model& model, bool tiles) {
  gpu::Device& device = *test::device("reference-pipeline");
  Builder b({.activation = DataType::F16, .max_tokens = model.counts_tokens ? model.shape.w : 1});
  const Tensor x = b.input("x", model.shape, DataType::F16);
  model.build(b, x, [&](const std::string& name) {
    const auto [rows, columns] = model.matrices.at(name);
    return b.weights({.format = DataType::F16, .columns = columns, .blocks = {{name, rows}}});
  });
  Matrices matrices;
  graph::ProgramSettings settings;
  settings.store = std::make_shared<graph::ResourceStore>(device, [&](std::string_view name) {
    const auto [rows, columns] = model.matrices.at(std::string(name));
    return matrices(name, std::size_t{rows} * columns);
  });
  if (!tiles) settings.options.disabled_passes = {"tile-inputs"};
  graph::Program program(device, std::move(b).build(), std::move(settings));
  program.write_floats("x", random_floats(model.shape.elements(), 7));
  program.run({.tokens = model.tokens});

  Result result;
  for (const graph::Value& value : program.lowered().graph.values()) {
    result.tiled += value.descriptor && value.descriptor->layout.tile != 0 ? 1 : 0;
    if (value.role != graph::Role::Output) continue;
    std::vector<float> output(value.shape.elements());
    program.read_floats(value.name, output);
    if (model.counts_tokens) output.resize(std::size_t{model.tokens} * value.shape.c);
    result.values.push_back(std::move(output));
  }
  result.packings =
      static_cast<std::size_t>(std::ranges::count_if(program.lowered().steps, [](const graph::LoweredStep& step) {
        return step.use.module_path == "package::pipeline_input";
      }));
  return result;
}

// The same in both ways; gives the activations in tiles, and the kernels that are left to lay inputs out.
std::pair<std::size_t, std::size_t> compare(const Model& model) {
  const Result plain = run(model, false), tiled = run(model, true);
  EXPECT_EQ(plain.tiled, 0U);
  EXPECT_EQ(plain.values, tiled.values);
  for (const auto& values : tiled.values) {
    EXPECT_TRUE(std::ranges::any_of(values, [](float value) { return value != 0; }));
  }
  EXPECT_GT(plain.packings, 0U);
  return {tiled.tiled, tiled.packings};
}

std::vector<float> ones(std::uint32_t count) { return std::vector<float>(count, 1.0F); }

using Counts = std::pair<std::size_t, std::size_t>;

TEST(TiledInputs, OfTokensThatANormMakes) {
  Model model{.shape = {.w = 70, .c = 128}, .tokens = 69, .counts_tokens = true};
  model.matrices = {{"v", {68, 128}}, {"w", {36, 128}}};
  model.build = [](Builder& b, const Tensor& x, const auto& weights) {
    const Tensor normed = b.layer_norm(x, b.vector("gamma", ones(128)), b.vector("beta", ones(128)), 1e-5F);
    b.output("y", b.linear(normed, weights("v")), DataType::F32);
    b.output("z", b.linear(normed, weights("w")), DataType::F32);
  };
  EXPECT_EQ(compare(model), Counts(1, 0));
}

TEST(TiledInputs, OfWhatAnotherProductMakes) {
  Model model{.shape = {.w = 40, .c = 64}, .tokens = 40, .counts_tokens = true};
  model.matrices = {{"g", {64, 64}}, {"u", {64, 64}}, {"w", {132, 64}}};
  model.build = [](Builder& b, const Tensor& x, const auto& weights) {
    const Tensor gate = weights("g");
    b.output("y", b.linear(b.gated_linear(x, gate, weights("u")), weights("w")), DataType::F32);
  };
  EXPECT_EQ(compare(model), Counts(1, 1));  // x is an input, and stays as it is
}

TEST(TiledInputs, OfImages) {
  Model model{.shape = {.b = 2, .h = 5, .w = 7, .c = 64}};
  model.matrices = {{"w", {68, 64}}};
  model.build = [](Builder& b, const Tensor& x, const auto& weights) {
    const Tensor normed = b.layer_norm(x, b.vector("gamma", ones(64)), b.vector("beta", ones(64)), 1e-5F);
    b.output("y", b.linear(normed, weights("w")), DataType::F32);
  };
  EXPECT_EQ(compare(model), Counts(1, 0));
}

// Of one tap; under a window the input has a border.
TEST(TiledInputs, OfConvolutions) {
  Model model{.shape = {.b = 2, .h = 5, .w = 7, .c = 64}};
  model.matrices = {{"w", {128, 64}}, {"v", {64, 128}}};
  model.build = [](Builder& b, const Tensor& x, const auto& weights) {
    const Tensor first = b.conv2d(x, weights("w"), {}, b.vector("bias", ones(128)));
    b.output("y", b.conv2d(first, weights("v"), {}), DataType::F32);
  };
  EXPECT_EQ(compare(model), Counts(1, 1));
}

TEST(TiledInputs, NotWhereOthersReadTheValueToo) {
  Model model{.shape = {.w = 40, .c = 64}, .tokens = 40, .counts_tokens = true};
  model.matrices = {{"w", {64, 64}}};
  model.build = [](Builder& b, const Tensor& x, const auto& weights) {
    const Tensor normed = b.layer_norm(x, b.vector("gamma", ones(64)), b.vector("beta", ones(64)), 1e-5F);
    b.output("y", b.add(b.linear(normed, weights("w")), normed), DataType::F32);
  };
  EXPECT_EQ(compare(model), Counts(0, 1));
}

}  // namespace
}  // namespace driftwood::test
