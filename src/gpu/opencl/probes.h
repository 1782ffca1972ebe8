// Facts that a device answers only by experiment: small programs are compiled, and what compiles is there. Results are
// kept in the program cache, as a compiler may need a tenth of a second for each.
#pragma once

#include <optional>
#include <string>

#include "gpu/device.h"
#include "gpu/opencl/context.h"
#include "gpu/program_cache.h"
#include "shader/emit_opencl.h"

namespace driftwood::gpu::opencl {

struct ProbeResults {
  shader::OpenClDialect dialect;
  std::uint32_t subgroup_size = 1;
  std::uint64_t pipeline_memory = 0;       // see DeviceFacts; not 0 where the dialect has the pipeline
  std::string language = "-cl-std=CL1.2";  // the build option under which the dialect compiles
  bool keeps_binaries = true;              // see BuildSettings
};

/// `device_key` names device and driver. Never throws for a probe that fails: the fact is then false.
ProbeResults probe(const Context& context, const std::string& device_key, const ProgramCache& cache);

/// The results as kept in the cache, and back; nothing where the text is of another version.
std::string to_text(const ProbeResults& results);
std::optional<ProbeResults> probe_results_from_text(const std::string& text);

}  // namespace driftwood::gpu::opencl
