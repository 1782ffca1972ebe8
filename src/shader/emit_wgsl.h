// WGSL from a virtualised, optimised module.
//
// Resource i of the module is `@group(0) @binding(i)`: buffers are `var<storage>` or `var<uniform>`, images `texture_*`
// for reading and `texture_storage_*` for writing. A texel of four halves in a buffer is a vec4<f16>, or the two words
// that hold it where the device has no f16; a texel of four bytes is a word.
//
// The text is what Tint (Dawn) and naga (wgpu) both take; where they differ the dialect says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shader/ir.h"

namespace driftwood::shader {

struct WgslDialect {
  /// Who reads it. naga (wgpu) has the functions of subgroups, but takes neither the directive that enables them nor
  /// the filter of their uniformity, and its bitcast knows no f16.
  enum class Compiler : std::uint8_t { Tint, Naga };

  bool f16 = false;         // `enable f16`; else the module was lowered (optimize.h) and halves are only in memory
  bool subgroups = false;   // `enable subgroups`; else lowered before
  bool packed_dot = false;  // the language feature packed_4x8_integer_dot_product; else plain arithmetic
  /// Matrices of a subgroup: Tint's chromium_experimental_subgroup_matrix, naga's wgpu_cooperative_matrix. Dawn's
  /// device also needs allow_unsafe_apis, as Tint finds no proof that the barriers of attention are reached together,
  /// and is told not to look for one.
  bool matrices = false;
  /// Matrices are loaded from and stored to arrays of any elements (Tint since 2026, which then takes the order of
  /// their components as an argument of the function's template); else an array in workgroup memory holds matrices of
  /// one kind of component alone.
  bool untyped_matrix_memory = false;
  Compiler compiler = Compiler::Tint;
  /// The compiler writes the zeroes that WGSL promises in workgroup memory; else the entry point does, where a kernel
  /// could see them.
  bool zeroes_workgroup_memory = true;
};

/// How one resource is bound, where that changes the text.
struct WgslBinding {
  /// Declare the storage buffer as read_write though the kernel only reads it: another binding of the same dispatch
  /// writes to the same buffer, and WebGPU has no read-only use of it then.
  bool read_write = false;
  /// Index of the resource that is bound to exactly the same bytes: accesses go there, and this one has no binding.
  std::optional<std::uint32_t> alias = {};
};
/// In order of the module's resources; missing ones are as WgslBinding{}.
using WgslBindings = std::vector<WgslBinding>;

/// The name of the entry point: the kernel's, with an underscore where WGSL has taken it.
std::string wgsl_kernel_name(const Module& module);

/// Whether a Uniform resource is printed as `var<uniform>`. Where its layout is not one of that address space (an
/// array whose elements are no multiple of 16 bytes), it is a `var<storage, read>` and bound as such.
bool is_wgsl_uniform(const Resource& resource);

/// The program source. Throws Unsupported where WGSL has no way to say it (image buffers, vectors of 8 and 16, single
/// halves stored without f16), InvalidInput where the bindings do not fit the module.
std::string emit_wgsl(const Module& module, const WgslDialect& dialect = {}, const WgslBindings& bindings = {});

}  // namespace driftwood::shader
