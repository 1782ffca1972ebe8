// Arithmetic on known scalars, as W3C WGSL defines it for const-expressions: 64-bit abstract numbers, concrete ones
// rounded or wrapped to their type, and errors for overflow, division by zero and shifts that go too far.
#pragma once

#include <optional>
#include <string>

#include "shader/ir.h"

namespace driftwood::shader::checking {

/// A folded value, or the sentence that says why there is none.
struct Folded {
  ConstantScalar value;
  std::string error;

  bool ok() const { return error.empty(); }
};

/// Automatic conversion of an abstract number to a concrete type: the value must fit (floats are rounded).
/// A concrete value only "converts" to its own type.
std::optional<ConstantScalar> convert_automatically(const ConstantScalar& value, Scalar to);

/// Value conversion as written by f32(x), u32(x), bool(x).
Folded convert_explicitly(const ConstantScalar& value, Scalar to);

/// The same bits as another 32-bit type.
Folded bitcast_scalar(const ConstantScalar& value, Scalar to);

Folded fold_unary(UnaryOp op, const ConstantScalar& operand);

/// Operands of one scalar type, but for shifts (the right one is u32).
Folded fold_binary(BinaryOp op, const ConstantScalar& left, const ConstantScalar& right);

/// `value` rounded to the float type, or an error where the result is infinite or no number.
Folded rounded(double value, Scalar scalar);

/// `value` wrapped to 32 bits for i32 and u32.
ConstantScalar wrapped(std::int64_t value, Scalar scalar);

/// As the language writes it: "-1", "2.5", "true".
std::string to_string(const ConstantScalar& value);

}  // namespace driftwood::shader::checking
