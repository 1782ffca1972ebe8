// Convolutions and matrices on matrix units and through the pipeline of a workgroup, in every tiling, against plain
// arithmetic on the same halves; on the reference device, and on the first OpenCL device where that has them.
#include "graph/selection/matrix_product.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/half.h"
#include "conformance/random_blocks.h"
#include "graph/builder.h"
#include "graph/program.h"
#include "graph/selection/pipeline_product.h"
#include "graph/selection/rows.h"
#include "support/devices.h"
#include "tensor/packed_weights.h"

namespace driftwood::test {
namespace {

using namespace conformance;

using graph::Conv2d;
using graph::ElementOp;

float as_half(double value) { return half_to_float(float_to_half(static_cast<float>(value))); }

/// One product, and how it is cut.
struct Case {
  std::string name;
  Shape x = {};
  std::uint32_t joined = 0;  // channels of a second input
  std::uint32_t outputs = 8;
  std::optional<Conv2d> convolution = {};  // else a linear
  std::optional<ElementOp> gate = {};      // a gated linear
  DataType format = DataType::F16;
  DataType stored = DataType::F16;  // of y
  bool has_bias = false;
  bool has_residual = false;
  bool has_prologue = false;    // x + 0.5, which padding is not
  bool loads_prologue = false;  // where x is loaded, not beforehand
  std::uint32_t max_tokens = 1, tokens = 1;
  std::size_t tile = 4;  // the smallest
  std::uint32_t splits = 1;
  bool in_pipeline = false;  // `tile` is one of pipeline_tokens()
};

// The tiling that the next program is made with; a row of the table holds plain functions.
graph::MatrixTiling forced;
graph::PipelineTiling forced_pipeline;  // no tokens: the other

graph::Lowering in_forced_tiling(const graph::Node& node, const graph::SelectionContext& context) {
  if (forced_pipeline.tokens != 0) return graph::pipeline_product(node, context, forced_pipeline);
  return graph::matrix_product(node, context, forced);
}

std::vector<graph::KernelRow> forced_rows() {
  const auto always = [](const graph::Node&, const graph::SelectionContext&) { return true; };
  std::vector<graph::KernelRow> rows;
  for (const std::string_view operation : {Conv2d::name, graph::Linear::name, graph::GatedLinear::name}) {
    rows.push_back({operation, "forced", always, in_forced_tiling});
  }
  return rows;
}

struct Matrix {
  std::vector<std::byte> stored;
  std::vector<float> values;  // decoded, then rounded to halves
  std::uint32_t columns = 0;
};

/// `channels` x `taps` values a row, as a file holds them.
Matrix random_matrix(DataType format, std::uint32_t rows, std::uint32_t columns, std::mt19937& random) {
  Matrix matrix{.stored = random_rows(format, rows, columns, random, 0.02F),
                .values = std::vector<float>(std::size_t{rows} * columns),
                .columns = columns};
  std::uniform_real_distribution<float> range(-1, 1);
  for (std::size_t i = 0; i < matrix.values.size(); ++i) {
    const float value = range(random);
    const std::uint16_t half = float_to_half(value);
    if (format == DataType::F32) std::memcpy(&matrix.stored[4 * i], &value, 4);
    if (format == DataType::F16) std::memcpy(&matrix.stored[2 * i], &half, 2);
  }
  decode_rows(format, columns, matrix.stored, matrix.values);
  for (float& value : matrix.values) value = as_half(value);
  return matrix;
}

struct Sum {
  double value = 0, magnitude = 0;
  void add(double term) {
    value += term;
    magnitude += std::abs(term);
  }
};

class Product {
 public:
  Product(const Case& c, unsigned seed) : case_(c), random_(seed) {
    const Conv2d window = c.convolution.value_or(Conv2d{});
    channels_ = c.x.c + c.joined;
    x_ = random_values(c.x.elements());
    Shape second = c.x;
    second.c = c.joined;
    x2_ = random_values(c.joined > 0 ? second.elements() : 0);
    const std::uint32_t columns = window.taps() * channels_;
    first_ = random_matrix(c.format, c.outputs, columns, random_);
    if (c.gate) second_ = random_matrix(c.format, c.outputs, columns, random_);
    bias_ = random_values(c.outputs);
    second_bias_ = random_values(c.outputs);

    graph::Builder b({.activation = c.stored, .max_tokens = c.max_tokens});
    const graph::Tensor x = b.input("x", c.x, DataType::F16);
    const graph::Tensor w = weights(b, "w", window, columns);
    graph::Tensor y = x;
    if (c.convolution) {
      if (c.joined > 0) {
        y = b.conv2d(b.concat(x, b.input("x2", second, DataType::F16)), w, window);
      } else {
        y = b.conv2d(x, w, window);
      }
    } else if (c.gate) {
      const graph::Tensor up = weights(b, "up", window, columns);
      y = c.has_bias
              ? b.gated_linear(x, w, b.vector("gate bias", bias_), up, b.vector("up bias", second_bias_), *c.gate)
              : b.gated_linear(x, w, up, *c.gate);
    } else {
      y = b.linear(x, w);
    }
    if (c.has_bias && !c.gate) y = b.add(y, b.vector("bias", bias_));
    output_ = y.shape();
    residual_ = random_values(output_.elements());
    if (c.has_residual) y = b.add(y, b.input("residual", output_, DataType::F16));
    b.output("y", y, c.stored);
    graph_ = std::move(b).build();
    if (!c.has_prologue) return;
    for (graph::Node& node : graph_.nodes()) {
      if (node.as<Conv2d>() != nullptr) node.prologue = graph::single(ElementOp::Offset, {0.5F});
    }
  }

