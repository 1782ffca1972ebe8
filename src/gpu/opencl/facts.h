// What an OpenCL device says of itself, and what small experiments add to it.
#pragma once

#include <string>
#include <string_view>

#include "gpu/device.h"
#include "gpu/opencl/context.h"

namespace driftwood::gpu::opencl {

/// A string of clGetDeviceInfo; empty where the driver does not answer.
std::string device_text(const Api& api, cl_device_id device, cl_device_info what);
std::string platform_text(const Api& api, cl_platform_id platform, cl_platform_info what);
/// True where the device lists the extension by its whole name.
bool has_extension(const Api& api, cl_device_id device, std::string_view extension);
bool is_cpu_device(const Api& api, cl_device_id device);
/// OpenCL tells GPUs from CPUs; a GPU that shares the host's memory is taken for an integrated one.
DeviceClass device_class_of(const Api& api, cl_device_id device);

/// Facts that need no compiled probe; images are believed only where the driver really makes one of each kind.
/// `id` stays empty. Throws DeviceLost where the device does not answer at all.
DeviceFacts query_facts(const Context& context, cl_platform_id platform);

}  // namespace driftwood::gpu::opencl
