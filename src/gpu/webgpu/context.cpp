#include "gpu/webgpu/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "gpu/webgpu/matrix_configs.h"

namespace driftwood::gpu::webgpu {
namespace {

// WGSL's own bounds are those that the kernels keep to, and what the device writes is what it reads: the checks and
// zeroes that browsers need are left out.
constexpr std::array enabled_toggles = {"allow_unsafe_apis", "disable_robustness", "disable_workgroup_init",
                                        "use_vulkan_memory_model", "vulkan_enable_f16_on_nvidia"};
constexpr std::array disabled_toggles = {"lazy_clear_resource_on_first_use", "timestamp_quantization"};

std::vector<WGPUFeatureName> adapter_features(const Instance& instance, WGPUAdapter adapter) {
  WGPUSupportedFeatures features = {};
  instance.api().wgpuAdapterGetFeatures(adapter, &features);
  std::vector<WGPUFeatureName> result(features.features, features.features + features.featureCount);
  instance.api().wgpuSupportedFeaturesFreeMembers(features);
  return result;
}

bool has(const std::vector<WGPUFeatureName>& features, WGPUFeatureName feature) {
  return std::find(features.begin(), features.end(), feature) != features.end();
}

std::string cache_key(const Context& context, const void* key, std::size_t key_size) {
  return context.cache_key + std::string(static_cast<const char*>(key), key_size);
}

// A longer key is none: the library means another form of these functions.
constexpr std::size_t longest_key = 1u << 24;

// Asked twice: for the size, and with room for it.
std::size_t load_program(std::size_t key_size, const void* key, std::size_t value_size, void* value, void* context,
                         void*) {
  if (key_size > longest_key) return 0;
  const auto& mine = *static_cast<const Context*>(context);
  const auto kept = mine.cache.load(cache_key(mine, key, key_size));
  if (!kept) return 0;
  if (value != nullptr && value_size >= kept->size()) std::memcpy(value, kept->data(), kept->size());
  return kept->size();
}

void store_program(std::size_t key_size, const void* key, std::size_t value_size, const void* value, void* context,
                   void*) {
  if (key_size > longest_key) return;
  const auto& mine = *static_cast<const Context*>(context);
  mine.cache.store(cache_key(mine, key, key_size), {static_cast<const std::byte*>(value), value_size});
}

std::size_t load_early(const void* key, std::size_t key_size, void* value, std::size_t value_size, void* context) {
  return load_program(key_size, key, value_size, value, context, nullptr);
}

void store_early(const void* key, std::size_t key_size, const void* value, std::size_t value_size, void* context) {
  store_program(key_size, key, value_size, value, context, nullptr);
}

struct DeviceAnswer {
  bool done = false;
  WGPUDevice device = nullptr;
  std::string message;
};

void take_device(WGPURequestDeviceStatus status, WGPUDevice device, WGPUStringView message, void* answer, void*) {
  auto& result = *static_cast<DeviceAnswer*>(answer);
  if (status == WGPURequestDeviceStatus_Success) result.device = device;
  result.message = text_of(message);
  result.done = true;
}

void take_loss(WGPUDevice const*, WGPUDeviceLostReason reason, WGPUStringView message, void* reports, void*) {
  static_cast<DeviceReports*>(reports)->lose(reason, text_of(message));
}

void take_report(WGPUDevice const*, WGPUErrorType type, WGPUStringView message, void* reports, void*) {
  static_cast<DeviceReports*>(reports)->add(type, text_of(message));
}

// Whether the numbers are the library's: the number that texels of four floats would have is that of a format which
// takes what no depth format takes.
bool numbers_hold(const Context& context) {
  ErrorScope scope(*context.instance, context.device.get());
  WGPUTextureDescriptor descriptor = {};
  descriptor.usage = WGPUTextureUsage_StorageBinding | WGPUTextureUsage_TextureBinding;
  descriptor.dimension = WGPUTextureDimension_3D;
  descriptor.size = {1, 1, 1};
  descriptor.format = context.numbers->rgba32_float;
  descriptor.mipLevelCount = 1;
  descriptor.sampleCount = 1;
  const TextureHandle texture(context.shared_api(),
                              context.api().wgpuDeviceCreateTexture(context.device.get(), &descriptor));
  return scope.end().type == WGPUErrorType_NoError;
}

// Null, with the reason in `failure`, where the library refuses.
std::shared_ptr<Context> request_device(const Instance& instance, const AdapterRequest& request, const Numbers& numbers,
                                        const ProgramCache& cache, std::string& failure) {
  const Api& api = instance.api();
  const AdapterHandle adapter = instance.request(request, failure);
  if (!adapter) return nullptr;
  auto context = std::make_shared<Context>();
  context->instance = &instance;
  context->numbers = &numbers;
  context->info = adapter_info(instance, adapter.get(), numbers);
  context->reports = DeviceReports::make();

  RoomyLimits limits;
  std::memset(&limits, 0xFF, sizeof limits);  // not said, in what a library does not know
  limits.limits.nextInChain = nullptr;
  if (api.wgpuAdapterGetLimits(adapter.get(), &limits.limits) != WGPUStatus_Success) {
    failure = "the adapter does not tell its limits";
    return nullptr;
  }
  context->limits = limits.limits;

  const std::vector<WGPUFeatureName> offered = adapter_features(instance, adapter.get());
  std::vector<WGPUFeatureName> wanted;
  const auto want = [&](WGPUFeatureName feature) {
    const bool is_there = has(offered, feature);
    if (is_there) wanted.push_back(feature);
    return is_there;
  };
  Features& features = context->features;
  features.timestamps = want(numbers.timestamp_query);
  features.f16 = want(numbers.shader_f16);
  features.subgroups = want(numbers.subgroups);
  if (instance.library().kind == Library::Kind::WgpuNative && want(native_subgroups)) features.subgroups = true;
  if (instance.library().kind == Library::Kind::Dawn && context->info.has_matrices) {
    features.matrices = want(numbers.dawn_matrices);
  }

  DawnToggles toggles;
  toggles.enabled_count = enabled_toggles.size();
  toggles.enabled = enabled_toggles.data();
  toggles.disabled_count = disabled_toggles.size();
  toggles.disabled = disabled_toggles.data();
  DawnCache dawn_cache;
  EarlyDawnCache early_cache;
  context->cache = cache;
  context->cache_key = fmt::format("webgpu\n{}\n", instance.library().version);
  dawn_cache.load.callback = load_program;
  dawn_cache.store.callback = store_program;
  early_cache.load = load_early;
  early_cache.store = store_early;
  dawn_cache.load.user = dawn_cache.store.user = early_cache.user = context.get();
  WGPUDeviceDescriptor descriptor = {};
  if (instance.library().kind == Library::Kind::Dawn) {
    descriptor.nextInChain = &toggles.chain;
    if (cache.is_enabled()) {
      toggles.chain.next = instance.library().is_early ? &early_cache.chain : &dawn_cache.chain;
    }
  }
  descriptor.requiredFeatureCount = wanted.size();
  descriptor.requiredFeatures = wanted.data();
  descriptor.requiredLimits = &limits.limits;
  descriptor.deviceLostCallbackInfo.mode = WGPUCallbackMode_AllowSpontaneous;
  descriptor.deviceLostCallbackInfo.callback = take_loss;
  descriptor.deviceLostCallbackInfo.userdata1 = context->reports;
  descriptor.uncapturedErrorCallbackInfo.callback = take_report;
  descriptor.uncapturedErrorCallbackInfo.userdata1 = context->reports;

  auto answer = std::make_unique<DeviceAnswer>();
  WGPURequestDeviceCallbackInfo callback = {};
  callback.mode = instance.wait_mode();
  callback.callback = take_device;
  callback.userdata1 = answer.get();
  if (!instance.wait(api.wgpuAdapterRequestDevice(adapter.get(), &descriptor, callback), answer->done)) {
    answer.release();  // the answer may still come
    failure = "the library does not answer";
    return nullptr;
  }
  if (answer->device == nullptr) {
    failure = answer->message.empty() ? "the library gives no reason" : first_lines(answer->message);
    return nullptr;
  }
  context->device = DeviceHandle(context->shared_api(), answer->device);
  context->queue = QueueHandle(context->shared_api(), api.wgpuDeviceGetQueue(answer->device));
  return context;
}

struct DoneAnswer {
  bool done = false;
};

void take_done(WGPUQueueWorkDoneStatus, WGPUStringView, void* answer, void*) {
  static_cast<DoneAnswer*>(answer)->done = true;
}

}  // namespace

AdapterInfo adapter_info(const Instance& instance, WGPUAdapter adapter, const Numbers& numbers) {
  const Api& api = instance.api();
  const std::vector<WGPUFeatureName> features = adapter_features(instance, adapter);
  const bool is_dawn = instance.library().kind == Library::Kind::Dawn;
  DawnMemoryHeaps heaps;
  DawnMatrixConfigs matrices;
  WGPUAdapterInfo info = {};
  const auto chain = [&](WGPUChainedStruct& link) {
    link.next = info.nextInChain;
    info.nextInChain = &link;
  };
  if (is_dawn && has(features, numbers.dawn_memory_heaps)) chain(heaps.chain);
  if (is_dawn && has(features, numbers.dawn_matrices)) chain(matrices.chain);
  if (api.wgpuAdapterGetInfo(adapter, &info) != WGPUStatus_Success && info.nextInChain != nullptr) {
    info = {};  // it knows the extensions by other numbers
    heaps = {};
    matrices = {};
    api.wgpuAdapterGetInfo(adapter, &info);
  }
  AdapterInfo result;
  result.vendor = text_of(info.vendor);
  result.architecture = text_of(info.architecture);
  result.device = text_of(info.device);
  result.description = text_of(info.description);
  result.backend = info.backendType;
  result.type = info.adapterType;
  result.vendor_id = info.vendorID;
  result.device_id = info.deviceID;
  result.subgroup_min = info.subgroupMinSize;
  result.subgroup_max = info.subgroupMaxSize;
  for (std::size_t i = 0; i < heaps.count; ++i) {
    if ((heaps.heaps[i].properties & dawn_heap_is_device_local) != 0) {
      result.device_memory = std::max(result.device_memory, heaps.heaps[i].size);
    }
  }
  result.has_matrices = multiplies_our_matrices(matrices);
  // The lists of extensions stay with the process: the functions that free them are extensions too, and they are short.
  api.wgpuAdapterInfoFreeMembers(info);
  return result;
}

std::string adapter_name(const AdapterInfo& info) {
  if (!info.device.empty()) return info.device;
  if (!info.description.empty()) return info.description;
  return fmt::format("{:04x}:{:04x}", info.vendor_id, info.device_id);
}

Context::~Context() {
  if (!device) return;
  try {
    finish();  // a driver's thread may still read what goes with the device
  } catch (const Error&) {
    // Lost: nothing runs any more.
  }
  api().wgpuDeviceDestroy(device.get());
}

ShaderModuleHandle Context::make_module(std::string_view wgsl) const {
  WGPUShaderSourceWGSL source = {};
  source.chain.sType = WGPUSType_ShaderSourceWGSL;
  source.code = view_of(wgsl);
  WGPUShaderModuleDescriptor descriptor = {};
  descriptor.nextInChain = &source.chain;
  // wgpu-native's way to leave the checks of every access out.
  if (api().create_trusted_module != nullptr) {
    return {shared_api(), api().create_trusted_module(device.get(), &descriptor, 0)};
  }
  return {shared_api(), api().wgpuDeviceCreateShaderModule(device.get(), &descriptor)};
}

bool Context::compiles(std::string_view wgsl) const {
  ErrorScope scope(*instance, device.get());
  const ShaderModuleHandle module = make_module(wgsl);
  return scope.end().type == WGPUErrorType_NoError;
}

void Context::submit(WGPUCommandEncoder encoder) const {
  const CommandsHandle commands(shared_api(), api().wgpuCommandEncoderFinish(encoder, nullptr));
  const WGPUCommandBuffer buffer = commands.get();
  check();
  api().wgpuQueueSubmit(queue.get(), 1, &buffer);
  check();
}

void Context::finish() const {
  check();
  auto answer = std::make_unique<DoneAnswer>();
  WGPUQueueWorkDoneCallbackInfo callback = {};
  callback.mode = instance->wait_mode();
  callback.callback = take_done;
  callback.userdata1 = answer.get();
  if (!instance->wait(api().wgpuQueueOnSubmittedWorkDone(queue.get(), callback), answer->done, device.get())) {
    answer.release();  // the answer may still come
    check();
    throw DeviceLost("The device does not say when its work is done.");
  }
  check();
}

std::shared_ptr<Context> Context::open(const Instance& instance, const AdapterRequest& request, ProgramCache cache) {
  const Numbers* likely = instance.library().is_early ? &early_numbers : &standard_numbers;
  const Numbers* other = likely == &early_numbers ? &standard_numbers : &early_numbers;
  std::string failure;
  for (const Numbers* numbers : {likely, other}) {
    std::string reason;
    if (auto context = request_device(instance, request, *numbers, cache, reason)) {
      if (numbers_hold(*context)) return context;
      reason = "the numbers of its formats are unknown";
    }
    if (failure.empty()) failure = reason;
  }
  throw DeviceLost(fmt::format("{} gives no device: {}.", instance.library().version, failure));
}

}  // namespace driftwood::gpu::webgpu
