#include "graph/epilogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/error.h"

namespace driftwood::graph {

namespace {

// Error of erf by Abramowitz and Stegun, formula 7.1.26: at most 1.5e-7, less than an ulp of f32 near 1.
constexpr std::string_view erf_source = R"(fn fused_erf(x: vec4f) -> vec4f {
  let a = abs(x);
  let t = 1.0 / (1.0 + 0.3275911 * a);
  let p = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return sign(x) * (1.0 - p * exp(-a * a));
}
)";

// tanh whose exponential cannot overflow, whatever the driver's own does with large arguments.
constexpr std::string_view tanh_source = R"(fn fused_tanh(x: vec4f) -> vec4f {
  let e = exp(-2.0 * abs(x));
  return sign(x) * (1.0 - e) / (1.0 + e);
}
)";

std::string literal(float value) {
  if (!std::isfinite(value))
    throw InvalidInput(fmt::format("An element-wise constant is {}; it must be finite.", value));
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return value < 0 ? "(" + text + ")" : text;
}

std::string expression(const ElementInstruction& instruction, const std::string& a, const std::string& b) {
  const std::string c0 = literal(instruction.constants[0]);
  const std::string c1 = literal(instruction.constants[1]);
  switch (instruction.op) {
    case ElementOp::Add: return fmt::format("{} + {}", a, b);
    case ElementOp::Subtract: return fmt::format("{} - {}", a, b);
    case ElementOp::Multiply: return fmt::format("{} * {}", a, b);
    case ElementOp::Divide: return fmt::format("{} / {}", a, b);
    case ElementOp::Minimum: return fmt::format("min({}, {})", a, b);
    case ElementOp::Maximum: return fmt::format("max({}, {})", a, b);
    case ElementOp::Negate: return fmt::format("-{}", a);
    case ElementOp::Absolute: return fmt::format("abs({})", a);
    case ElementOp::Square: return fmt::format("{0} * {0}", a);
    case ElementOp::Sqrt: return fmt::format("sqrt({})", a);
    case ElementOp::InverseSqrt: return fmt::format("inverseSqrt({})", a);
    case ElementOp::Exp: return fmt::format("exp({})", a);
    case ElementOp::Log: return fmt::format("log({})", a);
    case ElementOp::Tanh: return fmt::format("fused_tanh({})", a);
    case ElementOp::Sigmoid: return fmt::format("1.0 / (1.0 + exp(-{}))", a);
    case ElementOp::Relu: return fmt::format("max({}, vec4f(0.0))", a);
    case ElementOp::Silu: return fmt::format("{0} / (1.0 + exp(-{0}))", a);
    case ElementOp::GeluErf: return fmt::format("0.5 * {0} * (1.0 + fused_erf(0.70710678 * {0}))", a);
    case ElementOp::GeluTanh:
      return fmt::format("0.5 * {0} * (1.0 + fused_tanh(0.79788456 * ({0} + 0.044715 * {0} * {0} * {0})))", a);
    case ElementOp::GeluQuick: return fmt::format("{0} / (1.0 + exp(-1.702 * {0}))", a);
    case ElementOp::Scale: return fmt::format("{} * {}", a, c0);
    case ElementOp::Offset: return fmt::format("{} + {}", a, c0);
    case ElementOp::Clamp: return fmt::format("clamp({}, vec4f({}), vec4f({}))", a, c0, c1);
  }
  throw InternalError("An element-wise instruction has an unknown operation.");
}

// Whether padding channels, where every tensor holds zero, come out as something else. An input of one channel is
// spread over all of them, so it may be anything there.
bool disturbs_padding(const ElementWise& program, std::span<const Shape> inputs) {
  for (const double spread : {0.7, -1.3}) {
    std::vector<double> values;
    for (std::size_t i = 0; i < program.inputs; ++i) {
      values.push_back(i > 0 && inputs[i - 1].c == 1 ? spread : 0.0);
    }
    if (evaluate(program, values) != 0) return true;  // also a NaN
  }
  return false;
}

