// WebGPU's C interface: the types of the standard webgpu.h, and the few extensions of the two libraries that are used,
// which their own headers would give. Nothing links against a library: loader.h fills in the functions.
#pragma once

#include <webgpu.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace driftwood::gpu::webgpu {

// X(name): functions that every library must have.
// clang-format off
#define DRIFTWOOD_WEBGPU_FUNCTIONS(X)                                                                             \
  X(wgpuCreateInstance) X(wgpuInstanceRequestAdapter) X(wgpuInstanceProcessEvents) X(wgpuInstanceRelease)         \
  X(wgpuAdapterGetFeatures) X(wgpuAdapterGetInfo) X(wgpuAdapterGetLimits) X(wgpuAdapterRequestDevice)             \
  X(wgpuAdapterRelease) X(wgpuAdapterInfoFreeMembers) X(wgpuSupportedFeaturesFreeMembers)                         \
  X(wgpuDeviceCreateBindGroup) X(wgpuDeviceCreateBindGroupLayout) X(wgpuDeviceCreateBuffer)                       \
  X(wgpuDeviceCreateCommandEncoder) X(wgpuDeviceCreateComputePipeline) X(wgpuDeviceCreatePipelineLayout)          \
  X(wgpuDeviceCreateQuerySet) X(wgpuDeviceCreateShaderModule) X(wgpuDeviceCreateTexture) X(wgpuDeviceDestroy)     \
  X(wgpuDeviceGetQueue) X(wgpuDevicePopErrorScope) X(wgpuDevicePushErrorScope) X(wgpuDeviceRelease)               \
  X(wgpuQueueOnSubmittedWorkDone) X(wgpuQueueSubmit) X(wgpuQueueWriteBuffer) X(wgpuQueueWriteTexture)             \
  X(wgpuQueueRelease) X(wgpuBufferDestroy) X(wgpuBufferGetConstMappedRange) X(wgpuBufferGetMappedRange)           \
  X(wgpuBufferMapAsync) X(wgpuBufferUnmap) X(wgpuBufferRelease) X(wgpuTextureCreateView) X(wgpuTextureDestroy)    \
  X(wgpuTextureRelease) X(wgpuTextureViewRelease) X(wgpuCommandEncoderBeginComputePass)                           \
  X(wgpuCommandEncoderClearBuffer) X(wgpuCommandEncoderCopyBufferToBuffer)                                        \
  X(wgpuCommandEncoderCopyTextureToBuffer) X(wgpuCommandEncoderFinish) X(wgpuCommandEncoderResolveQuerySet)       \
  X(wgpuCommandEncoderRelease) X(wgpuCommandBufferRelease) X(wgpuComputePassEncoderDispatchWorkgroups)            \
  X(wgpuComputePassEncoderEnd) X(wgpuComputePassEncoderSetBindGroup) X(wgpuComputePassEncoderSetPipeline)         \
  X(wgpuComputePassEncoderRelease) X(wgpuComputePipelineRelease) X(wgpuBindGroupRelease)                          \
  X(wgpuBindGroupLayoutRelease) X(wgpuPipelineLayoutRelease) X(wgpuShaderModuleRelease) X(wgpuQuerySetRelease)
// Functions of the standard that a library may lack, or has without a body.
#define DRIFTWOOD_WEBGPU_OPTIONAL_FUNCTIONS(X) X(wgpuInstanceWaitAny) X(wgpuInstanceHasWGSLLanguageFeature)
// clang-format on

/// Which APIs wgpu-native opens; what follows has grown over time and is 0 for all of it.
struct NativeInstanceExtras {
  WGPUChainedStruct chain = {nullptr, static_cast<WGPUSType>(0x00030004)};
  WGPUFlags backends = 0;
  WGPUFlags flags = 0;
  std::uint64_t more[32] = {};
};
/// Which adapters wgpu-native lists.
struct NativeAdapterOptions {
  const WGPUChainedStruct* next = nullptr;
  WGPUFlags backends = 0;
};
constexpr auto native_subgroups = static_cast<WGPUFeatureName>(0x00030021);
constexpr WGPUFlags native_backends = 1u << 0 | 1u << 2 | 1u << 3;  // Vulkan, Metal, DX12

/// Dawn's switches by name, for an adapter or a device.
struct DawnToggles {
  WGPUChainedStruct chain = {nullptr, static_cast<WGPUSType>(0x0005000A)};
  std::size_t enabled_count = 0;
  const char* const* enabled = nullptr;
  std::size_t disabled_count = 0;
  const char* const* disabled = nullptr;
};

