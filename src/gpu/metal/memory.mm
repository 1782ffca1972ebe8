#include "gpu/metal/memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.h"
#include "base/error.h"
#include "gpu/fact_checks.h"
#include "tensor/layout.h"

namespace driftwood::gpu::metal {
namespace {

// Buffers end at a multiple of this: rows of texture buffers are as long, and blits copy words.
constexpr std::uint64_t granularity = 256;

MTLTextureDescriptor* texture_descriptor(const MemoryDescriptor& descriptor) {
  MTLTextureDescriptor* const made = [[MTLTextureDescriptor alloc] init];
  made.pixelFormat = pixel_format(descriptor.texel);
  made.width = descriptor.extent[0];
  made.height = descriptor.extent[1];
  switch (descriptor.kind) {
    case StorageKind::Texture3D:
      made.textureType = MTLTextureType3D;
      made.depth = descriptor.extent[2];
      break;
    case StorageKind::Texture2DArray:
      made.textureType = MTLTextureType2DArray;
      made.arrayLength = descriptor.extent[2];
      break;
    default: made.textureType = MTLTextureType2D; break;
  }
  made.storageMode = MTLStorageModePrivate;
  made.usage = MTLTextureUsageShaderRead | MTLTextureUsageShaderWrite;
  return made;
}

}  // namespace

MTLPixelFormat pixel_format(DataType texel) {
  switch (texel) {
    case DataType::F32: return MTLPixelFormatRGBA32Float;
    case DataType::F16: return MTLPixelFormatRGBA16Float;
    case DataType::I8: return MTLPixelFormatRGBA8Sint;
    case DataType::U8: return MTLPixelFormatRGBA8Uint;
    case DataType::I32: return MTLPixelFormatRGBA32Sint;
    case DataType::U32: return MTLPixelFormatRGBA32Uint;
    default: throw Unsupported(fmt::format("Metal's textures hold no texels of type {}.", to_string(texel)));
  }
}

MetalMemory::MetalMemory(std::shared_ptr<Context> context, const MemoryDescriptor& descriptor)
    : context_(std::move(context)), descriptor_(descriptor) {
  const DeviceFacts& facts = context_->facts;
  const bool is_buffer = descriptor.kind == StorageKind::Buffer;
  if (is_buffer && descriptor.bytes == 0) throw InvalidInput("A buffer of 0 bytes is asked for.");
  check_image_extent(facts, descriptor);
  const std::uint64_t bytes = is_buffer ? descriptor.bytes : image_bytes(descriptor);
  if (bytes > facts.max_allocation) {
    throw OutOfMemory(fmt::format("An allocation of {} bytes exceeds the {} bytes that the device '{}' allows for one.",
                                  bytes, facts.max_allocation, facts.id));
  }
  if (context_->allocated + bytes > facts.global_memory) {
    throw OutOfMemory(
        fmt::format("An allocation of {} bytes on top of {} exceeds the {} bytes of memory of the device '{}'.", bytes,
                    context_->allocated, facts.global_memory, facts.id));
  }
  if (is_buffer || descriptor.kind == StorageKind::ImageBuffer) {
    const MTLResourceOptions options =
        facts.shares_host_memory ? MTLResourceStorageModeShared : MTLResourceStorageModePrivate;
    buffer_ = [context_->device newBufferWithLength:divide_up(bytes, granularity) * granularity options:options];
  } else {
    texture_ = [context_->device newTextureWithDescriptor:texture_descriptor(descriptor)];
  }
  if (buffer_ == nil && texture_ == nil) {
    throw OutOfMemory(fmt::format("The device '{}' has no memory for {} bytes on top of {}; it recommends {} in all.",
                                  facts.id, bytes, context_->allocated, facts.global_memory));
  }
  bytes_ = bytes;
  context_->allocated += bytes_;
}

MetalMemory::~MetalMemory() { context_->allocated -= bytes_; }

std::byte* MetalMemory::shared() const {
  const bool is_shared = buffer_ != nil && [buffer_ storageMode] == MTLStorageModeShared;
  return is_shared ? static_cast<std::byte*>([buffer_ contents]) : nullptr;
}

id<MTLTexture> MetalMemory::texture_view(std::uint64_t offset, DataType texel, std::uint32_t texels) {
  id<MTLTexture> __strong& view = views_[{offset, texel, texels}];
  if (view != nil) return view;
  const NSUInteger alignment = [context_->device minimumTextureBufferAlignmentForPixelFormat:pixel_format(texel)];
  const NSUInteger row = NSUInteger{texels} * 4 * info(texel).block_bytes;
  MTLTextureDescriptor* const made = [MTLTextureDescriptor
      textureBufferDescriptorWithPixelFormat:pixel_format(texel)
                                       width:texels
                             resourceOptions:[buffer_ resourceOptions]
                                       usage:MTLTextureUsageShaderRead | MTLTextureUsageShaderWrite];
  view = [buffer_ newTextureWithDescriptor:made
                                    offset:static_cast<NSUInteger>(offset)
                               bytesPerRow:divide_up(row, alignment) * alignment];
  if (view == nil) {
    throw Unsupported(fmt::format("The device '{}' makes no texture buffer of {} texels at offset {} of a buffer.",
                                  context_->facts.id, texels, offset));
  }
  return view;
}

}  // namespace driftwood::gpu::metal