  std::vector<float> run(gpu::Device& device, std::size_t& dispatches) const {
    if (case_.in_pipeline) {
      forced_pipeline = {.tokens = graph::pipeline_tokens()[case_.tile], .stages = 2, .splits = case_.splits};
    } else {
      forced_pipeline = {};
      forced = {
          .tile = &graph::matrix_tiles()[case_.tile], .splits = case_.splits, .loads_prologue = case_.loads_prologue};
    }
    const std::vector<graph::KernelRow> rows = forced_rows();
    graph::ProgramSettings settings{.rows = rows};
    settings.store = std::make_shared<graph::ResourceStore>(device, [&](std::string_view name) {
      return std::span<const std::byte>(name == "w" ? first_.stored : second_.stored);
    });
    graph::Program program(device, graph_, std::move(settings));
    dispatches = program.dispatches();
    program.write_floats("x", x_);
    if (case_.joined > 0) program.write_floats("x2", x2_);
    if (case_.has_residual) program.write_floats("residual", residual_);
    program.run({.tokens = case_.tokens});
    std::vector<float> y(output_.elements());
    const std::size_t active = std::size_t{active_columns()} * output_.c;
    program.read_floats("y", case_.tokens < case_.max_tokens ? std::span(y).first(active) : std::span(y));
    return y;
  }

  /// What differs from plain arithmetic, or nothing.
  std::string fault(const std::vector<float>& y) const {
    for (std::uint32_t b = 0; b < output_.b; ++b) {
      for (std::uint32_t h = 0; h < output_.h; ++h) {
        for (std::uint32_t w = 0; w < active_columns(); ++w) {
          for (std::uint32_t o = 0; o < output_.c; ++o) {
            const std::size_t at = ((std::size_t{b} * output_.h + h) * output_.w + w) * output_.c + o;
            const Sum wanted = expected(b, h, w, o, at);
            const double tolerance =
                4e-6 * wanted.magnitude + 1e-6 + (case_.stored == DataType::F16 ? std::abs(wanted.value) / 2000 : 0);
            if (std::abs(y[at] - wanted.value) <= tolerance) continue;
            return fmt::format("y at b {} h {} w {} c {} is {}, but {} is expected, within {}", b, h, w, o, y[at],
                               wanted.value, tolerance);
          }
        }
      }
    }
    return {};
  }

 private:
  std::vector<float> random_values(std::size_t count) {
    std::uniform_real_distribution<float> range(-2, 2);
    std::vector<float> values(count);
    for (float& value : values) value = as_half(range(random_));
    return values;
  }

  graph::Tensor weights(graph::Builder& b, const std::string& name, const Conv2d& window, std::uint32_t columns) const {
    graph::WeightsSource source{.format = case_.format, .columns = columns, .blocks = {{name, case_.outputs}}};
    if (case_.convolution) {
      source.columns = graph::convolution_columns(window.taps(), channels_);
      source.taps = window.taps();
      source.channels = channels_;
    }
    return b.weights(source);
  }

  std::uint32_t active_columns() const { return output_.w / case_.max_tokens * case_.tokens; }

