#include <fmt/format.h>

#include <set>
#include <tuple>

#include "base/error.h"
#include "gpu/webgpu/facts.h"
#include "gpu/webgpu/vulkan_check.h"
#include "gpu/webgpu/webgpu_device.h"

namespace driftwood::gpu::webgpu {
namespace {

void add_devices(const Instance& instance, Enumeration& result) {
  const Numbers& numbers = instance.library().is_early ? early_numbers : standard_numbers;
  std::set<std::tuple<WGPUBackendType, std::uint32_t, std::uint32_t, std::string>> known;
  std::string failure;
  bool is_any = false;
  for (const AdapterRequest& request : instance.requests()) {
    std::string reason;
    const AdapterHandle adapter = instance.request(request, reason);
    if (!adapter) {
      if (failure.empty()) failure = reason;
      continue;
    }
    is_any = true;
    const AdapterInfo info = adapter_info(instance, adapter.get(), numbers);
    // Ways of asking lead to the same adapter; entries of a list are each their own.
    const bool is_new = known.insert({info.backend, info.vendor_id, info.device_id, info.device}).second;
    if (request.listed < 0 && !is_new) continue;
    result.devices.push_back({.id = {},
                              .name = adapter_name(info),
                              .device_class = class_of(info),
                              .instance = &instance,
                              .request = request});
  }
  if (!is_any) {
    result.failures.push_back(
        {instance.library().source, fmt::format("{} finds no adapter: {}.", instance.library().version,
                                                failure.empty() ? "none is listed" : failure)});
  }
}

}  // namespace

Enumeration enumerate(const LoaderOptions& options) {
  Libraries libraries = load_libraries(options);
  Enumeration result;
  result.failures = std::move(libraries.failures);
  // On this system both libraries compute through Vulkan.
  const std::string fault = libraries.libraries.empty() ? std::string() : vulkan_fault();
  for (const auto& library : libraries.libraries) {
    if (!fault.empty() && library->kind != Library::Kind::Other) {
      result.failures.push_back({library->source, fmt::format("{} finds no adapter: {}.", library->version, fault)});
      continue;
    }
    try {
      add_devices(Instance::of(library), result);
    } catch (const Error& error) {
      result.failures.push_back({library->source, error.message()});
    }
  }
  for (std::size_t i = 0; i < result.devices.size(); ++i) result.devices[i].id = fmt::format("webgpu:{}", i);
  return result;
}

}  // namespace driftwood::gpu::webgpu
