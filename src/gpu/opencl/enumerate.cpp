#include <fmt/format.h>

#include <algorithm>

#include "gpu/opencl/facts.h"
#include "gpu/opencl/opencl_device.h"
#include "gpu/opencl/status.h"

namespace driftwood::gpu::opencl {

Enumeration enumerate(const LoaderOptions& options) {
  Drivers drivers = load_drivers(options);
  Enumeration result;
  result.failures = std::move(drivers.failures);
  for (const Platform& platform : drivers.platforms) {
    const Api& api = *platform.api;
    const auto fail = [&](std::string reason) {
      const std::string name = platform_text(api, platform.platform, CL_PLATFORM_NAME);
      result.failures.push_back({name.empty() ? platform.source : name, std::move(reason)});
    };
    cl_uint count = 0;
    cl_int status = api.clGetDeviceIDs(platform.platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
    if (status != CL_SUCCESS || count == 0) {
      fail(fmt::format("The platform has no device ({}).", status_name(status)));
      continue;
    }
    std::vector<cl_device_id> devices(count);
    status = api.clGetDeviceIDs(platform.platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr);
    if (status != CL_SUCCESS) {
      fail(fmt::format("The platform does not list its devices ({}).", status_name(status)));
      continue;
    }
    for (cl_device_id device : devices) {
      cl_bool is_available = CL_FALSE, has_compiler = CL_FALSE;
      api.clGetDeviceInfo(device, CL_DEVICE_AVAILABLE, sizeof is_available, &is_available, nullptr);
      api.clGetDeviceInfo(device, CL_DEVICE_COMPILER_AVAILABLE, sizeof has_compiler, &has_compiler, nullptr);
      const std::string name = device_text(api, device, CL_DEVICE_NAME);
      if (is_available != CL_TRUE || has_compiler != CL_TRUE) {
        fail(fmt::format("The device '{}' {}.", name,
                         is_available != CL_TRUE ? "is not available" : "has no compiler for OpenCL C"));
        continue;
      }
      result.devices.push_back({.id = {},
                                .name = name,
                                .is_cpu = is_cpu_device(api, device),
                                .device_class = device_class_of(api, device),
                                .platform = platform,
                                .device = device});
    }
  }
  std::stable_partition(result.devices.begin(), result.devices.end(), [](const FoundDevice& d) { return !d.is_cpu; });
  for (std::size_t i = 0; i < result.devices.size(); ++i) result.devices[i].id = fmt::format("opencl:{}", i);
  return result;
}

}  // namespace driftwood::gpu::opencl
