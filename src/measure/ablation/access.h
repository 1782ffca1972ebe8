// Virtualised access against addresses written by hand: the same kernel both ways on the same tensors.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "measure/interleave.h"

namespace driftwood::measure {

struct AccessSettings {
  TurnSettings turns = {};
  /// Small tensors, for tests.
  bool is_small = false;
  /// Called with each comparison when it is done.
  std::function<void(const Comparison&)> done = {};
  /// Called with a sentence for a kind of storage that is not measured.
  std::function<void(const std::string&)> skipped = {};
};

/// Compares every kernel for every kind of storage that the device has; on = virtualised. `device` is one of OpenCL or
/// WebGPU as the registry opens it; others are skipped. Throws InternalError where the two kernels' results differ.
std::vector<Comparison> compare_access(gpu::Device& device, const AccessSettings& settings);

}  // namespace driftwood::measure
