#include "shader/optimizing/fold_scalars.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/half.h"

namespace driftwood::shader::optimizing {

namespace {

std::uint32_t bits_of(const ConstantScalar& value) { return static_cast<std::uint32_t>(value.i); }

ConstantScalar make_bool(bool value) { return ConstantScalar::of_int(Scalar::Bool, value ? 1 : 0); }

std::optional<ConstantScalar> fold_integers(BinaryOp op, Scalar scalar, std::int64_t a, std::int64_t b) {
  const bool is_signed = scalar == Scalar::I32;
  const auto left = static_cast<std::uint32_t>(a);
  const auto right = static_cast<std::uint32_t>(b);
  const bool overflows = is_signed && a == std::numeric_limits<std::int32_t>::min() && b == -1;
  switch (op) {
    case BinaryOp::Add: return make_int(scalar, left + right);
    case BinaryOp::Subtract: return make_int(scalar, left - right);
    case BinaryOp::Multiply: return make_int(scalar, left * right);
    case BinaryOp::Divide: return make_int(scalar, b == 0 || overflows ? a : a / b);
    case BinaryOp::Remainder: return make_int(scalar, b == 0 || overflows ? 0 : a % b);
    case BinaryOp::And: return make_int(scalar, left & right);
    case BinaryOp::Or: return make_int(scalar, left | right);
    case BinaryOp::Xor: return make_int(scalar, left ^ right);
    case BinaryOp::ShiftLeft: return make_int(scalar, left << (right & 31));
    case BinaryOp::ShiftRight: return make_int(scalar, is_signed ? a >> (right & 31) : left >> (right & 31));
    case BinaryOp::Equal: return make_bool(a == b);
    case BinaryOp::NotEqual: return make_bool(a != b);
    case BinaryOp::Less: return make_bool(a < b);
    case BinaryOp::LessEqual: return make_bool(a <= b);
    case BinaryOp::Greater: return make_bool(a > b);
    case BinaryOp::GreaterEqual: return make_bool(a >= b);
    default: return std::nullopt;
  }
}

std::optional<ConstantScalar> fold_floats(BinaryOp op, Scalar scalar, double a, double b) {
  // double holds sums and products of floats without a second rounding that could show in f32; quotients of floats
  // are safe as well (Figueroa: p >= 2q + 2).
  switch (op) {
    case BinaryOp::Add: return make_float(scalar, a + b);
    case BinaryOp::Subtract: return make_float(scalar, a - b);
    case BinaryOp::Multiply: return make_float(scalar, a * b);
    case BinaryOp::Divide: return make_float(scalar, a / b);
    case BinaryOp::Remainder: return make_float(scalar, std::fmod(a, b));
    case BinaryOp::Equal: return make_bool(a == b);
    case BinaryOp::NotEqual: return make_bool(a != b);
    case BinaryOp::Less: return make_bool(a < b);
    case BinaryOp::LessEqual: return make_bool(a <= b);
    case BinaryOp::Greater: return make_bool(a > b);
    case BinaryOp::GreaterEqual: return make_bool(a >= b);
    default: return std::nullopt;
  }
}

std::optional<ConstantScalar> fold_bools(BinaryOp op, bool a, bool b) {
  switch (op) {
    case BinaryOp::And:
    case BinaryOp::LogicalAnd: return make_bool(a && b);
    case BinaryOp::Or:
    case BinaryOp::LogicalOr: return make_bool(a || b);
    case BinaryOp::Equal: return make_bool(a == b);
    case BinaryOp::Xor:
    case BinaryOp::NotEqual: return make_bool(a != b);
    default: return std::nullopt;
  }
}

std::int64_t saturated(double value, Scalar to) {
  if (std::isnan(value)) return 0;
  const double low = to == Scalar::U32 ? 0.0 : -2147483648.0;
  const double high = to == Scalar::U32 ? 4294967295.0 : 2147483647.0;
  return static_cast<std::int64_t>(std::clamp(std::trunc(value), low, high));
}

}  // namespace

ConstantScalar make_int(Scalar scalar, std::int64_t value) {
  if (scalar == Scalar::Bool) return make_bool(value != 0);
  const auto bits = static_cast<std::uint32_t>(value);
  return ConstantScalar::of_int(scalar, scalar == Scalar::U32 ? std::int64_t{bits} : static_cast<std::int32_t>(bits));
}

ConstantScalar make_float(Scalar scalar, double value) {
  const auto single = static_cast<float>(value);
  if (scalar != Scalar::F16) return ConstantScalar::of_float(scalar, single);
  return ConstantScalar::of_float(scalar, half_to_float(float_to_half(single)));
}

std::optional<ConstantScalar> fold_unary(UnaryOp op, const ConstantScalar& operand) {
  if (is_float(operand.scalar)) {
    if (op != UnaryOp::Negate) return std::nullopt;
    return ConstantScalar::of_float(operand.scalar, -operand.f);
  }
  switch (op) {
    case UnaryOp::Negate: return make_int(operand.scalar, -operand.i);
    case UnaryOp::Not: return make_bool(operand.i == 0);
    case UnaryOp::Complement: return make_int(operand.scalar, ~operand.i);
  }
  return std::nullopt;
}

std::optional<ConstantScalar> fold_binary(BinaryOp op, const ConstantScalar& left, const ConstantScalar& right) {
  if (left.scalar == Scalar::Bool) return fold_bools(op, left.i != 0, right.i != 0);
  if (is_float(left.scalar)) return fold_floats(op, left.scalar, left.f, right.f);
  return fold_integers(op, left.scalar, left.i, right.i);
}

ConstantScalar fold_convert(const ConstantScalar& value, Scalar to) {
  if (is_float(value.scalar)) {
    if (to == Scalar::Bool) return make_bool(value.f != 0);
    return is_float(to) ? make_float(to, value.f) : ConstantScalar::of_int(to, saturated(value.f, to));
  }
  return is_float(to) ? make_float(to, static_cast<double>(value.i)) : make_int(to, value.i);
}

std::optional<ConstantScalar> fold_bitcast(const ConstantScalar& value, Scalar to) {
  if (value.scalar == Scalar::F16 || to == Scalar::F16 || value.scalar == Scalar::Bool) return std::nullopt;
  if (to == Scalar::F32) {
    if (value.scalar == Scalar::F32) return value;
    const auto number = std::bit_cast<float>(bits_of(value));
    // A NaN's payload does not survive the way through double and back.
    if (std::isnan(number)) return std::nullopt;
    return ConstantScalar::of_float(to, number);
  }
  if (value.scalar == Scalar::F32) return make_int(to, std::bit_cast<std::int32_t>(static_cast<float>(value.f)));
  return make_int(to, value.i);
}

std::optional<ConstantScalar> fold_builtin(Builtin builtin, const ConstantScalar* arguments, std::size_t count) {
  const ConstantScalar& first = arguments[0];
  const Scalar scalar = first.scalar;
  const bool floating = is_float(scalar);
  if (scalar == Scalar::Bool) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i) {
    if (floating && std::isnan(arguments[i].f)) return std::nullopt;
  }
  switch (builtin) {
    case Builtin::Abs: return floating ? make_float(scalar, std::fabs(first.f)) : make_int(scalar, std::abs(first.i));
    case Builtin::Min:
      return floating ? (arguments[1].f < first.f ? arguments[1] : first)
                      : (arguments[1].i < first.i ? arguments[1] : first);
    case Builtin::Max:
      return floating ? (arguments[1].f > first.f ? arguments[1] : first)
                      : (arguments[1].i > first.i ? arguments[1] : first);
    case Builtin::Clamp:
      if (floating) return make_float(scalar, std::min(std::max(first.f, arguments[1].f), arguments[2].f));
      return make_int(scalar, std::min(std::max(first.i, arguments[1].i), arguments[2].i));
    case Builtin::Saturate: return make_float(scalar, std::min(std::max(first.f, 0.0), 1.0));
    case Builtin::Sign:
      if (floating) return make_float(scalar, first.f > 0 ? 1 : first.f < 0 ? -1 : first.f);
      return make_int(scalar, first.i > 0 ? 1 : first.i < 0 ? -1 : 0);
    case Builtin::Floor: return make_float(scalar, std::floor(first.f));
    case Builtin::Ceil: return make_float(scalar, std::ceil(first.f));
    case Builtin::Trunc: return make_float(scalar, std::trunc(first.f));
    case Builtin::Round: return make_float(scalar, std::nearbyint(first.f));
    case Builtin::CountOneBits: return make_int(scalar, std::popcount(bits_of(first)));
    case Builtin::CountLeadingZeros: return make_int(scalar, std::countl_zero(bits_of(first)));
    case Builtin::CountTrailingZeros: return make_int(scalar, std::countr_zero(bits_of(first)));
    default: return std::nullopt;
  }
}

std::size_t component_count(const TypePtr& type) {
  if (const int width = width_of(type)) return static_cast<std::size_t>(width);
  if (const auto* array = type->as<ArrayType>()) return array->count.value_or(0) * component_count(array->element);
  std::size_t count = 0;
  if (const auto* structure = type->as<StructType>()) {
    for (const StructType::Field& field : structure->fields) count += component_count(field.type);
  }
  return count;
}

void append_zeroes(const TypePtr& type, std::vector<ConstantScalar>& components) {
  if (const int width = width_of(type)) {
    const Scalar scalar = *scalar_of(type);
    const auto zero = is_float(scalar) ? ConstantScalar::of_float(scalar, 0) : ConstantScalar::of_int(scalar, 0);
    components.insert(components.end(), static_cast<std::size_t>(width), zero);
  } else if (const auto* array = type->as<ArrayType>()) {
    for (std::uint32_t i = 0; i < array->count.value_or(0); ++i) append_zeroes(array->element, components);
  } else if (const auto* structure = type->as<StructType>()) {
    for (const StructType::Field& field : structure->fields) append_zeroes(field.type, components);
  }
}

}  // namespace driftwood::shader::optimizing
