// Address arithmetic of the virtualiser: integer expressions that fold as they are built.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "shader/ir.h"
#include "tensor/coordinate.h"

namespace driftwood::shader::address {

/// left op right for i32 or u32 scalars of one type. Literals fold, neutral elements vanish, products and sums of
/// constants join: (e * a + c) * b is e * (a * b) + c * b, and (e * (a * n) + c) / n with c < n is e * a.
ExpressionPtr add(ExpressionPtr left, ExpressionPtr right);
ExpressionPtr multiply(ExpressionPtr left, std::uint32_t right);
ExpressionPtr divide(ExpressionPtr left, std::uint32_t right);
ExpressionPtr remainder(ExpressionPtr left, std::uint32_t right);

/// A literal of type `scalar` (I32 or U32).
ExpressionPtr constant(Scalar scalar, std::uint32_t value);

/// The scalar in type `scalar`; nothing is added where it is of that type or comes from it.
ExpressionPtr as(Scalar scalar, ExpressionPtr expression);

/// Scalars and vectors flattened to scalars. Components are taken as deep inside as possible, so that nothing is
/// computed for those that are not used.
std::vector<ExpressionPtr> flatten(std::span<const ExpressionPtr> arguments);

/// Whether flattening, dropping, repeating or reordering the argument changes nothing but its cost, and that only for
/// `cheap` ones not.
bool is_movable(const Expression& argument);
bool is_cheap(const Expression& argument);

/// The type for arithmetic over these scalars: I32 if one that is no literal is i32, else U32 if one is u32.
Scalar common_type(std::span<const ExpressionPtr> scalars);

/// A coordinate expression with `position` (by Axis; null: 0) substituted for its variables.
ExpressionPtr substitute(const CoordinateExpression& expression, const std::array<ExpressionPtr, 5>& position,
                         Scalar scalar);

}  // namespace driftwood::shader::address
