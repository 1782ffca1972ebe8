#include "shader/integer_range.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "shader/ir_build.h"

namespace driftwood::shader {

namespace {

using Size = std::array<std::uint32_t, 3>;

IntegerRange all_of(Scalar scalar) {
  if (scalar == Scalar::U32) return {0, std::numeric_limits<std::uint32_t>::max()};
  return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
}

IntegerRange range_of_literal(const Literal& literal) {
  IntegerRange range{literal.components[0].i, literal.components[0].i};
  for (const ConstantScalar& each : literal.components) {
    range.low = std::min(range.low, each.i);
    range.high = std::max(range.high, each.i);
  }
  return range;
}

IntegerRange range_of_binary(const Binary& node, Scalar scalar, const Size& size) {
  const IntegerRange all = all_of(scalar);
  const IntegerRange left = range_of(*node.left, size);
  const IntegerRange right = range_of(*node.right, size);
  IntegerRange result = all;
  switch (node.op) {
    case BinaryOp::Add: result = {left.low + right.low, left.high + right.high}; break;
    case BinaryOp::Subtract: result = {left.low - right.high, left.high - right.low}; break;
    case BinaryOp::Multiply: {
      const std::int64_t limit = std::int64_t{1} << 31;
      if (left.low < -limit || left.high >= limit || right.low < -limit || right.high >= limit) return all;
      const auto [low, high] =
          std::minmax({left.low * right.low, left.low * right.high, left.high * right.low, left.high * right.high});
      result = {low, high};
      break;
    }
    case BinaryOp::And:
      if (left.low >= 0 && right.low >= 0) return {0, std::min(left.high, right.high)};
      if (right.low >= 0) return {0, right.high};
      if (left.low >= 0) return {0, left.high};
      return all;
    case BinaryOp::Or:
      if (left.low >= 0 && right.low >= 0) {
        const auto bits = std::bit_width(static_cast<std::uint64_t>(left.high | right.high));
        return {std::max(left.low, right.low), (std::int64_t{1} << bits) - 1};
      }
      return all;
    case BinaryOp::Divide:
      if (left.low >= 0 && right.low > 0) return {left.low / right.high, left.high / right.low};
      return all;
    case BinaryOp::Remainder:
      if (left.low >= 0 && right.low > 0) return {0, std::min(left.high, right.high - 1)};
      return all;
    case BinaryOp::ShiftRight:
      if (left.low >= 0 && right.low == right.high)
        return {left.low >> (right.low & 31), left.high >> (right.low & 31)};
      return left.low >= 0 ? IntegerRange{0, left.high} : all;
    default: return all;
  }
  return result.fits(scalar) ? result : all;
}

IntegerRange range_of_input(const Variable& variable, const Size& size, std::optional<int> component) {
  const std::int64_t total = std::int64_t{size[0]} * size[1] * size[2];
  switch (variable.builtin) {
    case BuiltinInput::LocalInvocationId:
      if (component) return {0, std::int64_t{size[static_cast<std::size_t>(*component)]} - 1};
      return {0, std::int64_t{*std::max_element(size.begin(), size.end())} - 1};
    case BuiltinInput::LocalInvocationIndex: return {0, total - 1};
    case BuiltinInput::SubgroupInvocationId: return {0, 127};
    case BuiltinInput::SubgroupSize: return {1, 128};
    case BuiltinInput::SubgroupId: return {0, total - 1};
    case BuiltinInput::NumSubgroups: return {1, total};
    default: return all_of(Scalar::U32);
  }
}

}  // namespace

bool IntegerRange::fits(Scalar scalar) const {
  const IntegerRange all = all_of(scalar);
  return all.low <= low && high <= all.high;
}

IntegerRange range_of(const Expression& expression, const Size& size) {
  const std::optional<Scalar> scalar = scalar_of(expression.type);
  if (!scalar || !is_integer(*scalar)) return {0, 1};
  const IntegerRange all = all_of(*scalar);
  if (const auto* literal = std::get_if<Literal>(&expression.node)) return range_of_literal(*literal);
  if (const auto* read = std::get_if<VariableExpression>(&expression.node)) {
    return *scalar == Scalar::U32 ? range_of_input(*read->variable, size, std::nullopt) : all;
  }
  if (const auto* swizzle = std::get_if<Swizzle>(&expression.node)) {
    const auto* read = std::get_if<VariableExpression>(&swizzle->base->node);
    if (read != nullptr && read->variable->builtin != BuiltinInput::None && swizzle->count == 1) {
      return range_of_input(*read->variable, size, swizzle->components[0]);
    }
    return range_of(*swizzle->base, size);
  }
  if (const auto* convert = std::get_if<Convert>(&expression.node)) {
    const std::optional<Scalar> from = scalar_of(convert->operand->type);
    if (from == Scalar::Bool) return {0, 1};
    if (!from || !is_integer(*from)) return all;
    const IntegerRange range = range_of(*convert->operand, size);
    return range.fits(*scalar) ? range : all;
  }
  if (const auto* construct = std::get_if<Construct>(&expression.node)) {
    if (construct->arguments.empty()) return {0, 0};
    IntegerRange range = range_of(*construct->arguments[0], size);
    for (const ExpressionPtr& each : construct->arguments) {
      const IntegerRange other = range_of(*each, size);
      range = {std::min(range.low, other.low), std::max(range.high, other.high)};
    }
    return range;
  }
  if (const auto* binary = std::get_if<Binary>(&expression.node)) return range_of_binary(*binary, *scalar, size);
  if (const auto* call = std::get_if<BuiltinCall>(&expression.node)) {
    const auto argument = [&](std::size_t i) { return range_of(*call->arguments[i], size); };
    switch (call->builtin) {
      case Builtin::Min:
        return {std::min(argument(0).low, argument(1).low), std::min(argument(0).high, argument(1).high)};
      case Builtin::Max:
        return {std::max(argument(0).low, argument(1).low), std::max(argument(0).high, argument(1).high)};
      case Builtin::Clamp:
        return {std::min(std::max(argument(0).low, argument(1).low), argument(2).low),
                std::min(std::max(argument(0).high, argument(1).high), argument(2).high)};
      case Builtin::Select:
        return {std::min(argument(0).low, argument(1).low), std::max(argument(0).high, argument(1).high)};
      case Builtin::Unpack4xI8: return {-128, 127};
      case Builtin::Unpack4xU8: return {0, 255};
      case Builtin::Dot4I8Packed: return {-4 * 128 * 128, 4 * 128 * 128};
      case Builtin::Dot4U8I8Packed: return {-4 * 255 * 128, 4 * 255 * 127};
      case Builtin::Dot4U8Packed: return {0, 4 * 255 * 255};
      case Builtin::CountOneBits:
      case Builtin::CountLeadingZeros:
      case Builtin::CountTrailingZeros: return {0, 32};
      default: return all;
    }
  }
  return all;
}

}  // namespace driftwood::shader
