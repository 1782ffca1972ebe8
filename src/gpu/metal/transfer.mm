#include "gpu/metal/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/checked.h"
#include "base/error.h"
#include "tensor/layout.h"

namespace driftwood::gpu::metal {
namespace {

// A write of at most this size (a token, a parameter block) does not wait for work in flight.
constexpr std::size_t small_bytes = 64u << 10;
// Large copies to memory of the device's own go in pieces of this size.
constexpr std::uint64_t piece_bytes = 64u << 20;
constexpr std::uint64_t word = 4;  // what blits copy multiples of on Macs

id<MTLBuffer> staging(Context& context, std::uint64_t bytes) {
  id<MTLBuffer> buffer = [context.device newBufferWithLength:static_cast<NSUInteger>(bytes)
                                                     options:MTLResourceStorageModeShared];
  if (buffer == nil) {
    throw OutOfMemory(fmt::format("The device '{}' has no {} bytes to copy through.", context.facts.id, bytes));
  }
  return buffer;
}

// Commands of one blit encoder.
template <class Encode>
id<MTLCommandBuffer> blit(Context& context, const Encode& encode) {
  id<MTLCommandBuffer> commands = context.begin();
  id<MTLBlitCommandEncoder> encoder = [commands blitCommandEncoder];
  if (encoder == nil) throw DeviceLost(fmt::format("The device '{}' gives no encoder.", context.facts.id));
  encode(encoder);
  [encoder endEncoding];
  context.commit(commands);
  return commands;
}

void copy(Context& context, id<MTLBuffer> from, std::uint64_t at, id<MTLBuffer> to, std::uint64_t offset,
          std::uint64_t size) {
  blit(context, [&](id<MTLBlitCommandEncoder> encoder) {
    [encoder copyFromBuffer:from
               sourceOffset:static_cast<NSUInteger>(at)
                   toBuffer:to
          destinationOffset:static_cast<NSUInteger>(offset)
                       size:static_cast<NSUInteger>(size)];
  });
}

std::uint64_t floor_word(std::uint64_t offset) { return offset / word * word; }
std::uint64_t ceil_word(std::uint64_t offset) { return divide_up(offset, word) * word; }

// Whole words, of any storage.
void write_words(Context& context, const MetalMemory& memory, std::uint64_t offset, std::span<const std::byte> bytes) {
  for (std::uint64_t done = 0; done < bytes.size(); done += piece_bytes) {
    @autoreleasepool {
      const std::uint64_t size = std::min<std::uint64_t>(piece_bytes, bytes.size() - done);
      id<MTLBuffer> source = staging(context, size);
      std::memcpy([source contents], bytes.data() + done, size);
      copy(context, source, 0, memory.buffer(), offset + done, size);
    }
  }
}

void write_buffer(Context& context, MetalMemory& memory, std::uint64_t offset, std::span<const std::byte> bytes) {
  const bool is_words = offset % word == 0 && bytes.size() % word == 0;
  if (std::byte* const shared = memory.shared()) {
    if (is_words && bytes.size() <= small_bytes && !context.is_idle()) {
      write_words(context, memory, offset, bytes);
      return;
    }
    context.wait();
    std::memcpy(shared + offset, bytes.data(), bytes.size());
    return;
  }
  if (is_words) {
    write_words(context, memory, offset, bytes);
    return;
  }
  const std::uint64_t begin = floor_word(offset), end = ceil_word(offset + bytes.size());
  std::vector<std::byte> words(end - begin);  // a buffer's length is a multiple of words
  id<MTLBuffer> before = staging(context, words.size());
  copy(context, memory.buffer(), begin, before, 0, words.size());
  context.wait();
  std::memcpy(words.data(), [before contents], words.size());
  std::copy(bytes.begin(), bytes.end(), words.begin() + static_cast<std::ptrdiff_t>(offset - begin));
  write_words(context, memory, begin, words);
}

// Calls `each` with the offset in bytes, the slice and the size of every part that is copied by itself.
template <class Each>
void for_each_slice(const MetalMemory& memory, const Each& each) {
  const MemoryDescriptor& descriptor = memory.descriptor();
  const bool is_array = descriptor.kind == StorageKind::Texture2DArray;
  const bool is_volume = descriptor.kind == StorageKind::Texture3D;
  const std::uint32_t slices = is_array ? descriptor.extent[2] : 1;
  const MTLSize size = MTLSizeMake(descriptor.extent[0], descriptor.extent[1], is_volume ? descriptor.extent[2] : 1);
  for (std::uint32_t slice = 0; slice < slices; ++slice) {
    each(static_cast<NSUInteger>(memory.bytes() / slices * slice), static_cast<NSUInteger>(slice), size);
  }
}

NSUInteger row_bytes(const MemoryDescriptor& descriptor) {
  return NSUInteger{descriptor.extent[0]} * 4 * info(descriptor.texel).block_bytes;
}

void write_texture(Context& context, const MetalMemory& memory, std::span<const std::byte> bytes) {
  id<MTLBuffer> source = staging(context, bytes.size());
  std::memcpy([source contents], bytes.data(), bytes.size());
  const NSUInteger row = row_bytes(memory.descriptor()), image = row * memory.descriptor().extent[1];
  blit(context, [&](id<MTLBlitCommandEncoder> encoder) {
    for_each_slice(memory, [&](NSUInteger offset, NSUInteger slice, MTLSize size) {
      [encoder copyFromBuffer:source
                 sourceOffset:offset
            sourceBytesPerRow:row
          sourceBytesPerImage:image
                   sourceSize:size
                    toTexture:memory.texture()
             destinationSlice:slice
             destinationLevel:0
            destinationOrigin:MTLOriginMake(0, 0, 0)];
    });
  });
}

void read_texture(Context& context, const MetalMemory& memory, std::span<std::byte> bytes) {
  id<MTLBuffer> target = staging(context, bytes.size());
  const NSUInteger row = row_bytes(memory.descriptor()), image = row * memory.descriptor().extent[1];
  blit(context, [&](id<MTLBlitCommandEncoder> encoder) {
    for_each_slice(memory, [&](NSUInteger offset, NSUInteger slice, MTLSize size) {
      [encoder copyFromTexture:memory.texture()
                       sourceSlice:slice
                       sourceLevel:0
                      sourceOrigin:MTLOriginMake(0, 0, 0)
                        sourceSize:size
                          toBuffer:target
                 destinationOffset:offset
            destinationBytesPerRow:row
          destinationBytesPerImage:image];
    });
  });
  context.wait();
  std::memcpy(bytes.data(), [target contents], bytes.size());
}

/// A copy on its way into memory that the host sees, with the commands that make it.
class Later final : public PendingRead {
 public:
  Later(std::shared_ptr<Context> context, id<MTLBuffer> target, id<MTLCommandBuffer> commands, std::size_t size)
      : context_(std::move(context)), target_(target), commands_(commands), size_(size) {}

