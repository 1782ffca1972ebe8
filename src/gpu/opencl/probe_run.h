// Probe kernels (gpu/probe_kernels.h) printed in a dialect of OpenCL C and run on a device.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/opencl/context.h"
#include "gpu/probe_kernels.h"
#include "shader/emit_opencl.h"

namespace driftwood::gpu::opencl {

/// What the kernel wrote, run by one workgroup; nothing where it does not compile or does not run.
std::optional<std::vector<std::uint32_t>> run_probe(const Context& context, const ProbeKernel& kernel,
                                                    const shader::OpenClDialect& dialect, const std::string& options);

/// Ways to say subgroups that a device's extensions promise, the better first; `sizes` are those that Intel's compiler
/// takes. Each is to be run before it is believed.
std::vector<shader::OpenClDialect> subgroup_candidates(const std::function<bool(std::string_view)>& has_extension,
                                                       std::span<const std::size_t> sizes);

}  // namespace driftwood::gpu::opencl