/// Switches without which Dawn's adapters hide what they have: matrices of a subgroup are experimental and need
/// Vulkan's memory model, and f16 is held back on NVIDIA's GPUs for the sake of its conformance tests
/// (crbug.com/42251215; the fast self-test looks at ours). A library that lacks one of them passes over it.
inline constexpr std::array dawn_adapter_toggles = {"allow_unsafe_apis", "use_vulkan_memory_model",
                                                    "vulkan_enable_f16_on_nvidia"};

/// Where Dawn keeps what its compilers made.
struct DawnCache {
  WGPUChainedStruct chain = {nullptr, static_cast<WGPUSType>(0x00050007)};
  WGPUStringView isolation_key = {nullptr, 0};
  struct {
    const WGPUChainedStruct* next = nullptr;
    std::size_t (*callback)(std::size_t key_size, const void* key, std::size_t value_size, void* value, void* user,
                            void* more) = nullptr;
    void *user = nullptr, *more = nullptr;
  } load;
  struct {
    const WGPUChainedStruct* next = nullptr;
    void (*callback)(std::size_t key_size, const void* key, std::size_t value_size, const void* value, void* user,
                     void* more) = nullptr;
    void *user = nullptr, *more = nullptr;
  } store;
};
/// The same before webgpu.h lists features of an instance.
struct EarlyDawnCache {
  WGPUChainedStruct chain = {nullptr, static_cast<WGPUSType>(0x00050007)};
  WGPUStringView isolation_key = {nullptr, 0};
  std::size_t (*load)(const void* key, std::size_t key_size, void* value, std::size_t value_size, void* user) = nullptr;
  void (*store)(const void* key, std::size_t key_size, const void* value, std::size_t value_size, void* user) = nullptr;
  void* user = nullptr;
};

struct DawnMemoryHeap {
  std::uint64_t properties = 0;
  std::uint64_t size = 0;
};
constexpr std::uint64_t dawn_heap_is_device_local = 1;
/// Chained into WGPUAdapterInfo: the heaps of an adapter's memory.
struct DawnMemoryHeaps {
  WGPUChainedStruct chain = {nullptr, static_cast<WGPUSType>(0x00050013)};
  std::size_t count = 0;
  const DawnMemoryHeap* heaps = nullptr;
};

/// Chained into WGPUAdapterInfo: the matrices of a subgroup that an adapter multiplies (matrix_configs.h).
struct DawnMatrixConfigs {
  WGPUChainedStruct chain = {nullptr, static_cast<WGPUSType>(0x0005003B)};
  std::size_t count = 0;
  const std::uint32_t* words = nullptr;
};

/// The instance's descriptor before webgpu.h lists features in it.
struct EarlyInstanceDescriptor {
  const WGPUChainedStruct* next = nullptr;
  const WGPUChainedStruct* capabilities_next = nullptr;
  WGPUBool timed_wait_any = 0;
  std::size_t timed_wait_any_count = 0;
};

/// Limits with room behind: a library whose WGPULimits is longer writes there, and gets it back as it was.
struct RoomyLimits {
  WGPULimits limits;
  std::uint32_t more[32];
};

/// Function pointers of one library.
struct Api {
#define DRIFTWOOD_MEMBER(name) decltype(&::name) name = nullptr;
  DRIFTWOOD_WEBGPU_FUNCTIONS(DRIFTWOOD_MEMBER)
  DRIFTWOOD_WEBGPU_OPTIONAL_FUNCTIONS(DRIFTWOOD_MEMBER)
#undef DRIFTWOOD_MEMBER
  // wgpu-native's own.
  std::uint32_t (*get_version)() = nullptr;
  WGPUBool (*poll)(WGPUDevice device, WGPUBool wait, const std::uint64_t* submission) = nullptr;
  std::size_t (*enumerate_adapters)(WGPUInstance instance, const NativeAdapterOptions* options,
                                    WGPUAdapter* adapters) = nullptr;
  WGPUShaderModule (*create_trusted_module)(WGPUDevice device, const WGPUShaderModuleDescriptor* descriptor,
                                            WGPUFlags checks) = nullptr;
  float (*timestamp_period)(WGPUQueue queue) = nullptr;
  // Dawn's own.
  void (*tick)(WGPUDevice device) = nullptr;
  void (*force_loss)(WGPUDevice device, WGPUDeviceLostReason reason, WGPUStringView message) = nullptr;
};

inline std::string text_of(WGPUStringView view) {
  if (view.data == nullptr) return {};
  return view.length == WGPU_STRLEN ? std::string(view.data) : std::string(view.data, view.length);
}
inline WGPUStringView view_of(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace driftwood::gpu::webgpu
