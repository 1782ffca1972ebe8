#include "gpu/opencl/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "base/error.h"
#include "gpu/back_end.h"
#include "gpu/fact_checks.h"
#include "gpu/opencl/memory.h"
#include "gpu/opencl/status.h"

namespace driftwood::gpu::opencl {
namespace {

template <class T>
T device_value(const Api& api, cl_device_id device, cl_device_info what, T otherwise = {}) {
  T value = otherwise;
  return api.clGetDeviceInfo(device, what, sizeof value, &value, nullptr) == CL_SUCCESS ? value : otherwise;
}

std::uint32_t to_u32(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max()));
}

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\0' || text.back() == ' ' || text.back() == '\n')) text.pop_back();
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? std::string() : text.substr(begin);
}

// Whether the driver makes a small image of this kind for each texel type that tensors need.
bool makes_image(const Context& context, StorageKind kind) {
  for (const DataType texel : {DataType::F32, DataType::F16}) {
    const MemoryDescriptor descriptor{
        .kind = kind,
        .texel = texel,
        .extent = {4, coordinate_count(kind) > 1 ? 4u : 1u, coordinate_count(kind) > 2 ? 2u : 1u}};
    MemHandle backing;
    cl_int status = CL_SUCCESS;
    if (kind == StorageKind::ImageBuffer) {
      backing = MemHandle(context.api, context.api->clCreateBuffer(context.context.get(), CL_MEM_READ_WRITE,
                                                                   image_bytes(descriptor), nullptr, &status));
      if (status != CL_SUCCESS) return false;
    }
    const MemHandle image = create_image(context, descriptor, backing.get(), status);
    if (status != CL_SUCCESS || !image) return false;
  }
  return true;
}

void query_images(const Context& context, DeviceFacts& facts) {
  const Api& api = *context.api;
  cl_device_id device = context.device;
  if (device_value<cl_bool>(api, device, CL_DEVICE_IMAGE_SUPPORT) != CL_TRUE) return;
  facts.has_images = makes_image(context, StorageKind::Texture2D);
  if (!facts.has_images) return;
  facts.max_image_2d = {to_u32(device_value<std::size_t>(api, device, CL_DEVICE_IMAGE2D_MAX_WIDTH)),
                        to_u32(device_value<std::size_t>(api, device, CL_DEVICE_IMAGE2D_MAX_HEIGHT))};
  if (makes_image(context, StorageKind::Texture3D)) {
    facts.max_image_3d = {to_u32(device_value<std::size_t>(api, device, CL_DEVICE_IMAGE3D_MAX_WIDTH)),
                          to_u32(device_value<std::size_t>(api, device, CL_DEVICE_IMAGE3D_MAX_HEIGHT)),
                          to_u32(device_value<std::size_t>(api, device, CL_DEVICE_IMAGE3D_MAX_DEPTH))};
    facts.has_3d_image_writes = has_extension(api, device, "cl_khr_3d_image_writes");
  }
  if (makes_image(context, StorageKind::Texture2DArray)) {
    facts.max_image_layers = to_u32(device_value<std::size_t>(api, device, CL_DEVICE_IMAGE_MAX_ARRAY_SIZE));
  }
  if (makes_image(context, StorageKind::ImageBuffer)) {
    facts.max_image_buffer = device_value<std::size_t>(api, device, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE);
  }
}

}  // namespace

std::string device_text(const Api& api, cl_device_id device, cl_device_info what) {
  std::size_t size = 0;
  if (api.clGetDeviceInfo(device, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string text(size, '\0');
  if (api.clGetDeviceInfo(device, what, size, text.data(), nullptr) != CL_SUCCESS) return {};
  return trimmed(std::move(text));
}

std::string platform_text(const Api& api, cl_platform_id platform, cl_platform_info what) {
  std::size_t size = 0;
  if (api.clGetPlatformInfo(platform, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string text(size, '\0');
  if (api.clGetPlatformInfo(platform, what, size, text.data(), nullptr) != CL_SUCCESS) return {};
  return trimmed(std::move(text));
}

bool has_extension(const Api& api, cl_device_id device, std::string_view extension) {
  const std::string all = " " + device_text(api, device, CL_DEVICE_EXTENSIONS) + " ";
  return all.find(fmt::format(" {} ", extension)) != std::string::npos;
}

bool is_cpu_device(const Api& api, cl_device_id device) {
  return (device_value<cl_device_type>(api, device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
}

DeviceClass device_class_of(const Api& api, cl_device_id device) {
  if (is_cpu_device(api, device)) return DeviceClass::Cpu;
  if (is_software_name(device_text(api, device, CL_DEVICE_NAME))) return DeviceClass::Software;
  if ((device_value<cl_device_type>(api, device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU) == 0)
    return DeviceClass::OtherGpu;
  const bool is_unified = device_value<cl_bool>(api, device, CL_DEVICE_HOST_UNIFIED_MEMORY) == CL_TRUE;
  return is_unified ? DeviceClass::IntegratedGpu : DeviceClass::DiscreteGpu;
}

DeviceFacts query_facts(const Context& context, cl_platform_id platform) {
  const Api& api = *context.api;
  cl_device_id device = context.device;
  DeviceFacts facts;
  facts.name = device_text(api, device, CL_DEVICE_NAME);
  if (facts.name.empty()) throw DeviceLost("An OpenCL device does not answer the question for its name.");
  facts.vendor = device_text(api, device, CL_DEVICE_VENDOR);
  // "OpenCL 3.0 CUDA": the words after the number are the vendor's own.
  const std::string version = device_text(api, device, CL_DEVICE_VERSION);
  facts.api = version.substr(0, version.find(' ', version.find(' ') + 1));
  facts.driver = fmt::format("{} ({})", device_text(api, device, CL_DRIVER_VERSION),
                             platform_text(api, platform, CL_PLATFORM_VERSION));
  facts.is_cpu = is_cpu_device(api, device);
  facts.device_class = device_class_of(api, device);
  facts.shares_host_memory =
      facts.is_cpu || device_value<cl_bool>(api, device, CL_DEVICE_HOST_UNIFIED_MEMORY) == CL_TRUE;
  facts.compute_units = device_value<cl_uint>(api, device, CL_DEVICE_MAX_COMPUTE_UNITS, 1);
  facts.max_workgroup_size = to_u32(device_value<std::size_t>(api, device, CL_DEVICE_MAX_WORK_GROUP_SIZE, 1));
  const cl_uint dimensions = device_value<cl_uint>(api, device, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 3);
  std::vector<std::size_t> extents(std::max<cl_uint>(dimensions, 3), 1);
  if (api.clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, extents.size() * sizeof(std::size_t), extents.data(),
                          nullptr) == CL_SUCCESS) {
    for (std::size_t i = 0; i < 3; ++i) facts.max_workgroup_extent[i] = to_u32(extents[i]);
  }
  facts.local_memory = device_value<cl_ulong>(api, device, CL_DEVICE_LOCAL_MEM_SIZE);
  facts.global_memory = device_value<cl_ulong>(api, device, CL_DEVICE_GLOBAL_MEM_SIZE);
  facts.max_allocation = device_value<cl_ulong>(api, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  // The driver answers in bits; a binding never needs less than a vec4 of floats.
  facts.buffer_alignment =
      std::max<std::uint64_t>(device_value<cl_uint>(api, device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8, 16);
  query_images(context, facts);
  return facts;
}

}  // namespace driftwood::gpu::opencl
