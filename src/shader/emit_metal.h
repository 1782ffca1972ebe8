// The Metal Shading Language (3.0) from a virtualised, optimised module.
//
// Resource i of the module is `[[buffer(i)]]`, or `[[texture(i)]]` where it is an image. The lengths of runtime-sized
// arrays whose arrayLength is asked for come, in the order of array_length_arguments(), as
// `constant uint* [[buffer(30)]]`. f16 is native half, so modules are best compiled for a target with f16 arithmetic.
// The host compiles with fast math off: the code relies on infinities, NaN and the order of operations as written.
#pragma once

#include <cstdint>
#include <string>

#include "shader/ir.h"

namespace driftwood::shader {

struct MetalDialect {
  bool simdgroups = true;          // the simd_* functions; else subgroups are lowered before (optimize.h)
  bool simdgroup_matrices = true;  // simdgroup_matrix of 8 by 8, of which a matrix takes four
};

/// Where the kernel finds the lengths of its runtime-sized arrays.
constexpr std::uint32_t metal_lengths_buffer = 30;

/// The name of the kernel in the library: the entry point's, with an underscore where Metal has taken it.
std::string metal_kernel_name(const Module& module);

/// The program source. Throws Unsupported for what Metal has not (vectors of 8 or 16, images both read and written).
std::string emit_metal(const Module& module, const MetalDialect& dialect = {});

}  // namespace driftwood::shader
