// The devices that tests run on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "gpu/reference/reference_device.h"
#include "gpu/registry.h"

namespace driftwood::test {

/// A device opened once for the process, or null where there is none of that name. "reference-cpu" is the interpreter
/// with the kernels that CPUs get.
inline gpu::Device* device(const std::string& id) {
  static std::vector<std::pair<std::string, std::unique_ptr<gpu::Device>>> opened;
  for (const auto& [name, device] : opened)
    if (name == id) return device.get();
  std::unique_ptr<gpu::Device> device;
  try {
    device = id == "reference-cpu" ? gpu::make_reference_device({.is_cpu = true}) : gpu::open_device(id);
  } catch (const std::exception&) {
  }
  return opened.emplace_back(id, std::move(device)).second.get();
}

}  // namespace driftwood::test
