// An instance of a library and waiting for what the library promises: each library has its own way.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/webgpu/handle.h"
#include "gpu/webgpu/loader.h"

namespace driftwood::gpu::webgpu {

/// One of the adapters of an instance, found by asking for it in the same way again: a device takes its adapter with
/// it.
struct AdapterRequest {
  WGPUPowerPreference power = WGPUPowerPreference_Undefined;
  bool fallback = false;
  int listed = -1;  // place in wgpu-native's list instead
};

class Instance {
 public:
  /// The instance of a library: one for the process, which lives as long. A driver that is shut down takes its code
  /// from under the threads that it still has (SwiftShader does). Throws DeviceLost where the library makes no
  /// instance.
  static const Instance& of(const std::shared_ptr<const Library>& library);

  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  const Library& library() const { return *library_; }
  const Api& api() const { return library_->api; }
  /// The functions, kept with their library.
  std::shared_ptr<const Api> shared_api() const { return {library_, &library_->api}; }
  WGPUInstance get() const { return instance_.get(); }

  /// The ways in which this library's adapters are asked for; several may lead to the same one.
  std::vector<AdapterRequest> requests() const;
  /// Empty, with the reason in `failure`, where there is no such adapter.
  AdapterHandle request(const AdapterRequest& request, std::string& failure) const;

  /// The mode of callbacks that `wait` waits for.
  WGPUCallbackMode wait_mode() const {
    return has_timed_wait_ ? WGPUCallbackMode_WaitAnyOnly : WGPUCallbackMode_AllowProcessEvents;
  }
  /// Returns when the callback of `future` has set `done`. `device`: the one it belongs to, null for none. False where
  /// the library gives up.
  bool wait(WGPUFuture future, const bool& done, WGPUDevice device = nullptr) const;

 private:
  explicit Instance(std::shared_ptr<const Library> library);

  std::shared_ptr<const Library> library_;
  InstanceHandle instance_;
  bool has_timed_wait_ = false;
};

}  // namespace driftwood::gpu::webgpu
