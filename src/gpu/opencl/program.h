// A built OpenCL program, from the program cache where that serves.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "gpu/opencl/context.h"
#include "gpu/program_cache.h"

namespace driftwood::gpu::opencl {

/// How programs are built on one device.
struct BuildSettings {
  std::string device_key;  // device, driver and platform version
  /// OpenCL C as it comes: contraction of a * b + c to fma within an expression is allowed (its default), nothing that
  /// gives up NaN, infinity or accuracy is.
  std::string options = "-cl-std=CL1.2";
  /// Whether the binaries of built programs are worth keeping. Some drivers answer for one by compiling once more and
  /// keep kernels on disk themselves (probes.h): there, what is kept is the compiled program before it is linked.
  bool keeps_binaries = true;
};

/// The key under which the program cache holds what is kept of a program.
std::string program_key(const BuildSettings& settings, std::string_view source);

/// Throws InternalError with the first lines of the build log where the source does not compile.
ProgramHandle build_program(const Context& context, const BuildSettings& settings, const ProgramCache& cache,
                            const std::string& source, std::string_view name);

/// Builds from source alone; a null handle and the log where that fails.
struct BuildResult {
  ProgramHandle program;
  cl_int status = CL_SUCCESS;
  std::string log;
  std::vector<std::byte> edited;  // the binary where it was edited (ptx_edit.h): what the program was made of
};
BuildResult build_source(const Context& context, const std::string& source, const std::string& options);

/// The program's binary; empty where the driver gives none.
std::vector<std::byte> program_binary(const Context& context, cl_program program);

}  // namespace driftwood::gpu::opencl
