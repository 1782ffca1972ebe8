// Operators and conversions.
//
// WGSL's i32 wraps; overflow of C's int is undefined. Signed sums and products are therefore computed as uint unless
// their range shows that they stay in bounds, or they are an address, where overflow is an error already.
// Shifts need nothing: OpenCL C takes the amount modulo the width, as WGSL does.
#include "shader/ir_build.h"
#include "shader/opencl/printer.h"

namespace driftwood::shader::opencl {

namespace {

bool is_wrapping_op(BinaryOp op) { return op == BinaryOp::Add || op == BinaryOp::Subtract || op == BinaryOp::Multiply; }

bool is_comparison(BinaryOp op) { return op >= BinaryOp::Equal; }

std::string unsigned_type(const TypePtr& type) {
  const int width = width_of(type);
  return width > 1 ? "uint" + std::to_string(width) : "uint";
}

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
  if (width > 1) return {"as_" + unsigned_type(expression.type) + "(" + code.text + ")", Precedence::Postfix};
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
    return {"as_" + type_name(expression.type) + "(" + code.text + ")", Precedence::Postfix};
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
  return binary_code(node.op, value(*node.left), value(*node.right));
}

Code Printer::compare(const Expression& expression, const Binary& node) {
  Code code = binary_code(node.op, value(*node.left), value(*node.right));
  // Comparing halves gives masks of 16 bits.
  if (width_of(expression.type) > 1 && scalar_of(node.left->type) == Scalar::F16) {
    return {"convert_" + type_name(expression.type) + "(" + code.text + ")", Precedence::Postfix};
  }
  return code;
}

Code Printer::divide(const Expression& expression, const Binary& node) {
  const Scalar scalar = *scalar_of(expression.type);
  const bool is_remainder = node.op == BinaryOp::Remainder;
  if (is_float(scalar)) {
    if (!is_remainder) return binary_code(node.op, value(*node.left), value(*node.right));
    if (lacks_half(expression.type)) {
      const TypePtr single = width_of(expression.type) > 1 ? vector_type(Scalar::F32, width_of(expression.type))
                                                           : scalar_type(Scalar::F32);
      const auto as_float = [&](const Expression& each) {
        const TypePtr type =
            width_of(each.type) > 1 ? vector_type(Scalar::F32, width_of(each.type)) : scalar_type(Scalar::F32);
        return build::convert(type, clone(each));
      };
      const ExpressionPtr in_float =
          build::expression(single, Binary{node.op, as_float(*node.left), as_float(*node.right)});
      return convert_code(value(*in_float), single, expression.type);
    }
    const auto widened = [&](const Expression& each) {
      const bool splat = width_of(each.type) < width_of(expression.type);
      return splat ? "(" + type_name(expression.type) + ")(" + argument(each) + ")" : argument(each);
    };
    return {"fmod(" + widened(*node.left) + ", " + widened(*node.right) + ")", Precedence::Postfix};
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
  if (is_signed)
    condition = is_vector ? "(b == 0) | ((a == INT_MIN) & (b == -1))" : "b == 0 || (a == INT_MIN && b == -1)";
  const std::string safe =
      is_vector ? "select(b, (" + type + ")(1), " + condition + ")" : "(" + condition + " ? 1 : b)";
  const std::string helper = (is_remainder ? "remainder_" : "divide_") + type;
  prelude_.require(helper, "static " + type + " " + helper + "(" + type + " a, " + type + " b) {\n  return a " +
                               (is_remainder ? "%" : "/") + " " + safe + ";\n}");
  const auto operand = [&](const Expression& each) {
    const bool splat = width_of(each.type) < width_of(expression.type);
    return splat ? "(" + type + ")(" + argument(each) + ")" : argument(each);
  };
  return {helper + "(" + operand(*node.left) + ", " + operand(*node.right) + ")", Precedence::Postfix};
}

Code Printer::convert(const Expression& expression, const Convert& node) {
  const Expression& operand = *node.operand;
  if (is_memory_half(operand.type) && scalar_of(expression.type) == Scalar::F32) return value(operand);
  if (scalar_of(expression.type) == Scalar::U32 && width_of(expression.type) == 1 && needs_wrapping(operand)) {
    return wrapping(operand);
  }
  return convert_code(value(operand), operand.type, expression.type);
}

Code Printer::convert_code(const Code& code, const TypePtr& from_type, const TypePtr& to_type) {
  const Scalar from = *scalar_of(from_type);
  const Scalar to = *scalar_of(to_type);
  const int width = width_of(to_type);
  if (from == to || (is_memory_half(to_type) && from == Scalar::F32)) return code;
  if (lacks_half(from_type) || lacks_half(to_type)) return half_conversion(code, from_type, to_type);
  const std::string to_name = type_name(to_type);
  const auto called = [&](const std::string& function) {
    return Code{function + "(" + code.text + ")", Precedence::Postfix};
  };
  if (to == Scalar::Bool) {
    const std::string zero = from == Scalar::F32   ? "0.0f"
                             : from == Scalar::F16 ? "0.0h"
                             : from == Scalar::U32 ? "0u"
                                                   : "0";
    const Code test = binary_code(BinaryOp::NotEqual, code, {zero});
    return from == Scalar::F16 && width > 1 ? Code{"convert_" + to_name + "(" + test.text + ")", Precedence::Postfix}
                                            : test;
  }
  if (from == Scalar::Bool && width > 1) {
    const Code bit = binary_code(BinaryOp::And, code, {"1"});
    return to == Scalar::I32 ? bit : Code{"convert_" + to_name + "(" + bit.text + ")", Precedence::Postfix};
  }
  if (is_float(from) && is_integer(to)) return called("convert_" + to_name + "_sat_rtz");
  if (width == 1) return {"(" + to_name + ")" + code.at_least(Precedence::Unary), Precedence::Unary};
  if (is_integer(from) && is_integer(to)) return called("as_" + to_name);
  return called("convert_" + to_name);
}

Code Printer::bitcast(const Code& code, const TypePtr& from, const TypePtr& to) {
  if (same_type(from, to)) return code;
  if (lacks_half(from) || lacks_half(to)) return half_bitcast(code, from, to);
  return {"as_" + type_name(to) + "(" + code.text + ")", Precedence::Postfix};
}

}  // namespace driftwood::shader::opencl
