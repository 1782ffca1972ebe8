#include "gpu/webgpu/memory.h"

#include <fmt/format.h>

#include "base/error.h"
#include "gpu/fact_checks.h"
#include "tensor/layout.h"

namespace driftwood::gpu::webgpu {
namespace {

constexpr WGPUBufferUsage buffer_usage =
    WGPUBufferUsage_Storage | WGPUBufferUsage_Uniform | WGPUBufferUsage_CopySrc | WGPUBufferUsage_CopyDst;
constexpr WGPUTextureUsage texture_usage = WGPUTextureUsage_TextureBinding | WGPUTextureUsage_StorageBinding |
                                           WGPUTextureUsage_CopySrc | WGPUTextureUsage_CopyDst;

TextureHandle make_texture(const Context& context, const MemoryDescriptor& descriptor) {
  WGPUTextureDescriptor texture = {};
  texture.usage = texture_usage;
  texture.dimension = descriptor.kind == StorageKind::Texture3D ? WGPUTextureDimension_3D : WGPUTextureDimension_2D;
  texture.size = {descriptor.extent[0], descriptor.extent[1],
                  descriptor.kind == StorageKind::Texture2D ? 1 : descriptor.extent[2]};
  texture.format = texture_format(*context.numbers, descriptor.texel);
  texture.mipLevelCount = 1;
  texture.sampleCount = 1;
  return {context.shared_api(), context.api().wgpuDeviceCreateTexture(context.device.get(), &texture)};
}

TextureViewHandle make_view(const Context& context, const MemoryDescriptor& descriptor, WGPUTexture texture) {
  WGPUTextureViewDescriptor view = {};
  view.format = texture_format(*context.numbers, descriptor.texel);
  view.dimension = view_dimension(descriptor.kind);
  view.mipLevelCount = 1;
  view.arrayLayerCount = descriptor.kind == StorageKind::Texture2DArray ? descriptor.extent[2] : 1;
  view.aspect = WGPUTextureAspect_All;
  return {context.shared_api(), context.api().wgpuTextureCreateView(texture, &view)};
}

}  // namespace

WGPUTextureViewDimension view_dimension(StorageKind kind) {
  switch (kind) {
    case StorageKind::Texture2D: return WGPUTextureViewDimension_2D;
    case StorageKind::Texture3D: return WGPUTextureViewDimension_3D;
    case StorageKind::Texture2DArray: return WGPUTextureViewDimension_2DArray;
    default: throw InternalError("A buffer is asked for as a texture.");
  }
}

WebGpuMemory::WebGpuMemory(std::shared_ptr<Context> context, const DeviceFacts& facts,
                           const MemoryDescriptor& descriptor)
    : context_(std::move(context)), descriptor_(descriptor) {
  const bool is_buffer = descriptor.kind == StorageKind::Buffer;
  if (is_buffer && descriptor.bytes == 0) throw InvalidInput("A buffer of 0 bytes is asked for.");
  if (!is_buffer) check_image_extent(facts, descriptor);
  const std::uint64_t bytes = is_buffer ? descriptor.bytes : image_bytes(descriptor);
  if (is_buffer && bytes > facts.max_allocation) {
    throw OutOfMemory(fmt::format("An allocation of {} bytes exceeds the {} bytes that the device '{}' allows for one.",
                                  bytes, facts.max_allocation, facts.id));
  }
  if (bytes > facts.global_memory || context_->allocated > facts.global_memory - bytes) {
    throw OutOfMemory(
        fmt::format("An allocation of {} bytes on top of {} exceeds the {} bytes of memory of the device '{}'.", bytes,
                    context_->allocated, facts.global_memory, facts.id));
  }
  context_->check();
  ErrorScope scope(*context_->instance, context_->device.get());
  if (is_buffer) {
    WGPUBufferDescriptor buffer = {};
    buffer.usage = buffer_usage;
    buffer.size = (bytes + word_bytes - 1) / word_bytes * word_bytes;
    buffer_ =
        BufferHandle(context_->shared_api(), context_->api().wgpuDeviceCreateBuffer(context_->device.get(), &buffer));
  } else {
    texture_ = make_texture(*context_, descriptor);
    if (texture_) view_ = make_view(*context_, descriptor, texture_.get());
  }
  const ErrorScope::Caught caught = scope.end();
  context_->check();
  if (caught.type == WGPUErrorType_OutOfMemory || (!buffer_ && !view_)) {
    throw OutOfMemory(fmt::format("The device '{}' has no memory for {} bytes on top of {} ({}).", facts.id, bytes,
                                  context_->allocated, first_lines(caught.message)));
  }
  if (caught.type != WGPUErrorType_NoError) {
    throw_error(caught.type, fmt::format("The allocation of {} bytes", bytes), caught.message);
  }
  bytes_ = bytes;
  context_->allocated += bytes_;
}

WebGpuMemory::~WebGpuMemory() {
  context_->allocated -= bytes_;
  // Released memory is given back when the garbage is, destroyed memory as soon as what uses it has run.
  if (buffer_) context_->api().wgpuBufferDestroy(buffer_.get());
  if (texture_) context_->api().wgpuTextureDestroy(texture_.get());
}

}  // namespace driftwood::gpu::webgpu
