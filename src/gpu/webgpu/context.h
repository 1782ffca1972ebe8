// One device opened for work: its queue, what is reported of it and the count of what is allocated. Memory, kernels and
// recordings share it, so that they may outlive the Device object.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gpu/program_cache.h"
#include "gpu/webgpu/errors.h"
#include "gpu/webgpu/numbers.h"

namespace driftwood::gpu::webgpu {

/// What an adapter says of itself.
struct AdapterInfo {
  std::string vendor, architecture, device, description;
  WGPUBackendType backend = WGPUBackendType_Undefined;
  WGPUAdapterType type = WGPUAdapterType_Unknown;
  std::uint32_t vendor_id = 0, device_id = 0;
  std::uint32_t subgroup_min = 0, subgroup_max = 0;
  std::uint64_t device_memory = 0;  // bytes of its largest heap of its own; 0: not said
  bool has_matrices = false;        // multiplies 16 x 16 of f16, summed in f32
};

/// `numbers`: those of the library, for what the adapter's features are.
AdapterInfo adapter_info(const Instance& instance, WGPUAdapter adapter, const Numbers& numbers);

/// The name to show for an adapter.
std::string adapter_name(const AdapterInfo& info);

/// Features that were asked for and given.
struct Features {
  bool timestamps = false, f16 = false, subgroups = false, matrices = false;
};

struct Context {
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();

  const Instance* instance = nullptr;
  const Numbers* numbers = nullptr;
  AdapterInfo info;
  Features features;
  WGPULimits limits = {};
  DeviceReports* reports = nullptr;
  std::string cache_key;  // of this library; the library adds driver and device
  ProgramCache cache = ProgramCache({});
  DeviceHandle device;
  QueueHandle queue;
  std::uint64_t allocated = 0;  // bytes

  const Api& api() const { return instance->api(); }
  std::shared_ptr<const Api> shared_api() const { return instance->shared_api(); }

  /// Throws what was reported since the last check.
  void check() const { reports->check(); }
  /// Whether a module of WGSL compiles.
  bool compiles(std::string_view wgsl) const;
  /// A module of WGSL. To be called in an error scope.
  ShaderModuleHandle make_module(std::string_view wgsl) const;
  void submit(WGPUCommandEncoder encoder) const;
  /// Waits until everything submitted has run.
  void finish() const;

  /// Asks for all that the adapter has. Throws DeviceLost or Unsupported where the library refuses.
  /// Dawn keeps what its compilers make in `cache`.
  static std::shared_ptr<Context> open(const Instance& instance, const AdapterRequest& request, ProgramCache cache);
};

}  // namespace driftwood::gpu::webgpu
