// Arithmetic on known scalars as a running kernel does it: integers wrap, x / 0 is x and x % 0 is 0, floats are rounded
// to their type and may become infinite.
#pragma once

#include <optional>

#include "shader/ir.h"

namespace driftwood::shader::optimizing {

ConstantScalar make_int(Scalar scalar, std::int64_t value);
ConstantScalar make_float(Scalar scalar, double value);

/// Nothing for combinations that have no meaning.
std::optional<ConstantScalar> fold_unary(UnaryOp op, const ConstantScalar& operand);
std::optional<ConstantScalar> fold_binary(BinaryOp op, const ConstantScalar& left, const ConstantScalar& right);
ConstantScalar fold_convert(const ConstantScalar& value, Scalar to);
/// Between the 32-bit scalars.
std::optional<ConstantScalar> fold_bitcast(const ConstantScalar& value, Scalar to);
/// Of a builtin that works component by component and is exact on every device; nothing for others.
std::optional<ConstantScalar> fold_builtin(Builtin builtin, const ConstantScalar* arguments, std::size_t count);

/// The scalar components of a constructible type, and the zero of each.
std::size_t component_count(const TypePtr& type);
void append_zeroes(const TypePtr& type, std::vector<ConstantScalar>& components);

}  // namespace driftwood::shader::optimizing
