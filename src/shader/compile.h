// From kernel source to a module that a device takes: load and link imports, bind specialisation, check, virtualise,
// optimise.
//
//   shader::Specialization s;
//   s.overrides = {{"epsilon", 1e-5}, {"lanes", 64}};
//   s.aliases = {{"act", "f32"}};
//   s.tensors = {{"x", x_descriptor}, ...};
//   shader::Module module = shader::compile(library, "rms_norm", s, traits);
//
// Every stage is also callable alone (parser.h, linker.h, checker.h, virtualize.h, optimize.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "shader/ir.h"
#include "tensor/descriptor.h"

namespace driftwood::shader {

/// Values for what a kernel leaves open.
struct Specialization {
  std::map<std::string, double> overrides;           // `override lanes: u32;` (bool: 0 or 1)
  std::map<std::string, std::string> aliases;        // `alias act = f32;` gets another type
  std::map<std::string, TensorDescriptor> tensors;   // of `@tensor var`
  std::map<std::string, WeightsDescriptor> weights;  // of `@weights var`
  /// Fusion points: source text that replaces an `@fusion fn NAME` of the kernel; it may declare more tensors and
  /// helpers, whose bindings follow the kernel's own.
  std::map<std::string, std::string> fusions;
};

/// What the target can do; decides lowering (subgroup fallback, f16, packed dot).
struct TargetTraits {
  bool has_f16_arithmetic = false;
  bool has_subgroups = false;
  bool has_packed_dot = false;
  bool has_matrices = false;
  bool has_pipeline = false;  // stages and products of a workgroup are the device's own; else they are lowered
  std::uint32_t subgroup_size = 1;
};

/// Gives the source text of a module path such as "package::reduce" (kernels/reduce.wgsl), or nothing.
using SourceProvider = std::function<std::optional<SourceFile>(std::string_view module_path)>;

/// Compiles the file of `module_path`; its only entry point, or the one named `entry_point`.
/// Throws CompileError (shader/diagnostics.h), an InvalidInput whose message holds file:line:column, the source line
/// and a caret.
Module compile(const SourceProvider& sources, std::string_view module_path, const Specialization& specialization,
               const TargetTraits& traits, std::string_view entry_point = {});

}  // namespace driftwood::shader