  std::span<const std::byte> wait() override {
    [commands_ waitUntilCompleted];
    context_->is_idle();  // throws what failed
    return {static_cast<const std::byte*>([target_ contents]), size_};
  }

 private:
  std::shared_ptr<Context> context_;
  id<MTLBuffer> target_;
  id<MTLCommandBuffer> commands_;
  std::size_t size_;
};

}  // namespace

void write(Context& context, MetalMemory& memory, std::uint64_t offset, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  @autoreleasepool {
    if (memory.has_buffer()) {
      write_buffer(context, memory, offset, bytes);
    } else {
      write_texture(context, memory, bytes);
    }
  }
}

void read(Context& context, const MetalMemory& memory, std::uint64_t offset, std::span<std::byte> bytes) {
  if (bytes.empty()) return;
  @autoreleasepool {
    if (!memory.has_buffer()) {
      read_texture(context, memory, bytes);
      return;
    }
    if (const std::byte* const shared = memory.shared()) {
      context.wait();
      std::memcpy(bytes.data(), shared + offset, bytes.size());
      return;
    }
    for (std::uint64_t done = 0; done < bytes.size(); done += piece_bytes) {
      @autoreleasepool {
        const std::uint64_t size = std::min<std::uint64_t>(piece_bytes, bytes.size() - done);
        const std::uint64_t begin = floor_word(offset + done), end = ceil_word(offset + done + size);
        id<MTLBuffer> target = staging(context, end - begin);
        copy(context, memory.buffer(), begin, target, 0, end - begin);
        context.wait();
        std::memcpy(bytes.data() + done, static_cast<const std::byte*>([target contents]) + (offset + done - begin),
                    size);
      }
    }
  }
}

std::unique_ptr<PendingRead> read_later(std::shared_ptr<Context> context, const MetalMemory& memory,
                                        std::uint64_t offset, std::size_t size) {
  @autoreleasepool {
    id<MTLBuffer> target = staging(*context, size);
    id<MTLCommandBuffer> commands = blit(*context, [&](id<MTLBlitCommandEncoder> encoder) {
      [encoder copyFromBuffer:memory.buffer()
                 sourceOffset:static_cast<NSUInteger>(offset)
                     toBuffer:target
            destinationOffset:0
                         size:static_cast<NSUInteger>(size)];
    });
    return std::make_unique<Later>(std::move(context), target, commands, size);
  }
}

void fill_zero(Context& context, MetalMemory& memory, std::uint64_t offset, std::uint64_t size) {
  if (size == 0) return;
  if (!memory.has_buffer() || offset % word != 0 || size % word != 0) {
    write(context, memory, offset, std::vector<std::byte>(size));
    return;
  }
  @autoreleasepool {
    blit(context, [&](id<MTLBlitCommandEncoder> encoder) {
      [encoder fillBuffer:memory.buffer()
                    range:NSMakeRange(static_cast<NSUInteger>(offset), static_cast<NSUInteger>(size))
                    value:0];
    });
  }
}

}  // namespace driftwood::gpu::metal
