#include "gpu/back_end.h"
#ifdef DRIFTWOOD_METAL
#include "gpu/metal/metal_device.h"
#endif
#include "gpu/opencl/opencl_device.h"
#include "gpu/reference/reference_device.h"
#ifdef DRIFTWOOD_WEBGPU
#include "gpu/webgpu/webgpu_device.h"
#endif

namespace driftwood::gpu {
namespace {

BackEndDevices opencl_devices() {
  const opencl::Enumeration found = opencl::enumerate();
  BackEndDevices result;
  for (const opencl::FoundDevice& device : found.devices) {
    result.devices.push_back(
        {.id = device.id, .name = device.name, .device_class = device.device_class, .open = [device] {
           return std::make_unique<opencl::OpenClDevice>(device);
         }});
  }
  for (const opencl::DriverFailure& failure : found.failures)
    result.failures.push_back({failure.source, failure.reason});
  return result;
}

#ifdef DRIFTWOOD_METAL
BackEndDevices metal_devices() {
  const metal::Enumeration found = metal::enumerate();
  BackEndDevices result;
  for (const metal::FoundDevice& device : found.devices) {
    result.devices.push_back(
        {.id = device.id, .name = device.name, .device_class = device.device_class, .open = [device] {
           return std::make_unique<metal::MetalDevice>(device);
         }});
  }
  for (const metal::DriverFailure& failure : found.failures)
    result.failures.push_back({failure.source, failure.reason});
  return result;
}
#endif

#ifdef DRIFTWOOD_WEBGPU
BackEndDevices webgpu_devices() {
  const webgpu::Enumeration found = webgpu::enumerate();
  BackEndDevices result;
  for (const webgpu::FoundDevice& device : found.devices) {
    result.devices.push_back(
        {.id = device.id, .name = device.name, .device_class = device.device_class, .open = [device] {
           return std::make_unique<webgpu::WebGpuDevice>(device);
         }});
  }
  for (const webgpu::DriverFailure& failure : found.failures)
    result.failures.push_back({failure.source, failure.reason});
  return result;
}
#endif

BackEndDevices reference_devices() {
  return {.devices = {{.id = "reference",
                       .name = "Driftwood reference interpreter",
                       .device_class = DeviceClass::Reference,
                       .open = [] { return make_reference_device(); }}}};
}

}  // namespace

// OpenCL comes before what stands on Vulkan: it reaches NVIDIA's matrix units, images of every kind and buffers of any
// size. Apple's systems have Metal, and their OpenCL is kept for old programs.
std::vector<BackEnd> back_ends() {
  return {
#ifdef DRIFTWOOD_METAL
      {"metal", metal_devices},
#endif
      {"opencl", opencl_devices},
#ifdef DRIFTWOOD_WEBGPU
      {"webgpu", webgpu_devices},
#endif
      {"reference", reference_devices}};
}

}  // namespace driftwood::gpu
