// A small program over the elements of its inputs, in single assignment form. As an operation it is a kernel of its
// own; as the epilogue of another node it runs where that node stores its result.
//
// Operands 0 .. inputs-1 are the inputs, operand inputs+k is the result of instruction k, and the last one is the
// result (input 0 where there are no instructions). Inputs broadcast: each axis is the output's or 1.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "graph/operations/operand.h"

namespace driftwood::graph {

enum class ElementOp : std::uint8_t {
  // two operands
  Add,
  Subtract,
  Multiply,
  Divide,
  Minimum,
  Maximum,
  // one operand
  Negate,
  Absolute,
  Square,
  Sqrt,
  InverseSqrt,
  Exp,
  Log,
  Tanh,
  Sigmoid,
  Relu,
  Silu,
  GeluErf,
  GeluTanh,
  GeluQuick,
  // one operand and constants
  Scale,   // a * constant[0]
  Offset,  // a + constant[0]
  Clamp,   // into [constant[0], constant[1]]
};

struct ElementOpInfo {
  ElementOp op;
  std::string_view name;   // as dumps print it: "gelu_tanh"
  std::uint8_t operands;   // 1 or 2
  std::uint8_t constants;  // 0 to 2
};

const ElementOpInfo& info(ElementOp op);

struct ElementInstruction {
  ElementOp op;
  std::uint16_t a = 0, b = 0;  // operands; b is 0 where the operation takes one
  std::array<float, 2> constants = {0, 0};
  bool operator==(const ElementInstruction&) const = default;
};

struct ElementWise {
  static constexpr std::string_view name = "element-wise";
  std::uint16_t inputs = 1;
  std::vector<ElementInstruction> instructions = {};

  bool empty() const { return instructions.empty(); }
  bool operator==(const ElementWise&) const = default;
};

/// A program of one instruction over its own inputs.
ElementWise single(ElementOp op, std::array<float, 2> constants = {0, 0});

/// The program `outer` with its input `place` computed by `inner`. The inputs of the result are those of `outer`
/// without `place`, with those of `inner` in its place.
ElementWise compose(const ElementWise& outer, std::uint16_t place, const ElementWise& inner);

/// The same program after its inputs i and j are found to be the same value (i < j): j goes, later ones move down.
ElementWise merge_inputs(const ElementWise& program, std::uint16_t i, std::uint16_t j);

/// The result for one element, in double precision. `inputs` holds program.inputs values.
double evaluate(const ElementWise& program, std::span<const double> inputs);

/// "silu(0) -> 2; multiply(2, 1)", operands by number.
std::string to_string(const ElementWise& program);

/// Shape that the inputs broadcast to.
std::vector<Shape> output_shapes(const ElementWise&, std::span<const Operand> inputs);

}  // namespace driftwood::graph
