// Buffers and textures.
#pragma once

#include <memory>

#include "gpu/device.h"
#include "gpu/webgpu/context.h"

namespace driftwood::gpu::webgpu {

/// The copies of a buffer are made of whole words.
constexpr std::uint64_t word_bytes = 4;

class WebGpuMemory : public Memory {
 public:
  /// Throws OutOfMemory where a limit of `facts` is exceeded or the driver has no memory left, Unsupported where the
  /// device has no such images.
  WebGpuMemory(std::shared_ptr<Context> context, const DeviceFacts& facts, const MemoryDescriptor& descriptor);
  ~WebGpuMemory() override;

  const MemoryDescriptor& descriptor() const override { return descriptor_; }
  std::uint64_t bytes() const { return bytes_; }
  /// Bytes of the buffer itself: whole words.
  std::uint64_t padded_bytes() const { return (bytes_ + word_bytes - 1) / word_bytes * word_bytes; }
  bool has_buffer() const { return static_cast<bool>(buffer_); }
  const Context& context() const { return *context_; }

  WGPUBuffer buffer() const { return buffer_.get(); }
  WGPUTexture texture() const { return texture_.get(); }
  WGPUTextureView view() const { return view_.get(); }

 private:
  std::shared_ptr<Context> context_;
  MemoryDescriptor descriptor_;
  std::uint64_t bytes_ = 0;
  BufferHandle buffer_;
  TextureHandle texture_;
  TextureViewHandle view_;
};

/// The view of a texture that shaders see.
WGPUTextureViewDimension view_dimension(StorageKind kind);

}  // namespace driftwood::gpu::webgpu
