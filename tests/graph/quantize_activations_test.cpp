#include "graph/passes/quantize_activations.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "gpu/reference/reference_device.h"
#include "graph/builder.h"
#include "graph/lowering.h"
#include "graph/selection/integer_linear.h"
#include "layer.h"

namespace driftwood::graph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

gpu::DeviceFacts facts_of(const gpu::ReferenceOptions& options) { return gpu::make_reference_device(options)->facts(); }

/// Three linears of one value, of which the last is an output, and one of another.
Graph four_linears(std::uint32_t tokens, DataType format) {
  Builder b({.max_tokens = tokens});
  const Tensor x = b.input("x", {.w = tokens, .c = 64});
  const auto matrix = [&](const std::string& name, std::uint32_t columns) {
    return b.weights({.format = format, .columns = columns, .blocks = {{name, 64}}});
  };
  const Tensor p = b.as("p", b.linear(x, matrix("wp", 64)));
  const Tensor q = b.as("q", b.linear(x, matrix("wq", 64)));
  const Tensor r = b.as("r", b.linear(b.as("sum", b.add(p, q)), matrix("wr", 64)));
  b.output("out", b.add(r, p));
  b.output("head", b.linear(x, matrix("wh", 64)));
  return std::move(b).build();
}

std::vector<std::string> operations_of(const Graph& graph) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes()) {
    names.push_back(std::string(name(node.operation)) + " " + attributes(node.operation));
  }
  return names;
}

std::vector<std::string> quantized(Graph graph, const gpu::ReferenceOptions& device, Precision precision = {}) {
  quantize_activations(graph, facts_of(device), {.precision = precision});
  return operations_of(graph);
}

TEST(QuantizeActivations, OneQuantizationServesAllReadersAndOutputsStayFloat) {
  EXPECT_THAT(
      quantized(four_linears(8, DataType::Q8_0), {.has_matrices = false}),
      ElementsAre("quantize-tokens packed", "integer-linear packed", "integer-linear packed", HasSubstr("element-wise"),
                  "quantize-tokens packed", "integer-linear packed", HasSubstr("element-wise"), "linear "));
}

TEST(QuantizeActivations, OneTokenIsQuantizedInTheKernelOfTheProduct) {
  EXPECT_THAT(quantized(four_linears(1, DataType::Q4_0), {}),
              ElementsAre("integer-linear fused", "integer-linear fused", HasSubstr("element-wise"),
                          "integer-linear fused", HasSubstr("element-wise"), "linear "));
}

struct FormCase {
  std::uint32_t tokens;
  DataType format;
  gpu::ReferenceOptions device;
  Precision precision;
  IntegerForm form;
};

TEST(QuantizeActivations, IntegersAreStoredAsTheKernelTakesThem) {
  constexpr IntegerForm words{.input = IntegerInput::Packed, .stored = DataType::U32};
  constexpr IntegerForm halves{.stored = DataType::F16}, floats{.stored = DataType::F32};  // rounded
  const FormCase cases[] = {
      {64, DataType::Q8_0, {}, Precision::Auto, halves},  // matrix units
      {64, DataType::Q8_0, {}, Precision::F32, words},
      {31, DataType::Q8_0, {}, Precision::Auto, words},
      {64, DataType::Q8_0, {.has_matrices = false}, Precision::Auto, words},
      {64, DataType::F16, {.has_matrices = false}, Precision::Auto, halves},  // no integers to multiply with
      {1, DataType::F16, {}, Precision::Auto, halves},
      {1, DataType::Q8_0, {.local_memory = 256}, Precision::Auto, words},  // too little for a token
      {64, DataType::Q4_1, {.is_cpu = true}, Precision::Auto, words},
      {64, DataType::F16, {.is_cpu = true}, Precision::Auto, floats},
      {1, DataType::Q4_1, {.is_cpu = true, .has_wide_dot = false}, Precision::Auto, floats},
  };
  for (const FormCase& each : cases) {
    const Graph graph = four_linears(each.tokens, each.format);
    EXPECT_EQ(integer_form(graph, graph.nodes()[0], facts_of(each.device), {.precision = each.precision}), each.form)
        << each.tokens << " tokens, " << to_string(each.format);
  }
}

TEST(QuantizeActivations, OnlyWhereItIsAskedFor) {
  const gpu::DeviceFacts facts = facts_of({});
  const auto kernels = [&](ActivationMode mode) {
    const LoweredGraph lowered = lower(testing::decoder_layer(), facts, {.activations = mode});
    std::size_t count = 0;
    for (const LoweredStep& step : lowered.steps) count += step.kernel.starts_with("integer-") ? 1 : 0;
    return std::pair(lowered.activations, count);
  };
  EXPECT_EQ(kernels(ActivationMode::Auto), std::pair(ActivationMode::Float, std::size_t{0}));
  EXPECT_EQ(kernels(ActivationMode::Float), std::pair(ActivationMode::Float, std::size_t{0}));
  EXPECT_EQ(kernels(ActivationMode::Int8).first, ActivationMode::Int8);
  EXPECT_GT(kernels(ActivationMode::Int8).second, 0U);
}

TEST(QuantizeActivations, ShapesThatDoNotFitAreNamed) {
  const std::vector<Operand> inputs{
      {"q", {.w = 3, .c = 16}}, {"scale", {.w = 3, .c = 2}}, {"sums", {.w = 3, .c = 2}}, {"w", {.w = 5, .c = 64}}};
  const IntegerLinear linear{.input = IntegerInput::Packed};
  EXPECT_EQ(output_shapes(linear, inputs), std::vector<Shape>{(Shape{.w = 3, .c = 5})});
  const auto message = [&](std::size_t place, const Shape& shape) -> std::string {
    std::vector<Operand> wrong = inputs;
    wrong[place].shape = shape;
    try {
      output_shapes(linear, wrong);
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "nothing is thrown";
  };
  EXPECT_THAT(message(0, {.w = 3, .c = 64}), HasSubstr("take 16 words"));
  EXPECT_THAT(message(1, {.w = 3, .c = 1}), HasSubstr("scales"));
  EXPECT_THAT(message(2, {.w = 3, .c = 3}), HasSubstr("sums"));
  EXPECT_EQ(output_shapes(QuantizeTokens{.packed = true}, std::vector<Operand>{{"x", {.w = 3, .c = 33}}}),
            (std::vector<Shape>{{.w = 3, .c = 16}, {.w = 3, .c = 2}, {.w = 3, .c = 2}}));
}

}  // namespace
}  // namespace driftwood::graph
