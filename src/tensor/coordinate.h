// Coordinate translation: where the texel of a logical position lies, as an integer expression.
//
//   coordinates({.shape = {2, 5, 3, 1, 7}, .layout = *find_layout("bhwc", StorageKind::Buffer)})
//     -> {((s * 5 + y) * 3 + x) * 2 + b, 0, 0}
//
// The same expressions give addresses on the host (evaluate) and in kernels (shader/virtualize.h).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "tensor/descriptor.h"

namespace driftwood {

/// A logical position: one texel of a tensor.
struct Position {
  std::uint32_t b = 0, y = 0, x = 0, d = 0, s = 0;
  std::uint32_t operator[](Axis axis) const;
};

/// An immutable expression over the position's variables and constants, without negative values. Operators simplify:
/// constants fold, neutral elements vanish, and (e * n + c) / n and % n with c < n resolve.
class CoordinateExpression {
 public:
  enum class Operation : std::uint8_t { Constant, Variable, Add, Multiply, Divide, Remainder };

  CoordinateExpression(std::uint32_t constant = 0) : value_(constant) {}
  static CoordinateExpression variable(Axis axis);

  Operation operation() const { return operation_; }
  std::uint32_t constant() const { return value_; }            // of Constant
  Axis axis() const { return static_cast<Axis>(value_); }      // of Variable
  const CoordinateExpression& left() const { return *left_; }  // of the operations with operands
  const CoordinateExpression& right() const { return *right_; }

  bool is_constant(std::uint32_t value) const { return operation_ == Operation::Constant && value_ == value; }
  std::uint64_t evaluate(const Position& at) const;

  friend CoordinateExpression operator+(const CoordinateExpression& a, const CoordinateExpression& b);
  friend CoordinateExpression operator*(const CoordinateExpression& a, const CoordinateExpression& b);
  friend CoordinateExpression operator/(const CoordinateExpression& a, const CoordinateExpression& b);
  friend CoordinateExpression operator%(const CoordinateExpression& a, const CoordinateExpression& b);
  bool operator==(const CoordinateExpression& other) const;

 private:
  CoordinateExpression(Operation operation, const CoordinateExpression& left, const CoordinateExpression& right);

  Operation operation_ = Operation::Constant;
  std::uint32_t value_ = 0;
  std::shared_ptr<const CoordinateExpression> left_, right_;
};

/// "((s * 5 + y) * 3 + x) * 2 + b", with no more parentheses than needed.
std::string to_string(const CoordinateExpression& expression);

/// The coordinates of a texel inside its object; those that the storage kind lacks are 0. Axes of extent 1 vanish.
std::array<CoordinateExpression, 3> coordinates(const TensorDescriptor& descriptor);

/// Which of the descriptor's objects holds the texel: s % objects.
CoordinateExpression object_index(const TensorDescriptor& descriptor);

}  // namespace driftwood
