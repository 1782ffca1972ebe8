// The devices that tests run on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "gpu/reference/reference_device.h"
#include "gpu/registry.h"
#include "support/webgpu.h"
#if defined(DRIFTWOOD_METAL_CPU)
#include "support/metal_cpu/metal_cpu_device.h"
#endif

namespace driftwood::test {

/// A device opened once for the process (main.cpp), or null where there is none of that name. "webgpu:0" (Dawn) and
/// "webgpu:1" (wgpu-native) compute on the CPU where the machine's tests are not told otherwise. "reference-cpu" is the
/// interpreter with the kernels that CPUs get, "reference-pipeline" with those of devices that have the pipeline of a
/// workgroup; "metal-cpu" is Metal on the CPU, in the test programs that link it.
inline gpu::Device* device(const std::string& id) {
  static auto& opened = *new std::vector<std::pair<std::string, std::unique_ptr<gpu::Device>>>;
  prepare_webgpu();
  for (const auto& [name, device] : opened)
    if (name == id) return device.get();
  std::unique_ptr<gpu::Device> device;
  try {
#if defined(DRIFTWOOD_METAL_CPU)
    if (id == "metal-cpu") device = make_metal_cpu_device();
#endif
    if (device == nullptr) {
      device = id == "reference-cpu"        ? gpu::make_reference_device({.is_cpu = true})
               : id == "reference-pipeline" ? gpu::make_reference_device({.pipeline_memory = 224 << 10})
                                            : gpu::open_device(id);
    }
  } catch (const std::exception&) {
  }
  return opened.emplace_back(id, std::move(device)).second.get();
}

}  // namespace driftwood::test
