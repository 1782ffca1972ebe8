// Buffers and textures. Objective-C++.
#pragma once

#import <Metal/Metal.h>

#include <map>
#include <memory>
#include <tuple>

#include "gpu/device.h"
#include "gpu/metal/context.h"

namespace driftwood::gpu::metal {

/// Throws Unsupported for types that no texture has.
MTLPixelFormat pixel_format(DataType texel);

class MetalMemory : public Memory {
 public:
  /// Throws OutOfMemory, Unsupported or InvalidInput (a size of 0).
  MetalMemory(std::shared_ptr<Context> context, const MemoryDescriptor& descriptor);
  ~MetalMemory() override;
  MetalMemory(const MetalMemory&) = delete;
  MetalMemory& operator=(const MetalMemory&) = delete;

  const MemoryDescriptor& descriptor() const override { return descriptor_; }
  const Context& context() const { return *context_; }
  std::uint64_t bytes() const { return bytes_; }
  /// Buffers and image buffers, which are views of buffers.
  bool has_buffer() const { return buffer_ != nil; }
  id<MTLBuffer> buffer() const { return buffer_; }
  id<MTLTexture> texture() const { return texture_; }
  /// A texture buffer over a part of the buffer; made once.
  id<MTLTexture> texture_view(std::uint64_t offset, DataType texel, std::uint32_t texels);
  /// Host memory that is the buffer's; null where the device has memory of its own.
  std::byte* shared() const;

 private:
  std::shared_ptr<Context> context_;
  MemoryDescriptor descriptor_;
  std::uint64_t bytes_ = 0;
  id<MTLBuffer> buffer_ = nil;
  id<MTLTexture> texture_ = nil;
  std::map<std::tuple<std::uint64_t, DataType, std::uint32_t>, id<MTLTexture>> views_;
};

}  // namespace driftwood::gpu::metal
