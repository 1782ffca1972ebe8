// Small kernels that say whether a feature of a device is what its facts say: the subgroups, arithmetic in halves, the
// dot product of packed bytes. Each computes numbers that are exact in any order of operations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpu/device.h"

namespace driftwood::selftest {

struct ProbeFinding {
  std::string feature;  // a name of features_of()
  std::string fault;    // what is wrong, in a sentence; empty where nothing is
};

/// One for each feature that the facts have and a probe is there for, in the order of features_of(). Throws DeviceLost;
/// any other error of the device is a fault of the feature.
std::vector<ProbeFinding> probe_features(gpu::Device& device);

}  // namespace driftwood::selftest
