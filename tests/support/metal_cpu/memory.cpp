#include "support/metal_cpu/memory.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/checked.h"
#include "base/error.h"
#include "tensor/layout.h"

namespace driftwood::test {
namespace {

constexpr std::byte guard{0xC7};
constexpr std::align_val_t alignment{256};

}  // namespace

void MetalCpuMemory::Free::operator()(std::byte* p) const { ::operator delete(p, alignment); }

std::uint64_t MetalCpuMemory::bytes_of(const gpu::MemoryDescriptor& descriptor) {
  if (descriptor.kind == StorageKind::Buffer) {
    if (descriptor.bytes == 0) throw InvalidInput("A buffer of 0 bytes is asked for.");
    return descriptor.bytes;
  }
  switch (descriptor.texel) {
    case DataType::F32:
    case DataType::F16:
    case DataType::I8:
    case DataType::U8:
    case DataType::I32:
    case DataType::U32: break;
    default: throw InvalidInput("Textures hold no texels of type " + std::string(to_string(descriptor.texel)) + ".");
  }
  std::uint64_t bytes = std::uint64_t{4} * info(descriptor.texel).block_bytes;
  for (std::size_t k = 0; k < static_cast<std::size_t>(coordinate_count(descriptor.kind)); ++k) {
    if (descriptor.extent[k] == 0) throw InvalidInput("A texture with an extent of 0 is asked for.");
    const auto product = checked_multiply(bytes, descriptor.extent[k]);
    if (!product) throw OutOfMemory("The size of a texture exceeds 2^64 bytes.");
    bytes = *product;
  }
  return bytes;
}

MetalCpuMemory::MetalCpuMemory(const gpu::MemoryDescriptor& descriptor, AllocatedBytes allocated)
    : descriptor_(descriptor), bytes_(bytes_of(descriptor)), allocated_(std::move(allocated)) {
  try {
    storage_.reset(static_cast<std::byte*>(::operator new(bytes_ + 2 * guard_bytes, alignment)));
  } catch (const std::bad_alloc&) {
    throw OutOfMemory("The host has no memory for " + std::to_string(bytes_) + " bytes.");
  }
  std::fill_n(storage_.get(), guard_bytes, guard);
  std::fill_n(data() + bytes_, guard_bytes, guard);
  std::memset(data(), 0xFF, bytes_);
  *allocated_ += bytes_;
}

MetalCpuMemory::~MetalCpuMemory() { *allocated_ -= bytes_; }

bool MetalCpuMemory::is_buffer() const {
  return descriptor_.kind == StorageKind::Buffer || descriptor_.kind == StorageKind::ImageBuffer;
}

bool MetalCpuMemory::is_overrun() const {
  const auto is_changed = [](std::byte b) { return b != guard; };
  return std::any_of(storage_.get(), storage_.get() + guard_bytes, is_changed) ||
         std::any_of(data() + bytes_, data() + bytes_ + guard_bytes, is_changed);
}

}  // namespace driftwood::test
