// What a device is better used without: kernels that gave wrong numbers on it, and features behind several of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpu/device.h"

namespace driftwood::selftest {

struct Amendments {
  std::vector<std::string> kernels = {};   // rows of graph::kernel_rows()
  std::vector<std::string> features = {};  // names of features_of()

  bool empty() const { return kernels.empty() && features.empty(); }
  bool operator==(const Amendments&) const = default;
};

/// Features that the device has and kernels can do without, in the order in which they are given up: what the fewest
/// kernels need comes first. "matrices", "wide-dot", "packed-dot", "subgroups", "f16-arithmetic", "images", and last
/// the family of kernels: "kernels-for-cpus" or "kernels-for-gpus".
std::vector<std::string> features_of(const gpu::DeviceFacts& facts);

/// The facts without a feature; what builds on it goes too. Unknown names change nothing: a record may be of another
/// version.
void switch_off(gpu::DeviceFacts& facts, std::string_view feature);

gpu::DeviceFacts amended(gpu::DeviceFacts facts, const Amendments& amendments);

}  // namespace driftwood::selftest
