// Which types convert to which on their own (W3C WGSL, section 6.1), and the facts of types that the checker asks for.
#pragma once

#include <cstdint>
#include <optional>

#include "shader/types.h"

namespace driftwood::shader::checking {

/// The scalar both convert to automatically, if there is one: f32 for abstract-int and f32.
std::optional<Scalar> unify(Scalar a, Scalar b);
/// The same for whole types; null if there is none.
TypePtr unify(const TypePtr& a, const TypePtr& b);

/// Whether a value of `from` converts automatically (its number may still not fit).
bool converts(const TypePtr& from, const TypePtr& to);

/// i32 for abstract-int, f32 for abstract-float, others as they are.
Scalar concrete(Scalar scalar);
/// The same inside vectors and arrays.
TypePtr concrete(const TypePtr& type);
bool is_abstract(const TypePtr& type);

/// Scalar or vector type of the same width with another scalar.
TypePtr with_scalar(const TypePtr& type, Scalar scalar);
/// Scalar for width 1, else vector.
TypePtr numeric_type(Scalar scalar, int width);

/// Whether values of the type can be made and copied: no atomics, no runtime-sized arrays, no pointers or handles.
bool is_constructible(const TypePtr& type);
/// Whether the type may lie in storage and uniform memory.
bool is_host_shareable(const TypePtr& type);
/// Scalars in a value of a constructible type; saturates.
std::uint64_t component_count(const TypePtr& type);
/// The scalar at a flat position of a constructible type.
Scalar component_scalar(const TypePtr& type, std::uint64_t position);
/// Where a field's scalars begin in the flat list of the structure.
std::uint64_t component_offset(const StructType& type, std::uint32_t field);
/// How many arrays and structures are around the innermost scalar.
int nesting_depth(const TypePtr& type);
/// Types that a walk through the type meets; bounds structures of structures of structures.
std::uint64_t part_count(const TypePtr& type);
/// Whether an f16 occurs anywhere in the type.
bool holds_f16(const TypePtr& type);
bool holds_atomic(const TypePtr& type);
/// Whether a matrix of a subgroup occurs in the type; those are variables and values of functions alone.
bool holds_matrix(const TypePtr& type);

}  // namespace driftwood::shader::checking