  double input(std::uint32_t b, std::uint32_t y, std::uint32_t x, std::uint32_t c) const {
    const bool is_first = c < case_.x.c;
    const std::uint32_t channels = is_first ? case_.x.c : case_.joined;
    const std::vector<float>& values = is_first ? x_ : x2_;
    const std::size_t position = (std::size_t{b} * case_.x.h + y) * case_.x.w + x;
    const double value = values[position * channels + (is_first ? c : c - case_.x.c)];
    return case_.has_prologue ? as_half(value + 0.5) : value;
  }

  Sum product(const Matrix& matrix, std::uint32_t b, std::uint32_t oy, std::uint32_t ox, std::uint32_t o) const {
    const Conv2d window = case_.convolution.value_or(Conv2d{});
    Sum sum;
    for (std::uint32_t tap = 0; tap < window.taps(); ++tap) {
      const std::int64_t y = std::int64_t{oy} * window.stride + tap / window.window_w - window.pad_top;
      const std::int64_t x = std::int64_t{ox} * window.stride + tap % window.window_w - window.pad_left;
      if (y < 0 || x < 0 || y >= window.repeated_h(case_.x) || x >= window.repeated_w(case_.x)) continue;
      for (std::uint32_t c = 0; c < channels_; ++c) {
        sum.add(double{matrix.values[std::size_t{o} * matrix.columns + std::size_t{c} * window.taps() + tap]} *
                input(b, static_cast<std::uint32_t>(y) / window.upsample,
                      static_cast<std::uint32_t>(x) / window.upsample, c));
      }
    }
    return sum;
  }

  Sum expected(std::uint32_t b, std::uint32_t h, std::uint32_t w, std::uint32_t o, std::size_t at) const {
    Sum sum = product(first_, b, h, w, o);
    if (case_.has_bias) sum.add(bias_[o]);
    if (case_.gate) {
      Sum up = product(second_, b, h, w, o);
      if (case_.has_bias) up.add(second_bias_[o]);
      const double gate = *case_.gate == ElementOp::Silu ? sum.value / (1 + std::exp(-sum.value))
                                                         : 0.5 * sum.value * (1 + std::erf(sum.value / std::sqrt(2.0)));
      sum = {gate * up.value, 1.2 * sum.magnitude * std::abs(up.value) + std::abs(gate) * up.magnitude};
    }
    if (case_.has_residual) sum.add(residual_[at]);
    return sum;
  }

