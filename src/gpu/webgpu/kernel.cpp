#include "gpu/webgpu/kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "gpu/webgpu/memory.h"
#include "tensor/layout.h"

namespace driftwood::gpu::webgpu {
namespace {

WGPUTextureSampleType sample_type(DataType texel) {
  switch (texel) {
    case DataType::I8:
    case DataType::I16:
    case DataType::I32: return WGPUTextureSampleType_Sint;
    case DataType::U8:
    case DataType::U16:
    case DataType::U32: return WGPUTextureSampleType_Uint;
    default: return WGPUTextureSampleType_UnfilterableFloat;
  }
}

}  // namespace

WebGpuKernel::WebGpuKernel(std::shared_ptr<Context> context, const DeviceFacts& facts, Source source,
                           std::string entry_point, std::string name, Signature signature, FirstVariant first)
    : context_(std::move(context)),
      source_(std::move(source)),
      entry_point_(std::move(entry_point)),
      name_(std::move(name)),
      device_id_(facts.id),
      signature_(std::move(signature)),
      max_workgroup_size_(facts.max_workgroup_size) {
  check_limits(facts);
  const std::vector<BindingUse> apart(signature_.parameters.size());
  if (first == FirstVariant::AtOnce) {
    variant(apart);
  } else {
    source_(apart);  // what has no WGSL is known at once
  }
}

void WebGpuKernel::check_limits(const DeviceFacts& facts) const {
  const auto& size = signature_.workgroup_size;
  const std::uint64_t threads = std::uint64_t{size[0]} * size[1] * size[2];
  const auto& extent = facts.max_workgroup_extent;
  if (threads == 0 || threads > facts.max_workgroup_size || size[0] > extent[0] || size[1] > extent[1] ||
      size[2] > extent[2]) {
    throw InvalidInput(
        fmt::format("The kernel '{}' asks for a workgroup of {} x {} x {} = {} invocations; the device '{}' allows {}, "
                    "and {} x {} x {} along the dimensions.",
                    name_, size[0], size[1], size[2], threads, facts.id, facts.max_workgroup_size, extent[0], extent[1],
                    extent[2]));
  }
  const auto require = [&](std::uint32_t limit, std::string_view what, auto&& is_one) {
    const auto count = std::count_if(signature_.parameters.begin(), signature_.parameters.end(), is_one);
    if (count > static_cast<std::ptrdiff_t>(limit)) {
      throw Unsupported(
          fmt::format("The kernel '{}' uses {} {}; the device '{}' allows {}.", name_, count, what, facts.id, limit));
    }
  };
  const WGPULimits& limits = context_->limits;
  const auto is_buffer = [](const Parameter& p) { return p.kind == StorageKind::Buffer; };
  require(limits.maxBindingsPerBindGroup, "bindings", [](const Parameter&) { return true; });
  require(limits.maxStorageBuffersPerShaderStage, "storage buffers",
          [&](const Parameter& p) { return is_buffer(p) && !p.is_uniform; });
  require(limits.maxUniformBuffersPerShaderStage, "uniform buffers",
          [&](const Parameter& p) { return is_buffer(p) && p.is_uniform; });
  require(limits.maxSampledTexturesPerShaderStage, "textures to read",
          [&](const Parameter& p) { return !is_buffer(p) && !p.writes; });
  require(limits.maxStorageTexturesPerShaderStage, "textures to write",
          [&](const Parameter& p) { return !is_buffer(p) && p.writes; });
  require(0, "image buffers, which WebGPU has not",
          [](const Parameter& p) { return p.kind == StorageKind::ImageBuffer; });
}

const WebGpuKernel::Variant& WebGpuKernel::variant(const std::vector<BindingUse>& uses) {
  const auto found = variants_.find(uses);
  if (found != variants_.end()) return found->second;
  return variants_.emplace(uses, compile(uses)).first->second;
}

BindGroupLayoutHandle WebGpuKernel::make_layout(const std::vector<BindingUse>& uses) const {
  std::vector<WGPUBindGroupLayoutEntry> entries;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i].alias) continue;
    const Parameter& parameter = signature_.parameters[i];
    // A binding that serves others is written where one of them is.
    bool writes = parameter.writes || uses[i].read_write;
    for (std::size_t j = 0; j < uses.size(); ++j) writes |= uses[j].alias == i && signature_.parameters[j].writes;
    WGPUBindGroupLayoutEntry entry = {};
    entry.binding = static_cast<std::uint32_t>(i);
    entry.visibility = WGPUShaderStage_Compute;
    if (parameter.kind == StorageKind::Buffer) {
      entry.buffer.type = parameter.is_uniform ? WGPUBufferBindingType_Uniform
                          : writes             ? WGPUBufferBindingType_Storage
                                               : WGPUBufferBindingType_ReadOnlyStorage;
    } else if (writes) {
      entry.storageTexture.access = WGPUStorageTextureAccess_WriteOnly;
      entry.storageTexture.format = texture_format(*context_->numbers, parameter.texel);
      entry.storageTexture.viewDimension = view_dimension(parameter.kind);
    } else {
      entry.texture.sampleType = sample_type(parameter.texel);
      entry.texture.viewDimension = view_dimension(parameter.kind);
    }
    entries.push_back(entry);
  }
  WGPUBindGroupLayoutDescriptor descriptor = {};
  descriptor.entryCount = entries.size();
  descriptor.entries = entries.data();
  return {context_->shared_api(), context_->api().wgpuDeviceCreateBindGroupLayout(context_->device.get(), &descriptor)};
}

WebGpuKernel::Variant WebGpuKernel::compile(const std::vector<BindingUse>& uses) const {
  const Api& api = context_->api();
  const WGPUDevice device = context_->device.get();
  const std::string source = source_(uses);
  context_->check();
  ErrorScope scope(*context_->instance, device);
  Variant variant;
  variant.layout = make_layout(uses);
  const WGPUBindGroupLayout group = variant.layout.get();
  WGPUPipelineLayoutDescriptor layout_descriptor = {};
  layout_descriptor.bindGroupLayoutCount = 1;
  layout_descriptor.bindGroupLayouts = &group;
  const PipelineLayoutHandle layout(context_->shared_api(),
                                    api.wgpuDeviceCreatePipelineLayout(device, &layout_descriptor));
  const ShaderModuleHandle module = context_->make_module(source);
  WGPUComputePipelineDescriptor descriptor = {};
  descriptor.label = view_of(name_);
  descriptor.layout = layout.get();
  descriptor.compute.module = module.get();
  descriptor.compute.entryPoint = view_of(entry_point_);
  variant.pipeline = PipelineHandle(context_->shared_api(), api.wgpuDeviceCreateComputePipeline(device, &descriptor));
  const ErrorScope::Caught caught = scope.end();
  context_->check();
  if (caught.type == WGPUErrorType_OutOfMemory) {
    throw OutOfMemory(fmt::format("The device '{}' has no memory to compile kernel '{}': {}.", device_id_, name_,
                                  first_lines(caught.message)));
  }
  if (caught.type != WGPUErrorType_NoError || !variant.pipeline) {
    throw InternalError(fmt::format("The device '{}' does not compile kernel '{}': {}.", device_id_, name_,
                                    first_lines(caught.message)));
  }
  return variant;
}

}  // namespace driftwood::gpu::webgpu
