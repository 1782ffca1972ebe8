#include "tensor/coordinate.h"

#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "tensor/storage.h"

namespace driftwood {
namespace {

using Operation = CoordinateExpression::Operation;

bool is_constant(const CoordinateExpression& e) { return e.operation() == Operation::Constant; }

// `e` as quotient * n + rest with a constant rest below n, where its form shows that.
struct Division {
  CoordinateExpression quotient;
  std::uint32_t rest;
};

std::optional<Division> divide(const CoordinateExpression& e, const CoordinateExpression& n) {
  if (!is_constant(n)) return std::nullopt;
  if (e.operation() == Operation::Multiply && e.right() == n) return Division{e.left(), 0};
  if (e.operation() == Operation::Add && is_constant(e.right()) && e.right().constant() < n.constant() &&
      e.left().operation() == Operation::Multiply && e.left().right() == n) {
    return Division{e.left().left(), e.right().constant()};
  }
  return std::nullopt;
}

CoordinateExpression constant(std::uint64_t value) {
  if (value > UINT32_MAX) throw InternalError("A constant coordinate exceeds 32 bits.");
  return static_cast<std::uint32_t>(value);
}

}  // namespace

std::uint32_t Position::operator[](Axis axis) const {
  const std::array<std::uint32_t, 5> values = {b, y, x, d, s};  // in the order of Axis
  return values[static_cast<std::size_t>(axis)];
}

CoordinateExpression CoordinateExpression::variable(Axis axis) {
  CoordinateExpression e;
  e.operation_ = Operation::Variable;
  e.value_ = static_cast<std::uint32_t>(axis);
  return e;
}

CoordinateExpression::CoordinateExpression(Operation operation, const CoordinateExpression& left,
                                           const CoordinateExpression& right)
    : operation_(operation),
      left_(std::make_shared<const CoordinateExpression>(left)),
      right_(std::make_shared<const CoordinateExpression>(right)) {}

CoordinateExpression operator+(const CoordinateExpression& a, const CoordinateExpression& b) {
  if (is_constant(a) && is_constant(b)) return constant(std::uint64_t{a.constant()} + b.constant());
  if (b.is_constant(0)) return a;
  if (a.is_constant(0)) return b;
  return {Operation::Add, a, b};
}

CoordinateExpression operator*(const CoordinateExpression& a, const CoordinateExpression& b) {
  if (is_constant(a) && is_constant(b)) return constant(std::uint64_t{a.constant()} * b.constant());
  if (a.is_constant(0) || b.is_constant(0)) return 0;
  if (b.is_constant(1)) return a;
  if (a.is_constant(1)) return b;
  return {Operation::Multiply, a, b};
}

CoordinateExpression operator/(const CoordinateExpression& a, const CoordinateExpression& b) {
  if (b.is_constant(0)) throw InternalError("A coordinate is divided by zero.");
  if (is_constant(a) && is_constant(b)) return a.constant() / b.constant();
  if (a.is_constant(0) || b.is_constant(1)) return a;
  if (const auto division = divide(a, b)) return division->quotient;
  return {Operation::Divide, a, b};
}

CoordinateExpression operator%(const CoordinateExpression& a, const CoordinateExpression& b) {
  if (b.is_constant(0)) throw InternalError("A coordinate is divided by zero.");
  if (is_constant(a) && is_constant(b)) return a.constant() % b.constant();
  if (a.is_constant(0) || b.is_constant(1)) return 0;
  if (const auto division = divide(a, b)) return division->rest;
  return {Operation::Remainder, a, b};
}

bool CoordinateExpression::operator==(const CoordinateExpression& other) const {
  if (operation_ != other.operation_ || value_ != other.value_) return false;
  return left_ == nullptr || (*left_ == *other.left_ && *right_ == *other.right_);
}

std::uint64_t CoordinateExpression::evaluate(const Position& at) const {
  switch (operation_) {
    case Operation::Constant: return value_;
    case Operation::Variable: return at[axis()];
    case Operation::Add: return left_->evaluate(at) + right_->evaluate(at);
    case Operation::Multiply: return left_->evaluate(at) * right_->evaluate(at);
    case Operation::Divide: return left_->evaluate(at) / right_->evaluate(at);
    case Operation::Remainder: return left_->evaluate(at) % right_->evaluate(at);
  }
  return 0;
}

std::string to_string(const CoordinateExpression& e) {
  switch (e.operation()) {
    case Operation::Constant: return std::to_string(e.constant());
    case Operation::Variable: return std::string(1, "byxds"[static_cast<std::size_t>(e.axis())]);
    default: break;
  }
  const auto operand = [&](const CoordinateExpression& side, bool is_right) {
    const bool is_leaf = side.operation() <= Operation::Variable;
    // Sums bind weaker than the rest; * / % associate to the left. a + (b + c) needs none either.
    const bool needs = !is_leaf && e.operation() != Operation::Add && (side.operation() == Operation::Add || is_right);
    return fmt::format(fmt::runtime(needs ? "({})" : "{}"), to_string(side));
  };
  const char symbol = "  +*/%"[static_cast<std::size_t>(e.operation())];
  return fmt::format("{} {} {}", operand(e.left(), false), symbol, operand(e.right(), true));
}

namespace {

// Layout::tile.
CoordinateExpression tiled_coordinate(const TensorDescriptor& descriptor) {
  const Shape& shape = descriptor.shape;
  const std::uint32_t tile = descriptor.layout.tile;
  const auto variable = [](Axis axis, std::uint32_t extent) {
    return extent == 1 ? CoordinateExpression(0) : CoordinateExpression::variable(axis);
  };
  const CoordinateExpression s = CoordinateExpression::variable(Axis::S);
  const CoordinateExpression p =
      (variable(Axis::H, shape.h) * shape.w + variable(Axis::W, shape.w)) * shape.b + variable(Axis::B, shape.b);
  const CoordinateExpression eight = (p / tile * (shape.slices() / 16) + s / 16) * 8 + s % 16 / 2;
  return (eight * tile + p % tile) * 2 + s % 2;
}

}  // namespace

std::array<CoordinateExpression, 3> coordinates(const TensorDescriptor& descriptor) {
  validate(descriptor);
  std::array<CoordinateExpression, 3> result;
  if (descriptor.layout.tile != 0) {
    result[0] = tiled_coordinate(descriptor);
    return result;
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    for (const Axis axis : descriptor.layout.dimensions[i]) {
      const std::uint32_t extent = object_axis_extent(descriptor, axis);
      if (extent == 1) continue;
      CoordinateExpression index = CoordinateExpression::variable(axis);
      if (axis == Axis::S) index = (index + descriptor.part.first_slice) / descriptor.objects;
      result[i] = result[i] * extent + index;
    }
  }
  return result;
}

CoordinateExpression object_index(const TensorDescriptor& descriptor) {
  return CoordinateExpression::variable(Axis::S) % descriptor.objects;
}

}  // namespace driftwood
