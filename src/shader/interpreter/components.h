// Types as flat lists of scalar components: what a register run holds, and where each lies in memory.
#pragma once

#include <cstdint>
#include <functional>

#include "shader/interpreter/instruction.h"
#include "shader/types.h"

namespace driftwood::shader::interpreter {

/// Scalar components of a type; a runtime-sized array counts one element.
std::uint64_t component_count(const TypePtr& type);

/// Components that come before a field.
std::uint32_t component_offset(const StructType& type, std::uint32_t field);

/// Bytes between elements of an array in storage and uniform memory.
std::uint32_t array_stride(const TypePtr& element);

/// Calls run(byte offset, element, count) for each scalar or vector of a type laid out by WGSL's rules, in order of
/// components.
void for_each_run(const TypePtr& type, std::uint32_t offset,
                  const std::function<void(std::uint32_t, Element, std::uint32_t)>& run);

/// Calls f(scalar) for each component in order; arrays give one element's components `count` times.
void for_each_scalar(const TypePtr& type, const std::function<void(Scalar)>& f);

/// Bytes that a binding must have at least: the whole type, with one element of a runtime-sized array.
std::uint64_t min_binding_size(const TypePtr& type);

/// Whether single f16 values lie in it, so that neighbours share a 32-bit word.
bool has_single_halves(const TypePtr& type);

}  // namespace driftwood::shader::interpreter
