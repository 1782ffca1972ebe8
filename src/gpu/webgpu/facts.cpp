#include "gpu/webgpu/facts.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <thread>

namespace driftwood::gpu::webgpu {
namespace {

constexpr std::array<std::string_view, 4> software_names = {"swiftshader", "llvmpipe", "lavapipe", "basic render"};

std::string_view backend_name(WGPUBackendType backend) {
  switch (backend) {
    case WGPUBackendType_D3D11: return "D3D11";
    case WGPUBackendType_D3D12: return "D3D12";
    case WGPUBackendType_Metal: return "Metal";
    case WGPUBackendType_Vulkan: return "Vulkan";
    case WGPUBackendType_OpenGL: return "OpenGL";
    case WGPUBackendType_OpenGLES: return "OpenGL ES";
    default: return "an unnamed API";
  }
}

bool is_known_software(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::any_of(software_names.begin(), software_names.end(),
                     [&](std::string_view name) { return text.find(name) != std::string::npos; });
}

std::uint64_t host_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && bytes > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes) : 0;
}

// WebGPU does not say how many units a device has. Kernels divide their work by it: into a few parts too many is
// cheaper than into too few, so that these are the numbers of the larger devices of a class (an H200 has 132).
std::uint32_t assumed_units(DeviceClass device_class) {
  switch (device_class) {
    case DeviceClass::DiscreteGpu: return 96;
    case DeviceClass::IntegratedGpu: return 16;
    case DeviceClass::Software: return std::max(std::thread::hardware_concurrency(), 1u);
    default: return 32;
  }
}

// The language's packed products: a library that answers questions about its language does so without a compiler.
bool has_packed_dot(const Context& context) {
  if (context.instance->library().kind == Library::Kind::Dawn &&
      context.api().wgpuInstanceHasWGSLLanguageFeature != nullptr) {
    return context.api().wgpuInstanceHasWGSLLanguageFeature(
               context.instance->get(), WGPUWGSLLanguageFeatureName_Packed4x8IntegerDotProduct) != 0;
  }
  return context.compiles(
      "@group(0) @binding(0) var<storage, read_write> x: array<i32, 2>;\n"
      "@compute @workgroup_size(1) fn run() { x[0] = dot4I8Packed(u32(x[0]), u32(x[1])); }\n");
}

// Whether matrices of f16 lie in words.
bool takes_untyped_matrix_memory(const Context& context) {
  return context.compiles(
      "enable f16;\nenable chromium_experimental_subgroup_matrix;\nenable chromium_disable_uniformity_analysis;\n"
      "var<workgroup> tile: array<vec4<u32>, 32>;\n"
      "@compute @workgroup_size(32) fn run() {\n"
      "  let m = subgroupMatrixLoad<subgroup_matrix_left<f16, 16, 16>, row_major>(&tile, 0u, 2u);\n"
      "  subgroupMatrixStore<row_major>(&tile, 0u, m, 2u);\n}\n");
}

}  // namespace

DeviceClass class_of(const AdapterInfo& info) {
  for (const std::string& text : {info.vendor, info.architecture, info.device, info.description}) {
    if (is_known_software(text)) return DeviceClass::Software;
  }
  switch (info.type) {
    case WGPUAdapterType_DiscreteGPU: return DeviceClass::DiscreteGpu;
    case WGPUAdapterType_IntegratedGPU: return DeviceClass::IntegratedGpu;
    case WGPUAdapterType_CPU: return DeviceClass::Software;
    default: return DeviceClass::OtherGpu;
  }
}

DeviceFacts query_facts(const Context& context) {
  const WGPULimits& limits = context.limits;
  const AdapterInfo& info = context.info;
  DeviceFacts facts;
  facts.name = adapter_name(info);
  facts.vendor = !info.vendor.empty() ? info.vendor : fmt::format("{:04x}", info.vendor_id);
  facts.api = fmt::format("WebGPU over {}", backend_name(info.backend));
  facts.driver = fmt::format("{}, {}", context.instance->library().version,
                             info.description.empty() ? "a driver without a name" : info.description);
  facts.device_class = class_of(info);
  facts.is_cpu = false;
  // Nothing can be mapped that a kernel uses, so that sharing memory with the host saves no copy.
  facts.shares_host_memory = false;
  facts.compute_units = assumed_units(facts.device_class);
  facts.max_workgroup_size = limits.maxComputeInvocationsPerWorkgroup;
  facts.max_workgroup_extent = {limits.maxComputeWorkgroupSizeX, limits.maxComputeWorkgroupSizeY,
                                limits.maxComputeWorkgroupSizeZ};
  facts.max_workgroup_count.fill(limits.maxComputeWorkgroupsPerDimension);
  facts.local_memory = limits.maxComputeWorkgroupStorageSize;
  facts.max_binding = limits.maxStorageBufferBindingSize;
  facts.max_bindings = limits.maxStorageBuffersPerShaderStage;
  facts.buffer_alignment = std::max(limits.minStorageBufferOffsetAlignment, limits.minUniformBufferOffsetAlignment);
  // WebGPU says nothing of memory; Dawn names the heaps. Elsewhere the host's memory is the bound: an allocation that
  // the device cannot give fails by itself.
  const bool uses_host = facts.device_class != DeviceClass::DiscreteGpu || info.device_memory == 0;
  facts.global_memory = uses_host ? host_memory() : info.device_memory;
  facts.max_allocation = limits.maxBufferSize;
  if (facts.global_memory == 0) facts.global_memory = facts.max_allocation;
  facts.max_allocation = std::min(facts.max_allocation, facts.global_memory);
  facts.has_images = true;
  facts.has_3d_image_writes = true;
  facts.max_image_buffer = 0;
  facts.max_image_2d = {limits.maxTextureDimension2D, limits.maxTextureDimension2D};
  facts.max_image_3d = {limits.maxTextureDimension3D, limits.maxTextureDimension3D, limits.maxTextureDimension3D};
  facts.max_image_layers = limits.maxTextureArrayLayers;
  facts.has_f16_arithmetic = context.features.f16;
  // The size must not vary from kernel to kernel, as lowerings rely on it. Where the library does not say it, the
  // device finds out (webgpu_device.cpp).
  facts.has_subgroups = context.features.subgroups && info.subgroup_min == info.subgroup_max && info.subgroup_min > 1;
  facts.subgroup_size = facts.has_subgroups ? info.subgroup_min : 1;
  facts.has_packed_dot = has_packed_dot(context);
  facts.has_matrices = context.features.matrices && facts.has_subgroups && facts.subgroup_size == 32;
  facts.has_opaque_matrices = true;
  facts.has_typed_matrix_memory = !facts.has_matrices || !takes_untyped_matrix_memory(context);
  return facts;
}

}  // namespace driftwood::gpu::webgpu
