// One device opened for work: its context, its in-order queue and the count of what is allocated. Memory, kernels and
// recordings share it, so that they may outlive the Device object.
#pragma once

#include <cstdint>
#include <memory>

#include "gpu/opencl/handle.h"
#include "gpu/opencl/view_pool.h"

namespace driftwood::gpu::opencl {

struct Context {
  std::shared_ptr<const Api> api;
  cl_device_id device = nullptr;
  ContextHandle context;
  QueueHandle queue;
  std::uint64_t allocated = 0;  // bytes
  bool keeps_views = false;     // buffers with sub-buffers go to the pool instead of being released
  ViewPool pool;

  /// Throws DeviceLost or OutOfMemory where the driver refuses.
  static std::shared_ptr<Context> open(const std::shared_ptr<const Api>& api, cl_platform_id platform,
                                       cl_device_id device);
};

}  // namespace driftwood::gpu::opencl
