// What a device throws where a launch of several kernels ended early (Device::record_joined).
#pragma once

#include "base/error.h"

namespace driftwood::gpu {

/// The workgroups of a launch did not all run at once, and it ended without its results, as did what was submitted
/// after it. Later launches run a kernel each: doing the same again gives what was wanted.
class LaunchGaveUp : public DeviceLost {
 public:
  using DeviceLost::DeviceLost;
};

}  // namespace driftwood::gpu