std::string load(std::string_view tensor, const Shape& input, const Shape& output) {
  const auto coordinate = [](std::uint32_t extent, std::uint32_t whole, std::string_view name) {
    return extent == 1 && whole != 1 ? std::string_view("0u") : name;
  };
  const std::string text = fmt::format("tensorLoad({}, {}, {}, {}, {})", tensor, coordinate(input.b, output.b, "b"),
                                       coordinate(input.h, output.h, "y"), coordinate(input.w, output.w, "x"),
                                       coordinate(input.slices(), output.slices(), "s"));
  return input.c == 1 && output.c != 1 ? fmt::format("vec4f({}.x)", text) : text;
}

}  // namespace

namespace {

// Where a linear has its bias; 0: it has none, or the operation is none.
std::size_t bias_place(const Node& node) {
  if (const auto* linear = node.as<IntegerLinear>()) {
    return node.inputs.size() > linear->weights() + 1 ? linear->weights() + 1 : 0;
  }
  const auto* linear = node.as<Linear>();
  return linear != nullptr && linear->has_bias(node.inputs.size()) ? 2 : 0;
}

}  // namespace

EffectiveEpilogue effective_epilogue(const Node& node) {
  EffectiveEpilogue result{node.epilogue, node.epilogue_inputs};
  const std::size_t bias = bias_place(node);
  if (bias == 0) return result;
  result.program = node.epilogue.empty() ? single(ElementOp::Add) : compose(node.epilogue, 0, single(ElementOp::Add));
  result.inputs.insert(result.inputs.begin(), node.inputs[bias]);
  return result;
}

std::size_t operand_count(const Node& node) {
  const std::size_t bias = bias_place(node);
  return bias == 0 ? node.inputs.size() : std::min(node.inputs.size(), bias);
}

std::string fusion_source(std::string_view name, std::string_view prefix, const ElementWise& program,
                          std::span<const Shape> inputs, const Shape& output) {
  if (program.empty()) return {};
  if (output.d != 1) {
    throw InternalError(
        fmt::format("The fusion point '{}' has no coordinate for the depth of {}.", name, to_string(output)));
  }
  std::set<ElementOp> ops;
  std::vector<bool> used(program.inputs, false);
  for (const ElementInstruction& instruction : program.instructions) {
    ops.insert(instruction.op);
    for (const std::uint16_t operand : {instruction.a, instruction.b}) {
      if (operand < program.inputs && (operand == instruction.a || info(instruction.op).operands == 2))
        used[operand] = true;
    }
  }
  std::string text;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (used[i + 1]) text += fmt::format("@tensor var<read> {}_{}: tensor<f32>;\n", prefix, i);
  }
  if (ops.contains(ElementOp::GeluErf)) text += erf_source;
  if (ops.contains(ElementOp::Tanh) || ops.contains(ElementOp::GeluTanh)) text += tanh_source;
  text += fmt::format("fn {}(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {{\n", name);
  std::vector<std::string> operands{"value"};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    operands.push_back(fmt::format("t{}", i + 1));
    if (!used[i + 1]) continue;
    text += fmt::format("  let t{} = {};\n", i + 1, load(fmt::format("{}_{}", prefix, i), inputs[i], output));
  }
  for (const ElementInstruction& instruction : program.instructions) {
    const std::string result = fmt::format("t{}", operands.size());
    text += fmt::format("  let {} = {};\n", result,
                        expression(instruction, operands.at(instruction.a), operands.at(instruction.b)));
    operands.push_back(result);
  }
  if (output.c % 4 != 0 && disturbs_padding(program, inputs)) {
    text += fmt::format("  return select(vec4f(0.0), {}, vec4u(s * 4u) + vec4u(0u, 1u, 2u, 3u) < vec4u({}u));\n}}\n",
                        operands.back(), output.c);
  } else {
    text += fmt::format("  return {};\n}}\n", operands.back());
  }
  return text;
}

std::string epilogue_source(const Node& node, const Graph& graph) {
  const EffectiveEpilogue epilogue = effective_epilogue(node);
  if (epilogue.program.empty()) return {};
  std::vector<Shape> shapes;
  for (const ValueId id : epilogue.inputs) shapes.push_back(graph.value(id).shape);
  return fusion_source("epilogue", "fused", epilogue.program, shapes, graph.value(node.outputs.at(0)).shape);
}

}  // namespace driftwood::graph
