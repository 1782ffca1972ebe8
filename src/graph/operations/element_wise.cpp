#include "graph/operations/element_wise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace driftwood::graph {

namespace {

constexpr ElementOpInfo table[] = {
    {ElementOp::Add, "add", 2, 0},
    {ElementOp::Subtract, "subtract", 2, 0},
    {ElementOp::Multiply, "multiply", 2, 0},
    {ElementOp::Divide, "divide", 2, 0},
    {ElementOp::Minimum, "minimum", 2, 0},
    {ElementOp::Maximum, "maximum", 2, 0},
    {ElementOp::Negate, "negate", 1, 0},
    {ElementOp::Absolute, "absolute", 1, 0},
    {ElementOp::Square, "square", 1, 0},
    {ElementOp::Sqrt, "sqrt", 1, 0},
    {ElementOp::InverseSqrt, "inverse_sqrt", 1, 0},
    {ElementOp::Exp, "exp", 1, 0},
    {ElementOp::Log, "log", 1, 0},
    {ElementOp::Tanh, "tanh", 1, 0},
    {ElementOp::Sigmoid, "sigmoid", 1, 0},
    {ElementOp::Relu, "relu", 1, 0},
    {ElementOp::Silu, "silu", 1, 0},
    {ElementOp::GeluErf, "gelu_erf", 1, 0},
    {ElementOp::GeluTanh, "gelu_tanh", 1, 0},
    {ElementOp::GeluQuick, "gelu_quick", 1, 0},
    {ElementOp::Scale, "scale", 1, 1},
    {ElementOp::Offset, "offset", 1, 1},
    {ElementOp::Clamp, "clamp", 1, 2},
};

constexpr bool table_is_in_order() {
  for (std::size_t i = 0; i < std::size(table); ++i) {
    if (static_cast<std::size_t>(table[i].op) != i) return false;
  }
  return true;
}
static_assert(table_is_in_order());

double apply(const ElementInstruction& instruction, double a, double b) {
  const double c0 = instruction.constants[0];
  const double c1 = instruction.constants[1];
  switch (instruction.op) {
    case ElementOp::Add: return a + b;
    case ElementOp::Subtract: return a - b;
    case ElementOp::Multiply: return a * b;
    case ElementOp::Divide: return a / b;
    case ElementOp::Minimum: return std::min(a, b);
    case ElementOp::Maximum: return std::max(a, b);
    case ElementOp::Negate: return -a;
    case ElementOp::Absolute: return std::abs(a);
    case ElementOp::Square: return a * a;
    case ElementOp::Sqrt: return std::sqrt(a);
    case ElementOp::InverseSqrt: return 1 / std::sqrt(a);
    case ElementOp::Exp: return std::exp(a);
    case ElementOp::Log: return std::log(a);
    case ElementOp::Tanh: return std::tanh(a);
    case ElementOp::Sigmoid: return 1 / (1 + std::exp(-a));
    case ElementOp::Relu: return std::max(a, 0.0);
    case ElementOp::Silu: return a / (1 + std::exp(-a));
    case ElementOp::GeluErf: return 0.5 * a * (1 + std::erf(a / std::numbers::sqrt2));
    case ElementOp::GeluTanh:
      return 0.5 * a * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (a + 0.044715 * a * a * a)));
    case ElementOp::GeluQuick: return a / (1 + std::exp(-1.702 * a));
    case ElementOp::Scale: return a * c0;
    case ElementOp::Offset: return a + c0;
    case ElementOp::Clamp: return std::clamp(a, c0, c1);
  }
  throw InternalError("An element-wise instruction has an unknown operation.");
}

}  // namespace

const ElementOpInfo& info(ElementOp op) { return table[static_cast<std::size_t>(op)]; }

ElementWise single(ElementOp op, std::array<float, 2> constants) {
  const bool binary = info(op).operands == 2;
  return {
      .inputs = static_cast<std::uint16_t>(binary ? 2 : 1),
      .instructions = {{.op = op, .a = 0, .b = static_cast<std::uint16_t>(binary ? 1 : 0), .constants = constants}}};
}

