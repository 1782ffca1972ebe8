#include "gpu/reference/reference_memory.h"

#include <string>

#include "base/checked.h"
#include "base/error.h"

namespace driftwood::gpu {
namespace {

bool is_texel_type(DataType type) {
  switch (type) {
    case DataType::F32:
    case DataType::F16:
    case DataType::I8:
    case DataType::U8:
    case DataType::I32:
    case DataType::U32: return true;
    default: return false;
  }
}

}  // namespace

std::uint64_t bytes_of(const MemoryDescriptor& descriptor) {
  if (descriptor.kind == StorageKind::Buffer) {
    if (descriptor.bytes == 0) throw InvalidInput("A buffer of 0 bytes cannot be allocated.");
    return descriptor.bytes;
  }
  if (!is_texel_type(descriptor.texel)) {
    throw InvalidInput("An image cannot have texels of " + std::string(to_string(descriptor.texel)) +
                       "; it takes f32, f16, i8, u8, i32 and u32.");
  }
  std::uint64_t bytes = std::uint64_t{4} * info(descriptor.texel).block_bytes;
  for (int k = 0; k < coordinate_count(descriptor.kind); ++k) {
    const std::uint32_t extent = descriptor.extent[static_cast<std::size_t>(k)];
    if (extent == 0) throw InvalidInput("An image with an extent of 0 cannot be allocated.");
    const auto product = checked_multiply(bytes, extent);
    if (!product) throw OutOfMemory("The bytes of an image do not fit 64 bits.");
    bytes = *product;
  }
  return bytes;
}

ReferenceMemory::ReferenceMemory(const MemoryDescriptor& descriptor, AllocationCounter allocated)
    : descriptor_(descriptor), bytes_(bytes_of(descriptor)), allocated_(std::move(allocated)) {
  *allocated_ += bytes_.size();
}

ReferenceMemory::~ReferenceMemory() { *allocated_ -= bytes_.size(); }

}  // namespace driftwood::gpu