  Case case_;
  std::mt19937 random_;
  std::uint32_t channels_ = 0;
  std::vector<float> x_, x2_, bias_, second_bias_, residual_;
  Matrix first_, second_;
  Shape output_;
  graph::Graph graph_;
};

constexpr Conv2d window_3x3{.window_h = 3, .window_w = 3, .pad_top = 1, .pad_left = 1, .pad_bottom = 1, .pad_right = 1};

Conv2d with(Conv2d convolution, std::uint32_t stride, std::uint32_t upsample) {
  convolution.stride = stride;
  convolution.upsample = upsample;
  return convolution;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  // Whole tiles, and every tile with edges.
  all.push_back({.name = "one tile", .x = {.w = 64, .c = 64}, .outputs = 64});
  for (std::size_t tile = 0; tile < graph::matrix_tiles().size(); ++tile) {
    all.push_back({.name = "edges", .x = {.w = 150, .c = 40}, .outputs = 140, .has_bias = true, .tile = tile});
    all.push_back({.name = "gated edges",
                   .x = {.w = 140, .c = 48},
                   .outputs = 70,
                   .gate = ElementOp::GeluErf,
                   .has_bias = true,
                   .has_residual = true,
                   .tile = tile});
    all.push_back({.name = "window",
                   .x = {.b = 2, .h = 9, .w = 8, .c = 36},
                   .outputs = 68,
                   .convolution = window_3x3,
                   .has_bias = true,
                   .has_residual = true,
                   .tile = tile});
    all.push_back({.name = "shares",
                   .x = {.b = 2, .h = 5, .w = 7, .c = 40},
                   .outputs = 36,
                   .convolution = window_3x3,
                   .has_bias = true,
                   .has_residual = true,
                   .tile = tile,
                   .splits = 3});
  }
  // Few and odd channels and outputs, in f16 and in f32.
  for (const std::uint32_t channels : {1U, 3U, 4U, 7U, 8U, 12U, 20U}) {
    for (const std::uint32_t outputs : {1U, 3U, 4U, 34U}) {
      all.push_back({.name = "odd",
                     .x = {.b = 1, .h = 5, .w = 9, .c = channels},
                     .outputs = outputs,
                     .convolution = window_3x3,
                     .stored = outputs == 3 ? DataType::F32 : DataType::F16,
                     .has_bias = outputs > 1});
    }
    all.push_back({.name = "odd linear", .x = {.w = 37, .c = channels}, .outputs = 5});
    all.push_back({.name = "odd gated", .x = {.w = 37, .c = channels}, .outputs = 5, .gate = ElementOp::Silu});
  }
  // Strides, repetition, padding on one side.
  all.push_back({.name = "stride", .x = {.b = 2, .h = 9, .w = 11, .c = 8}, .convolution = with(window_3x3, 2, 1)});
  all.push_back({.name = "upsample", .x = {.b = 1, .h = 5, .w = 4, .c = 12}, .convolution = with(window_3x3, 1, 2)});
  Conv2d cropped = with(window_3x3, 1, 2);
  cropped.crop_bottom = cropped.crop_right = 1;
  all.push_back({.name = "crop", .x = {.b = 2, .h = 5, .w = 4, .c = 8}, .convolution = cropped});
  const Conv2d corner{.window_h = 3, .window_w = 3, .stride = 2, .pad_bottom = 1, .pad_right = 1};
  all.push_back({.name = "corner", .x = {.b = 1, .h = 12, .w = 14, .c = 16}, .convolution = corner});
  const Conv2d wide{.window_h = 1, .window_w = 5, .pad_left = 2, .pad_right = 2};
  all.push_back({.name = "1 x 5", .x = {.b = 2, .h = 3, .w = 12, .c = 8}, .convolution = wide});
  all.push_back({.name = "1 x 1", .x = {.b = 2, .h = 6, .w = 6, .c = 44}, .outputs = 20, .convolution = Conv2d{}});
  // Two inputs, whose border is inside a unit of eight channels, or between two.
  for (const std::uint32_t channels : {4U, 8U, 32U}) {
    for (const std::uint32_t joined : {4U, 6U, 24U}) {
      all.push_back({.name = "joined",
                     .x = {.b = 2, .h = 5, .w = 5, .c = channels},
                     .joined = joined,
                     .convolution = window_3x3,
                     .has_prologue = channels == 8});
      all.push_back({.name = "joined, 1 x 1",
                     .x = {.b = 2, .h = 5, .w = 5, .c = channels},
                     .joined = joined,
                     .convolution = Conv2d{}});
    }
  }
  all.push_back({.name = "prologue and shares",
                 .x = {.b = 1, .h = 8, .w = 6, .c = 64},
                 .outputs = 30,
                 .convolution = window_3x3,
                 .has_bias = true,
                 .has_prologue = true,
                 .splits = 5});
  for (const std::uint32_t joined : {0U, 12U}) {
    all.push_back({.name = "prologue in the load",
                   .x = {.b = 2, .h = 6, .w = 7, .c = joined == 0 ? 7U : 20U},
                   .joined = joined,
                   .outputs = 30,
                   .convolution = window_3x3,
                   .has_bias = true,
                   .has_prologue = true,
                   .loads_prologue = true,
                   .splits = joined == 0 ? 1U : 2U});
  }
  // Every format.
  for (const DataType format : {DataType::F32, DataType::BF16, DataType::Q4_0, DataType::Q4_1, DataType::Q5_0,
                                DataType::Q5_1, DataType::Q8_0, DataType::Q4_K, DataType::Q6_K}) {
    all.push_back({.name = fmt::format("{}", to_string(format)),
                   .x = {.w = 70, .c = 256},
                   .outputs = 44,
                   .format = format,
                   .splits = format == DataType::Q8_0 ? 2U : 1U});
  }
  // Rows of tokens of which some are active, one or two a token.
  all.push_back({.name = "tokens", .x = {.w = 96, .c = 32}, .max_tokens = 96, .tokens = 70});
  all.push_back({.name = "two rows a token", .x = {.w = 192, .c = 32}, .max_tokens = 96, .tokens = 70});
  all.push_back({.name = "tokens in shares",
                 .x = {.w = 96, .c = 256},
                 .has_bias = true,
                 .max_tokens = 96,
                 .tokens = 33,
                 .splits = 2});
  return all;
}

// Windows, repetition, two inputs, shares and edges of tiles; 64 channels a step, 128 outputs and 64 positions a tile.
std::vector<Case> pipeline_cases() {
  std::vector<Case> all;
  all.push_back({.name = "window",
                 .x = {.b = 2, .h = 5, .w = 7, .c = 64},
                 .outputs = 68,
                 .convolution = window_3x3,
                 .has_bias = true,
                 .has_residual = true});
  all.push_back({.name = "prologue",
                 .x = {.b = 1, .h = 9, .w = 10, .c = 64},
                 .outputs = 130,
                 .convolution = window_3x3,
                 .stored = DataType::F32,
                 .has_prologue = true});
  all.push_back({.name = "joined, upsampled",
                 .x = {.b = 2, .h = 3, .w = 4, .c = 36},
                 .joined = 92,
                 .outputs = 64,
                 .convolution = with(window_3x3, 1, 2),
                 .has_prologue = true});
  const Conv2d wide{.window_h = 1, .window_w = 5, .pad_left = 2, .pad_right = 2};
  all.push_back({.name = "1 x 5", .x = {.b = 3, .h = 3, .w = 7, .c = 64}, .outputs = 66, .convolution = wide});
  all.push_back({.name = "1 x 1", .x = {.b = 2, .h = 6, .w = 6, .c = 128}, .outputs = 68, .convolution = Conv2d{}});
  all.push_back({.name = "shares",
                 .x = {.b = 2, .h = 6, .w = 6, .c = 64},
                 .outputs = 68,
                 .convolution = window_3x3,
                 .has_bias = true,
                 .has_residual = true,
                 .splits = 4});
  all.push_back({.name = "tokens in shares",
                 .x = {.w = 96, .c = 320},
                 .outputs = 36,
                 .has_bias = true,
                 .max_tokens = 96,
                 .tokens = 70,
                 .splits = 2});
  for (Case& c : all) {
    c.in_pipeline = true;
    c.tile = graph::pipeline_tokens().size() - 1;
  }
  return all;
}

std::vector<Case> cases_in_all_tiles() {
  std::vector<Case> all;
  for (Case c : pipeline_cases()) {
    for (c.tile = 0; c.tile < graph::pipeline_tokens().size(); ++c.tile) all.push_back(c);
  }
  return all;
}

/// Fails for each case that does not come out right on the device.
void expect_right(gpu::Device& device, const std::vector<Case>& list) {
  unsigned seed = 1;
  for (const Case& c : list) {
    const Product product(c, seed++);
    std::size_t dispatches = 0;
    std::string fault;
    try {
      fault = product.fault(product.run(device, dispatches));
    } catch (const std::exception& error) {
      fault = error.what();
    }
    if (!fault.empty()) {
      ADD_FAILURE() << c.name << ", x " << to_string(c.x) << ", " << c.outputs << " outputs, tile " << c.tile << ", "
                    << c.splits << " shares: " << fault;
    }
    const bool has_input = c.in_pipeline || (c.has_prologue && !c.loads_prologue);
    EXPECT_EQ(dispatches, std::size_t{1} + (has_input ? 1 : 0) + (c.splits > 1 ? 1 : 0)) << c.name;
  }
}

class MatrixProduct : public testing::TestWithParam<std::string> {};

TEST_P(MatrixProduct, IsThatOfPlainArithmetic) {
  gpu::Device* const device = test::device(GetParam());
  if (device == nullptr || !device->facts().has_matrices) GTEST_SKIP() << "no matrix units";
  expect_right(*device, cases());
}

INSTANTIATE_TEST_SUITE_P(All, MatrixProduct, testing::Values("reference", "opencl:0"),
                         [](const auto& info) { return info.param == "reference" ? "reference" : "opencl"; });

TEST(PipelineOfImages, IsThatOfPlainArithmeticWhereItIsLowered) {
  expect_right(*test::device("reference-pipeline"), pipeline_cases());
}

TEST(PipelineOfImages, IsThatOfPlainArithmeticOnADevice) {
  gpu::Device* const device = test::device("opencl:0");
  if (device == nullptr || device->facts().pipeline_memory == 0) GTEST_SKIP() << "no pipeline";
  expect_right(*device, cases_in_all_tiles());
}

}  // namespace
}  // namespace driftwood::test
