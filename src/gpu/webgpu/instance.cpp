#include "gpu/webgpu/instance.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <limits>
#include <mutex>
#include <thread>

#include "base/error.h"

namespace driftwood::gpu::webgpu {
namespace {

// What is not there after this many rounds of an idle device never comes.
constexpr int idle_rounds = 1000;

struct AdapterAnswer {
  bool done = false;
  WGPUAdapter adapter = nullptr;
  std::string message;
};

void take_adapter(WGPURequestAdapterStatus status, WGPUAdapter adapter, WGPUStringView message, void* answer, void*) {
  auto& result = *static_cast<AdapterAnswer*>(answer);
  if (status == WGPURequestAdapterStatus_Success) result.adapter = adapter;
  result.message = text_of(message);
  result.done = true;
}

}  // namespace

const Instance& Instance::of(const std::shared_ptr<const Library>& library) {
  static std::mutex mutex;
  static auto* instances = new std::vector<std::unique_ptr<const Instance>>;  // never destroyed
  const std::lock_guard lock(mutex);
  for (const auto& instance : *instances) {
    if (instance->api().wgpuCreateInstance == library->api.wgpuCreateInstance) return *instance;
  }
  instances->push_back(std::unique_ptr<const Instance>(new Instance(library)));
  return *instances->back();
}

Instance::Instance(std::shared_ptr<const Library> library) : library_(std::move(library)) {
  const Api& api = library_->api;
  if (library_->is_early) {
    EarlyInstanceDescriptor descriptor{.timed_wait_any = 1, .timed_wait_any_count = 1};
    instance_ = InstanceHandle(shared_api(),
                               api.wgpuCreateInstance(reinterpret_cast<const WGPUInstanceDescriptor*>(&descriptor)));
    has_timed_wait_ = static_cast<bool>(instance_);
  } else if (library_->kind == Library::Kind::Dawn) {
    const std::array features = {WGPUInstanceFeatureName_TimedWaitAny};
    WGPUInstanceDescriptor descriptor = {};
    descriptor.requiredFeatureCount = features.size();
    descriptor.requiredFeatures = features.data();
    instance_ = InstanceHandle(shared_api(), api.wgpuCreateInstance(&descriptor));
    has_timed_wait_ = static_cast<bool>(instance_);
  }
  if (library_->kind == Library::Kind::WgpuNative) {
    NativeInstanceExtras extras;  // OpenGL is of no use, and takes long to open
    extras.backends = native_backends;
    WGPUInstanceDescriptor descriptor = {};
    descriptor.nextInChain = &extras.chain;
    instance_ = InstanceHandle(shared_api(), api.wgpuCreateInstance(&descriptor));
  }
  has_timed_wait_ = has_timed_wait_ && api.wgpuInstanceWaitAny != nullptr;
  if (!instance_) instance_ = InstanceHandle(shared_api(), api.wgpuCreateInstance(nullptr));
  if (!instance_) throw DeviceLost(fmt::format("The WebGPU library {} makes no instance.", library_->source));
}

std::vector<AdapterRequest> Instance::requests() const {
  std::vector<AdapterRequest> result;
  if (api().enumerate_adapters != nullptr) {
    const NativeAdapterOptions options{.backends = native_backends};
    const std::size_t count = api().enumerate_adapters(get(), &options, nullptr);
    for (std::size_t i = 0; i < count; ++i) result.push_back({.listed = static_cast<int>(i)});
    return result;
  }
  result.push_back({.power = WGPUPowerPreference_HighPerformance});
  result.push_back({.power = WGPUPowerPreference_LowPower});
  result.push_back({.fallback = true});
  return result;
}

AdapterHandle Instance::request(const AdapterRequest& request, std::string& failure) const {
  if (request.listed >= 0) {
    const NativeAdapterOptions options{.backends = native_backends};
    std::vector<WGPUAdapter> adapters(api().enumerate_adapters(get(), &options, nullptr));
    adapters.resize(api().enumerate_adapters(get(), &options, adapters.data()));
    AdapterHandle result;
    for (std::size_t i = 0; i < adapters.size(); ++i) {
      AdapterHandle adapter(shared_api(), adapters[i]);
      if (i == static_cast<std::size_t>(request.listed)) result = std::move(adapter);
    }
    if (!result) failure = "it is not listed any more";
    return result;
  }
  DawnToggles toggles;
  toggles.enabled_count = dawn_adapter_toggles.size();
  toggles.enabled = dawn_adapter_toggles.data();
  WGPURequestAdapterOptions options = {};
  if (library_->kind == Library::Kind::Dawn) options.nextInChain = &toggles.chain;
  options.featureLevel = WGPUFeatureLevel_Core;
  options.powerPreference = request.power;
  options.forceFallbackAdapter = request.fallback ? 1 : 0;
  auto answer = std::make_unique<AdapterAnswer>();
  WGPURequestAdapterCallbackInfo callback = {};
  callback.mode = wait_mode();
  callback.callback = take_adapter;
  callback.userdata1 = answer.get();
  if (!wait(api().wgpuInstanceRequestAdapter(get(), &options, callback), answer->done)) {
    answer.release();  // the answer may still come
    failure = "the library does not answer";
    return {};
  }
  if (answer->adapter == nullptr) failure = answer->message.empty() ? "the library gives no reason" : answer->message;
  return {shared_api(), answer->adapter};
}

bool Instance::wait(WGPUFuture future, const bool& done, WGPUDevice device) const {
  if (has_timed_wait_) {
    while (!done) {
      WGPUFutureWaitInfo info = {};
      info.future = future;
      const WGPUWaitStatus status =
          api().wgpuInstanceWaitAny(get(), 1, &info, std::numeric_limits<std::uint64_t>::max());
      if (!done && status != WGPUWaitStatus_TimedOut) return false;
    }
    return true;
  }
  for (int idle = 0; !done; ++idle) {
    if (idle == idle_rounds) return false;
    if (device != nullptr && api().poll != nullptr) {
      api().poll(device, 1, nullptr);  // waits for the queue
    }
    api().wgpuInstanceProcessEvents(get());
    if (!done && (device == nullptr || api().poll == nullptr)) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      if (device != nullptr) idle = 0;  // as long as the work takes
    }
  }
  return true;
}

}  // namespace driftwood::gpu::webgpu
