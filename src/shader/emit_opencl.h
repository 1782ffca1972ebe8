// OpenCL C from a virtualised, optimised module.
//
// Kernel arguments follow the resources in order of binding: `__global` pointers for buffers, images for textures.
// What the language cannot say portably (half arithmetic, subgroups, packed dot) is printed in the dialect that the
// device was found to compile.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shader/ir.h"

namespace driftwood::shader {

struct OpenClDialect {
  // None: lowered before (optimize.h). Khr: cl_khr_subgroups with cl_khr_subgroup_shuffle. Intel: cl_intel_subgroups.
  enum class Subgroups : std::uint8_t { None, Khr, NvidiaPtx, Intel };
  // None: plain arithmetic. Khr: cl_khr_integer_dot_product. Arm: cl_arm_integer_dot_product_int8.
  enum class PackedDot : std::uint8_t { None, Khr, NvidiaPtx, Arm };
  bool f16_arithmetic = false;  // else f16 exists only in memory, through vload_half and vstore_half
  bool f16_functions = false;   // halves also have convert_*, as_* and the builtins; else these go through float
  bool f16_pragma = true;       // print #pragma OPENCL EXTENSION cl_khr_fp16
  /// Halves in buffers are read and written as words and converted by PTX: vload_half and vstore_half take an access of
  /// two bytes for each there.
  bool f16_ptx = false;
  Subgroups subgroups = Subgroups::None;
  bool relative_shuffles = true;  // Khr: has cl_khr_subgroup_shuffle_relative
  /// An attribute for kernels that use subgroups, where the compiler would else choose their size kernel by kernel:
  /// "intel_reqd_sub_group_size(16)".
  std::string subgroup_attribute = {};
  PackedDot packed_dot = PackedDot::None;
  bool mixed_dot = false;  // Khr: dot4U8I8Packed too
  /// dot4U8I8Packed of sixteen words is one instruction of x86 processors (AVX-512 VNNI), by a builtin of clang. Only
  /// where bodies are separate: the instruction is switched on for a function, and must not be inlined into a kernel.
  bool wide_dot = false;
  bool matrices = false;  // subgroup matrices by PTX ldmatrix and mma
  bool pipeline = false;  // the pipeline of a workgroup by PTX bulk copies, barriers in memory and wgmma
  /// A kernel of one invocation a workgroup is printed as a function that is not inlined, and a kernel that calls it:
  /// for compilers that repeat a kernel's body (PoCL makes code for it three times).
  bool separate_bodies = false;
};

/// The name of the kernel in the program: the entry point's, with an underscore where OpenCL C has taken it.
std::string opencl_kernel_name(const Module& module);

/// The program source. Arguments of the kernel: its resources in order of binding, the lengths of arrays as uint
/// (array_length_arguments()), then for each resource that is no image where in its buffer it begins, as ulong, bytes.
std::string emit_opencl(const Module& module, const OpenClDialect& dialect = {});

/// A kernel as a function, for a program that runs several of them one after the other in workgroups that stay. Which
/// workgroup of its grid an invocation is in, and the workgroup's memory, are arguments; what the text calls but does
/// not define is for that program to say: get_local_id(dimension) and barrier(flags) as macros, the type stage_wait and
/// await_stage(wait), before which nothing is read that another kernel may have written, and nothing is written.
struct OpenClBody {
  std::string source;
  /// void FUNCTION(uint3 group, uint3 grid, stage_wait, then `__local MEMORY*` where it has workgroup memory, the
  /// resources as pointers, and lengths of arrays as uint).
  std::string function;
  std::string memory = {};                 // the type of its workgroup memory; empty: none
  std::vector<std::string> pointers = {};  // by binding, as declared, with @ for the name: "__global const uint* @"
  std::size_t lengths = 0;
  std::vector<bool> is_early = {};      // by binding: may be read before await_stage
  std::vector<std::string> names = {};  // all that the text defines at program scope
  std::array<std::uint32_t, 3> workgroup_size = {1, 1, 1};
  bool has_barriers = false;
};

/// Nothing for kernels with images or the pipeline of a workgroup, or with subgroups of a dialect whose builtins ask
/// the driver which subgroup they are in.
std::optional<OpenClBody> emit_opencl_body(const Module& module, const OpenClDialect& dialect);

}  // namespace driftwood::shader