ElementWise compose(const ElementWise& outer, std::uint16_t place, const ElementWise& inner) {
  const auto inner_count = static_cast<std::uint16_t>(inner.instructions.size());
  ElementWise result;
  result.inputs = static_cast<std::uint16_t>(outer.inputs - 1 + inner.inputs);
  const auto inner_operand = [&](std::uint16_t operand) {
    return static_cast<std::uint16_t>(operand < inner.inputs ? place + operand
                                                             : result.inputs + (operand - inner.inputs));
  };
  const std::uint16_t inner_result =
      inner_operand(static_cast<std::uint16_t>(inner_count == 0 ? 0 : inner.inputs + inner_count - 1));
  const auto outer_operand = [&](std::uint16_t operand) {
    if (operand == place) return inner_result;
    if (operand < place) return operand;
    if (operand < outer.inputs) return static_cast<std::uint16_t>(operand - 1 + inner.inputs);
    return static_cast<std::uint16_t>(result.inputs + inner_count + (operand - outer.inputs));
  };
  const auto append = [&](ElementInstruction instruction, const auto& operand) {
    instruction.a = operand(instruction.a);
    instruction.b = info(instruction.op).operands == 2 ? operand(instruction.b) : std::uint16_t{0};
    result.instructions.push_back(instruction);
  };
  for (const ElementInstruction& instruction : inner.instructions) append(instruction, inner_operand);
  for (const ElementInstruction& instruction : outer.instructions) append(instruction, outer_operand);
  return result;
}

ElementWise merge_inputs(const ElementWise& program, std::uint16_t i, std::uint16_t j) {
  const auto operand = [&](std::uint16_t old) {
    if (old == j) return i;
    return old > j ? static_cast<std::uint16_t>(old - 1) : old;
  };
  ElementWise result = program;
  --result.inputs;
  for (ElementInstruction& instruction : result.instructions) {
    instruction.a = operand(instruction.a);
    if (info(instruction.op).operands == 2) instruction.b = operand(instruction.b);
  }
  return result;
}

double evaluate(const ElementWise& program, std::span<const double> inputs) {
  std::vector<double> operands(inputs.begin(), inputs.end());
  for (const ElementInstruction& instruction : program.instructions) {
    operands.push_back(apply(instruction, operands.at(instruction.a), operands.at(instruction.b)));
  }
  return program.empty() ? operands.at(0) : operands.back();
}

std::string to_string(const ElementWise& program) {
  std::string text;
  for (std::size_t k = 0; k < program.instructions.size(); ++k) {
    const ElementInstruction& instruction = program.instructions[k];
    const ElementOpInfo& facts = info(instruction.op);
    text += fmt::format("{}{}({}", k == 0 ? "" : "; ", facts.name, instruction.a);
    if (facts.operands == 2) text += fmt::format(", {}", instruction.b);
    for (std::size_t c = 0; c < facts.constants; ++c) text += fmt::format(", {}", instruction.constants[c]);
    text += ')';
    if (k + 1 < program.instructions.size()) text += fmt::format(" -> {}", program.inputs + k);
  }
  return text;
}

std::vector<Shape> output_shapes(const ElementWise& program, std::span<const Operand> inputs) {
  check_input_count(ElementWise::name, inputs, program.inputs, program.inputs);
  constexpr std::uint32_t Shape::*axes[] = {&Shape::b, &Shape::h, &Shape::w, &Shape::d, &Shape::c};
  Shape shape = inputs[0].shape;
  std::size_t widest = 0;
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    for (const auto axis : axes) {
      const std::uint32_t extent = inputs[i].shape.*axis;
      if (extent == shape.*axis || extent == 1) continue;
      if (shape.*axis != 1) {
        operation_error(ElementWise::name,
                        fmt::format("the inputs {} and {} do not broadcast: each axis must be equal or 1.",
                                    describe(inputs[widest]), describe(inputs[i])));
      }
      shape.*axis = extent;
      widest = i;
    }
  }
  return {shape};
}

}  // namespace driftwood::graph
