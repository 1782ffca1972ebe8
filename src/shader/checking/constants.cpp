#include "shader/checking/constants.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/half.h"

namespace driftwood::shader::checking {

namespace {

Folded failed(std::string message) { return {ConstantScalar(), std::move(message)}; }
Folded boolean(bool value) { return {ConstantScalar::of_int(Scalar::Bool, value ? 1 : 0), {}}; }
Folded integer(std::int64_t value, Scalar scalar) { return {wrapped(value, scalar), {}}; }

std::string overflow(Scalar scalar) { return "The result does not fit into " + std::string(to_string(scalar)) + "."; }

/// Integers of the abstract type that leave 64 bits are errors; concrete ones wrap.
Folded integer_arithmetic(BinaryOp op, std::int64_t a, std::int64_t b, Scalar scalar) {
  std::int64_t result = 0;
  bool overflows = false;
  switch (op) {
    case BinaryOp::Add: overflows = __builtin_add_overflow(a, b, &result); break;
    case BinaryOp::Subtract: overflows = __builtin_sub_overflow(a, b, &result); break;
    case BinaryOp::Multiply: overflows = __builtin_mul_overflow(a, b, &result); break;
    case BinaryOp::Divide:
    case BinaryOp::Remainder: {
      if (b == 0) return failed("Integer division by zero.");
      const std::int64_t lowest =
          scalar == Scalar::I32 ? std::numeric_limits<std::int32_t>::min() : std::numeric_limits<std::int64_t>::min();
      if (b == -1 && a == lowest && scalar != Scalar::U32) return failed(overflow(scalar));
      result = op == BinaryOp::Divide ? a / b : a % b;
      break;
    }
    default: return failed("The operator does not take integers.");
  }
  // 32-bit operands cannot overflow 64 bits but for u32 products, whose low bits are right all the same.
  if (overflows && scalar == Scalar::AbstractInt) return failed(overflow(scalar));
  return integer(result, scalar);
}

Folded float_arithmetic(BinaryOp op, double a, double b, Scalar scalar) {
  switch (op) {
    case BinaryOp::Add: return rounded(a + b, scalar);
    case BinaryOp::Subtract: return rounded(a - b, scalar);
    case BinaryOp::Multiply: return rounded(a * b, scalar);
    case BinaryOp::Divide: return b == 0 ? failed("Division by zero.") : rounded(a / b, scalar);
    case BinaryOp::Remainder: return b == 0 ? failed("Division by zero.") : rounded(std::fmod(a, b), scalar);
    default: return failed("The operator does not take floats.");
  }
}

template <typename Number>
std::optional<bool> compare(BinaryOp op, Number a, Number b) {
  switch (op) {
    case BinaryOp::Equal: return a == b;
    case BinaryOp::NotEqual: return a != b;
    case BinaryOp::Less: return a < b;
    case BinaryOp::LessEqual: return a <= b;
    case BinaryOp::Greater: return a > b;
    case BinaryOp::GreaterEqual: return a >= b;
    default: return std::nullopt;
  }
}

Folded shift(BinaryOp op, const ConstantScalar& left, std::int64_t amount) {
  const Scalar scalar = left.scalar;
  const int width = scalar == Scalar::AbstractInt ? 64 : 32;
  if (amount < 0 || amount >= width) {
    return failed("A shift by " + std::to_string(amount) + " goes too far; " + std::string(to_string(scalar)) +
                  " has " + std::to_string(width) + " bits.");
  }
  if (op == BinaryOp::ShiftRight) return integer(left.i >> amount, scalar);
  const auto shifted = static_cast<std::int64_t>(static_cast<std::uint64_t>(left.i) << amount);
  const ConstantScalar result = wrapped(shifted, scalar);
  // No bit that matters may leave: shifting back must give the value again.
  if ((result.i >> amount) != left.i) return failed(overflow(scalar));
  return {result, {}};
}

Folded bitwise(BinaryOp op, std::int64_t a, std::int64_t b, Scalar scalar) {
  switch (op) {
    case BinaryOp::And: return integer(a & b, scalar);
    case BinaryOp::Or: return integer(a | b, scalar);
    default: return integer(a ^ b, scalar);
  }
}

}  // namespace

ConstantScalar wrapped(std::int64_t value, Scalar scalar) {
  if (scalar == Scalar::I32) value = static_cast<std::int32_t>(static_cast<std::uint64_t>(value));
  if (scalar == Scalar::U32) value = static_cast<std::uint32_t>(static_cast<std::uint64_t>(value));
  return ConstantScalar::of_int(scalar, value);
}

Folded rounded(double value, Scalar scalar) {
  double result = value;
  if (scalar == Scalar::F32) result = static_cast<float>(value);
  if (scalar == Scalar::F16) result = half_to_float(float_to_half(static_cast<float>(value)));
  if (!std::isfinite(result)) {
    return failed(std::isnan(result) ? "The result is not a number."
                                     : "The result is too large for " + std::string(to_string(scalar)) + ".");
  }
  return {ConstantScalar::of_float(scalar, result), {}};
}

std::optional<ConstantScalar> convert_automatically(const ConstantScalar& value, Scalar to) {
  if (value.scalar == to) return value;
  if (!is_abstract(value.scalar)) return std::nullopt;
  if (is_float(to)) {
    const double number = is_float(value.scalar) ? value.f : static_cast<double>(value.i);
    const Folded result = rounded(number, to);
    if (!result.ok()) return std::nullopt;
    return result.value;
  }
  if (value.scalar == Scalar::AbstractFloat || to == Scalar::Bool) return std::nullopt;
  const ConstantScalar result = wrapped(value.i, to);
  if (result.i != value.i) return std::nullopt;
  return result;
}

Folded convert_explicitly(const ConstantScalar& value, Scalar to) {
  if (value.scalar == to) return {value, {}};
  if (to == Scalar::Bool) return boolean(is_float(value.scalar) ? value.f != 0 : value.i != 0);
  if (is_float(to)) return rounded(is_float(value.scalar) ? value.f : static_cast<double>(value.i), to);
  if (is_float(value.scalar)) {
    // WGSL: towards zero, then to the nearest value that the type has.
    const bool is_signed = to != Scalar::U32;
    const double lowest = is_signed ? std::numeric_limits<std::int32_t>::min() : 0;
    const double highest =
        is_signed ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::uint32_t>::max();
    return integer(static_cast<std::int64_t>(std::clamp(std::trunc(value.f), lowest, highest)), to);
  }
  if (value.scalar == Scalar::AbstractInt && wrapped(value.i, to).i != value.i) {
    return failed("The value " + to_string(value) + " does not fit into " + std::string(to_string(to)) + ".");
  }
  return integer(value.i, to);
}

Folded bitcast_scalar(const ConstantScalar& value, Scalar to) {
  const std::uint32_t bits = is_float(value.scalar) ? std::bit_cast<std::uint32_t>(static_cast<float>(value.f))
                                                    : static_cast<std::uint32_t>(value.i);
  if (to != Scalar::F32) return integer(static_cast<std::int64_t>(bits), to);
  return rounded(std::bit_cast<float>(bits), to);
}

Folded fold_unary(UnaryOp op, const ConstantScalar& operand) {
  switch (op) {
    case UnaryOp::Not: return boolean(operand.i == 0);
    case UnaryOp::Complement: return integer(~operand.i, operand.scalar);
    case UnaryOp::Negate: break;
  }
  if (is_float(operand.scalar)) return {ConstantScalar::of_float(operand.scalar, -operand.f), {}};
  return integer_arithmetic(BinaryOp::Subtract, 0, operand.i, operand.scalar);
}

Folded fold_binary(BinaryOp op, const ConstantScalar& left, const ConstantScalar& right) {
  const Scalar scalar = left.scalar;
  switch (op) {
    case BinaryOp::LogicalAnd: return boolean(left.i != 0 && right.i != 0);
    case BinaryOp::LogicalOr: return boolean(left.i != 0 || right.i != 0);
    case BinaryOp::ShiftLeft:
    case BinaryOp::ShiftRight: return shift(op, left, right.i);
    case BinaryOp::And:
    case BinaryOp::Or:
    case BinaryOp::Xor: return bitwise(op, left.i, right.i, scalar);
    default: break;
  }
  const auto compared = is_float(scalar) ? compare(op, left.f, right.f) : compare(op, left.i, right.i);
  if (compared) return boolean(*compared);
  if (is_float(scalar)) return float_arithmetic(op, left.f, right.f, scalar);
  return integer_arithmetic(op, left.i, right.i, scalar);
}

std::string to_string(const ConstantScalar& value) {
  if (value.scalar == Scalar::Bool) return value.i ? "true" : "false";
  if (!is_float(value.scalar)) return std::to_string(value.i);
  char text[40];
  const auto end = value.scalar == Scalar::AbstractFloat
                       ? std::to_chars(text, text + sizeof text, value.f)
                       : std::to_chars(text, text + sizeof text, static_cast<float>(value.f));
  std::string result(text, end.ptr);
  if (result.find_first_of(".en") == std::string::npos) result += ".0";
  return result;
}

}  // namespace driftwood::shader::checking
