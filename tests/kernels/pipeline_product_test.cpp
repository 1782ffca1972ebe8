// Linears and gated linears through the pipeline of a workgroup, against plain arithmetic on the same halves: what it
// is lowered to, on the reference device, and the first OpenCL device's own where that has it.
#include "graph/selection/pipeline_product.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/half.h"
#include "conformance/random_blocks.h"
#include "gpu/reference/reference_device.h"
#include "graph/builder.h"
#include "graph/lowering.h"
#include "graph/program.h"
#include "support/devices.h"

namespace driftwood::test {
namespace {

struct Case {
  DataType format = DataType::Q4_0;
  std::uint32_t rows = 128, columns = 128, max_tokens = 40, tokens = 40;
  bool is_gated = false;
  bool has_bias = false, has_residual = false;
};

float as_half(double value) { return half_to_float(float_to_half(static_cast<float>(value))); }

struct Matrix {
  std::vector<std::byte> stored;
  std::vector<float> values;
};

Matrix random_matrix(const Case& c, std::mt19937& random) {
  Matrix matrix{.stored = conformance::random_rows(c.format, c.rows, c.columns, random, 0.02F),
                .values = std::vector<float>(std::size_t{c.rows} * c.columns)};
  std::uniform_real_distribution<float> range(-1, 1);
  for (std::size_t i = 0; i < matrix.values.size() && c.format == DataType::F16; ++i) {
    const std::uint16_t half = float_to_half(range(random));
    std::memcpy(&matrix.stored[2 * i], &half, 2);
  }
  decode_rows(c.format, c.columns, matrix.stored, matrix.values);
  for (float& value : matrix.values) value = as_half(value);
  return matrix;
}

std::vector<float> random_halves(std::size_t count, std::mt19937& random) {
  std::uniform_real_distribution<float> range(-1, 1);
  std::vector<float> values(count);
  for (float& value : values) value = as_half(range(random));
  return values;
}

/// Runs the case and gives the largest error over what the arithmetic allows; more than 1 is a fault.
double error_of(gpu::Device& device, const Case& c, unsigned seed) {
  std::mt19937 random(seed);
  const Matrix first = random_matrix(c, random), second = random_matrix(c, random);
  const std::vector<float> x = random_halves(std::size_t{c.max_tokens} * c.columns, random);
  const std::vector<float> bias = random_halves(c.rows, random);
  const std::vector<float> residual = random_halves(std::size_t{c.max_tokens} * c.rows, random);

  graph::Builder b({.activation = DataType::F16, .max_tokens = c.max_tokens});
  const graph::Tensor input = b.input("x", {.w = c.max_tokens, .c = c.columns}, DataType::F16);
  const auto weights = [&](const std::string& name) {
    return b.weights({.format = c.format, .columns = c.columns, .blocks = {{name, c.rows}}});
  };
  graph::Tensor y = input;
  if (c.is_gated) {
    const graph::Tensor gate = weights("w");
    y = b.gated_linear(input, gate, weights("up"), graph::ElementOp::Silu);
  } else {
    y = b.linear(input, weights("w"));
  }
  if (c.has_bias) y = b.add(y, b.vector("bias", bias));
  if (c.has_residual) y = b.add(y, b.input("residual", {.w = c.max_tokens, .c = c.rows}, DataType::F32));
  b.output("y", y, DataType::F32);

  graph::ProgramSettings settings;
  settings.store = std::make_shared<graph::ResourceStore>(device, [&](std::string_view name) {
    return std::span<const std::byte>(name == "up" ? second.stored : first.stored);
  });
  graph::Program program(device, std::move(b).build(), std::move(settings));
  EXPECT_TRUE(std::ranges::any_of(program.lowered().steps, [](const graph::LoweredStep& step) {
    return step.kernel.ends_with("linear-pipeline");
  })) << to_string(c.format);
  program.write_floats("x", x);
  if (c.has_residual) program.write_floats("residual", residual);
  program.run({.tokens = c.tokens});
  std::vector<float> result(std::size_t{c.max_tokens} * c.rows);
  program.read_floats("y", result);

  double worst = 0;
  for (std::uint32_t token = 0; token < c.tokens; ++token) {
    for (std::uint32_t row = 0; row < c.rows; ++row) {
      double sums[2] = {}, magnitudes[2] = {};
      for (std::uint32_t k = 0; k < c.columns; ++k) {
        const double value = x[std::size_t{token} * c.columns + k];
        sums[0] += first.values[std::size_t{row} * c.columns + k] * value;
        sums[1] += second.values[std::size_t{row} * c.columns + k] * value;
        magnitudes[0] += std::abs(first.values[std::size_t{row} * c.columns + k] * value);
        magnitudes[1] += std::abs(second.values[std::size_t{row} * c.columns + k] * value);
      }
      double wanted = sums[0], magnitude = magnitudes[0];
      if (c.is_gated) {  // each factor's error times the other; the activation's slope is 1.1 at most
        const double gate = sums[0] / (1 + std::exp(-sums[0]));
        wanted = gate * sums[1];
        magnitude = 1.1 * (magnitudes[0] + 1) * std::abs(sums[1]) + std::abs(gate) * (magnitudes[1] + 1);
      }
      if (c.has_bias) wanted += bias[row];
      if (c.has_residual) wanted += residual[std::size_t{token} * c.rows + row];
      // Weights are decoded in f16, with a rounding or two.
      const double allowed = 2e-3 * (magnitude + 1);
      worst = std::max(worst, std::abs(result[std::size_t{token} * c.rows + row] - wanted) / allowed);
    }
  }
  return worst;
}

std::vector<Case> cases() {
  return {{.format = DataType::Q4_0, .rows = 132, .has_bias = true},
          {.format = DataType::Q8_0, .rows = 40, .columns = 192, .has_residual = true},
          {.format = DataType::F16, .rows = 36, .columns = 64, .tokens = 33},
          {.format = DataType::Q4_0, .rows = 68, .columns = 64, .tokens = 35, .is_gated = true, .has_residual = true},
          {.format = DataType::F16, .rows = 132, .columns = 64, .max_tokens = 70, .tokens = 69, .has_bias = true},
          {.format = DataType::F16, .rows = 36, .columns = 128, .is_gated = true},
          {.format = DataType::I8C, .rows = 68, .columns = 128, .max_tokens = 33, .tokens = 33, .has_bias = true},
          {.format = DataType::I4C, .rows = 36, .columns = 192, .max_tokens = 33, .tokens = 33, .is_gated = true},
          {.format = DataType::I8C, .rows = 36, .columns = 64, .max_tokens = 33, .tokens = 33, .is_gated = true},
          {.format = DataType::I4C, .rows = 68, .columns = 64, .max_tokens = 33, .tokens = 33},
          {.format = DataType::Q4_1, .rows = 68, .columns = 192, .max_tokens = 33, .tokens = 33, .has_residual = true},
          {.format = DataType::Q4_K, .rows = 68, .columns = 512, .max_tokens = 33, .tokens = 33},
          {.format = DataType::Q5_K, .rows = 36, .columns = 256, .max_tokens = 33, .tokens = 33, .is_gated = true},
          {.format = DataType::Q6_K, .rows = 68, .columns = 512, .max_tokens = 33, .tokens = 33, .has_bias = true}};
}

TEST(PipelineProduct, IsThatOfPlainArithmeticWhereItIsLowered) {
  // Memory for two stages of the narrowest tile.
  const auto device = gpu::make_reference_device({.pipeline_memory = 52 << 10});
  unsigned seed = 1;
  for (const Case& c : cases()) EXPECT_LT(error_of(*device, c, seed++), 1) << to_string(c.format);
}

TEST(PipelineProduct, IsThatOfPlainArithmeticOnADevice) {
  gpu::Device* const device = test::device("opencl:0");
  if (device == nullptr || device->facts().pipeline_memory == 0) GTEST_SKIP() << "no pipeline";
  unsigned seed = 1;
  for (Case c : cases()) {
    for (const std::uint32_t tokens : {40U, 128U, 300U}) {
      c.max_tokens = c.tokens = tokens;
      EXPECT_LT(error_of(*device, c, seed++), 1) << to_string(c.format) << ' ' << tokens;
    }
  }
}

TEST(PipelineProduct, TilesFollowMemoryAndPositions) {
  gpu::DeviceFacts facts;
  facts.compute_units = 132;
  facts.max_workgroup_size = 1024;
  facts.max_workgroup_extent = {1024, 1024, 64};
  facts.pipeline_memory = 224 << 10;
  const auto tiling = [&](std::uint32_t positions, std::uint32_t rows, std::uint32_t columns,
                          std::uint64_t share_bytes) {
    return graph::choose_pipeline(
        {.positions = positions, .rows = rows, .columns = columns, .most_share_bytes = share_bytes}, DataType::Q4_0,
        facts);
  };
  const graph::PipelineTiling large = tiling(1024, 14336, 4096, 0);
  EXPECT_EQ(large.tokens, 256U);
  EXPECT_EQ(large.stages, 6U);
  EXPECT_EQ(large.splits, 1U);
  EXPECT_EQ(tiling(64, 4096, 4096, 0).tokens, 48U);  // two tiles, on two units
  // Few tiles of many columns are shared where there is memory for what each workgroup comes to.
  EXPECT_EQ(tiling(512, 1280, 11520, 0).splits, 1U);
  EXPECT_GT(tiling(512, 1280, 11520, 64 << 20).splits, 1U);
  // Tiles that fill the units once are better than larger or smaller ones that leave many of them without work.
  const auto of_halves = [&](std::uint32_t positions, std::uint32_t rows, std::uint32_t columns) {
    return graph::choose_pipeline({.positions = positions, .rows = rows, .columns = columns}, DataType::F16, facts);
  };
  EXPECT_EQ(of_halves(8448, 320, 2880).tokens, 192U);
  EXPECT_EQ(of_halves(2176, 640, 5760).tokens, 96U);
  EXPECT_EQ(of_halves(64 * 66, 512, 4608).tokens, 128U);
  facts.pipeline_memory = 1 << 10;
  EXPECT_EQ(tiling(1024, 14336, 4096, 0).tokens, 0U);
  facts.pipeline_memory = 224 << 10;
  facts.max_workgroup_size = 256;
  EXPECT_EQ(tiling(1024, 14336, 4096, 0).tokens, 0U);
}

}  // namespace
}  // namespace driftwood::test
