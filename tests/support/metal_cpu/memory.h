// Memory of the Metal device on the CPU: bytes between guard bytes that no kernel may change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "gpu/device.h"

namespace driftwood::test {

/// Bytes allocated now, shared by a device and its memory, which may outlive it. Each device has its own, which tells
/// whose a thing is.
using AllocatedBytes = std::shared_ptr<std::uint64_t>;

class MetalCpuMemory final : public gpu::Memory {
 public:
  /// All bytes are 0xFF (NaN in each float type) until written. Throws InvalidInput for sizes of zero and texel types
  /// that Metal has no texture of.
  MetalCpuMemory(const gpu::MemoryDescriptor& descriptor, AllocatedBytes allocated);
  ~MetalCpuMemory() override;
  MetalCpuMemory(const MetalCpuMemory&) = delete;
  MetalCpuMemory& operator=(const MetalCpuMemory&) = delete;

  const gpu::MemoryDescriptor& descriptor() const override { return descriptor_; }
  bool belongs_to(const AllocatedBytes& device) const { return allocated_ == device; }
  bool is_buffer() const;  // of bytes: also behind an image buffer
  std::uint64_t bytes() const { return bytes_; }
  std::byte* data() const { return storage_.get() + guard_bytes; }
  /// Whether something was written right before or behind the bytes.
  bool is_overrun() const;

  static std::uint64_t bytes_of(const gpu::MemoryDescriptor& descriptor);

 private:
  static constexpr std::size_t guard_bytes = 256;
  struct Free {
    void operator()(std::byte* p) const;
  };

  gpu::MemoryDescriptor descriptor_;
  std::uint64_t bytes_;
  std::unique_ptr<std::byte, Free> storage_;
  AllocatedBytes allocated_;
};

}  // namespace driftwood::test
