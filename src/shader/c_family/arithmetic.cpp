// Operators and conversions.
//
// WGSL's i32 wraps; overflow of C's int is undefined. Signed sums and products are therefore computed as uint unless
// their range shows that they stay in bounds, or they are an address, where overflow is an error already.
// The amount of a shift counts modulo the width; where the language does not say so, the printed code does.
#include "shader/c_family/printer.h"
#include "shader/ir_build.h"

namespace driftwood::shader::c_family {

namespace {

bool is_wrapping_op(BinaryOp op) { return op == BinaryOp::Add || op == BinaryOp::Subtract || op == BinaryOp::Multiply; }

bool is_comparison(BinaryOp op) { return op >= BinaryOp::Equal; }

}  // namespace

IntegerRange Printer::range(const Expression& expression) const {
  return range_of(expression, module_.entry_point != nullptr ? module_.entry_point->workgroup_size
                                                             : std::array<std::uint32_t, 3>{1024, 1024, 1024});
}

Code Printer::unary(const Expression& expression, const Unary& node) {
  const Code operand = value(*node.operand);
  switch (node.op) {
    case UnaryOp::Not: return {"!" + operand.at_least(Precedence::Unary), Precedence::Unary};
    case UnaryOp::Complement: return {"~" + operand.at_least(Precedence::Unary), Precedence::Unary};
    case UnaryOp::Negate: break;
  }
  if (needs_wrapping(expression)) return wrapped(expression);
  // "- -x" must not become a decrement.
  const std::string text = operand.at_least(Precedence::Unary);
  return {text[0] == '-' ? "-(" + text + ")" : "-" + text, Precedence::Unary};
}

bool Printer::needs_wrapping(const Expression& expression) const {
  if (scalar_of(expression.type) != Scalar::I32) return false;
  const auto* negated = std::get_if<Unary>(&expression.node);
  if (negated != nullptr && negated->op == UnaryOp::Negate) {
    return !in_address_ && range(*negated->operand).contains(std::int64_t{-1} << 31);
  }
  const auto* node = std::get_if<Binary>(&expression.node);
  if (node == nullptr || !is_wrapping_op(node->op)) return false;
  if (in_address_) return false;
  const IntegerRange whole{std::int64_t{-1} << 31, (std::int64_t{1} << 31) - 1};
  const IntegerRange result = range(expression);
  // range() gives the whole range where the result might wrap.
  return result.low == whole.low && result.high == whole.high;
}

Code Printer::wrapping_leaf(const Expression& expression, bool must_be_unsigned) {
  const int width = width_of(expression.type);
  if (const auto known = integer_value(expression); known && *known >= 0) return {std::to_string(*known) + "u"};
  const auto* convert = std::get_if<Convert>(&expression.node);
  if (convert != nullptr && scalar_of(convert->operand->type) == Scalar::U32) return value(*convert->operand);
  const Code code = value(expression);
  if (width > 1) {
    return {reinterpreter(unsigned_type_name(expression.type)) + "(" + code.text + ")", Precedence::Postfix};
  }
  if (!must_be_unsigned) return code;
  return {"(uint)" + code.at_least(Precedence::Unary), Precedence::Unary};
}

// The expression as uint. Mixed operands of C become unsigned, so one unsigned operand a scalar operator is enough.
Code Printer::wrapping(const Expression& expression) {
  if (const auto* negated = std::get_if<Unary>(&expression.node)) {
    const Expression& operand = *negated->operand;
    const Code code = needs_wrapping(operand) ? wrapping(operand) : wrapping_leaf(operand, true);
    return {"-" + code.at_least(Precedence::Unary), Precedence::Unary};
  }
  const auto& node = std::get<Binary>(expression.node);
  const bool left_wraps = needs_wrapping(*node.left);
  const bool right_wraps = needs_wrapping(*node.right);
  const bool is_vector = width_of(expression.type) > 1;
  const auto right_literal = integer_value(*node.right);
  const bool right_unsigned = right_wraps || (right_literal && *right_literal >= 0);
  const Code left = left_wraps ? wrapping(*node.left) : wrapping_leaf(*node.left, is_vector || !right_unsigned);
  const Code right = right_wraps ? wrapping(*node.right) : wrapping_leaf(*node.right, is_vector);
  return binary_code(node.op, left, right);
}

Code Printer::wrapped(const Expression& expression) {
  const Code code = wrapping(expression);
  if (width_of(expression.type) > 1) {
    return {reinterpreter(type_name(expression.type)) + "(" + code.text + ")", Precedence::Postfix};
  }
  return {"(int)" + code.at_least(Precedence::Unary), Precedence::Unary};
}

Code Printer::binary(const Expression& expression, const Binary& node) {
  if (const BuiltinCall* dot = accumulating_dot(expression)) {
    const bool dot_is_left = dot == std::get_if<BuiltinCall>(&node.left->node);
    return dot_accumulate(*dot, argument(dot_is_left ? *node.right : *node.left));
  }
  if (is_comparison(node.op)) return compare(expression, node);
  if (node.op == BinaryOp::Divide || node.op == BinaryOp::Remainder) return divide(expression, node);
  if (needs_wrapping(expression)) return wrapped(expression);
  const bool shifts = node.op == BinaryOp::ShiftLeft || node.op == BinaryOp::ShiftRight;
  if (shifts && masks_shift(*node.right)) {
    const Code amount = binary_code(BinaryOp::And, value(*node.right), {"31u"});
    return binary_code(node.op, value(*node.left), amount);
  }
  return binary_code(node.op, value(*node.left), value(*node.right));
}

Code Printer::compare(const Expression&, const Binary& node) {
  return binary_code(node.op, value(*node.left), value(*node.right));
}

std::string Printer::widened(const TypePtr& type, const Expression& operand) {
  const bool splat = width_of(operand.type) < width_of(type);
  return splat ? vector_value(type_name(type), argument(operand)).text : argument(operand);
}

Code Printer::float_remainder(const Expression& expression, const Binary& node) {
  return {"fmod(" + widened(expression.type, *node.left) + ", " + widened(expression.type, *node.right) + ")",
          Precedence::Postfix};
}

Code Printer::divide(const Expression& expression, const Binary& node) {
  const Scalar scalar = *scalar_of(expression.type);
  const bool is_remainder = node.op == BinaryOp::Remainder;
  if (is_float(scalar)) {
    if (is_remainder) return float_remainder(expression, node);
    return binary_code(node.op, value(*node.left), value(*node.right));
  }
  const IntegerRange divisor = range(*node.right);
  const bool is_signed = scalar == Scalar::I32;
  const bool overflows = is_signed && divisor.contains(-1) && range(*node.left).contains(std::int64_t{-1} << 31);
  bool may_be_zero = divisor.contains(0);
  if (const Literal* literal = as_literal(*node.right)) {
    may_be_zero = false;
    for (const ConstantScalar& each : literal->components) may_be_zero = may_be_zero || each.i == 0;
  }
  if (!may_be_zero && !overflows) return binary_code(node.op, value(*node.left), value(*node.right));
  const std::string type = type_name(expression.type);
  const bool is_vector = width_of(expression.type) > 1;
  std::string condition = "b == 0";
  if (is_signed) {
    condition = is_vector ? "(b == 0) | ((a == " + least_int() + ") & (b == -1))"
                          : "b == 0 || (a == " + least_int() + " && b == -1)";
  }
  const std::string safe =
      is_vector ? "select(b, " + vector_value(type, "1").text + ", " + condition + ")" : "(" + condition + " ? 1 : b)";
  const std::string helper = (is_remainder ? "remainder_" : "divide_") + type;
  prelude_.require(helper, "static " + type + " " + helper + "(" + type + " a, " + type + " b) {\n  return a " +
                               (is_remainder ? "%" : "/") + " " + safe + ";\n}");
  return {helper + "(" + widened(expression.type, *node.left) + ", " + widened(expression.type, *node.right) + ")",
          Precedence::Postfix};
}

Code Printer::convert(const Expression& expression, const Convert& node) {
  const Expression& operand = *node.operand;
  if (is_memory_half(operand.type) && scalar_of(expression.type) == Scalar::F32) return value(operand);
  if (scalar_of(expression.type) == Scalar::U32 && width_of(expression.type) == 1 && needs_wrapping(operand)) {
    return wrapping(operand);
  }
  return convert_code(value(operand), operand.type, expression.type);
}

}  // namespace driftwood::shader::c_family
