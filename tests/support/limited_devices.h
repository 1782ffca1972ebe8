// Devices made as small as a profile of tests/data/limits.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/limited_device.h"
#include "limits/limits_file.h"
#include "support/devices.h"

namespace driftwood::test {

inline const std::vector<std::string>& profiles() {
  static const std::vector<std::string> names = {"mobile-64", "mali-like", "intel-like", "webgpu-default"};
  return names;
}

/// "opencl:0/mobile-64": a device with a profile imposed on it, made once for the process; without a profile the device
/// itself. Null where there is no such device.
inline gpu::Device* limited_device(const std::string& id) {
  static auto& made = *new std::vector<std::pair<std::string, std::unique_ptr<gpu::Device>>>;
  for (const auto& [name, device] : made)
    if (name == id) return device.get();
  const std::size_t slash = id.find('/');
  gpu::Device* const large = device(id.substr(0, slash));
  if (slash == std::string::npos || large == nullptr) return large;
  const auto limits = limits::read_limits(DRIFTWOOD_TEST_DATA "/limits/" + id.substr(slash + 1) + ".json");
  const std::shared_ptr<gpu::Device> shared(large, [](gpu::Device*) {});
  return made.emplace_back(id, std::make_unique<gpu::LimitedDevice>(shared, limits)).second.get();
}

}  // namespace driftwood::test
