// Memory of the reference device: tightly packed bytes for buffers and images alike.
#pragma once

#include <atomic>
#include <memory>

#include "gpu/device.h"
#include "shader/interpreter/checked_memory.h"

namespace driftwood::gpu {

/// Bytes of a buffer or of all texels of an image. Throws InvalidInput where an extent is zero or the texel type is
/// none that images have, OutOfMemory where the product overflows.
std::uint64_t bytes_of(const MemoryDescriptor& descriptor);

/// Bytes allocated now; shared by a device and its memory, which may outlive it. Each device has its own, which tells
/// whose a thing is.
using AllocationCounter = std::shared_ptr<std::atomic<std::uint64_t>>;

class ReferenceMemory final : public Memory {
 public:
  ReferenceMemory(const MemoryDescriptor& descriptor, AllocationCounter allocated);
  ~ReferenceMemory() override;
  ReferenceMemory(const ReferenceMemory&) = delete;
  ReferenceMemory& operator=(const ReferenceMemory&) = delete;

  const MemoryDescriptor& descriptor() const override { return descriptor_; }
  bool belongs_to(const AllocationCounter& device) const { return allocated_ == device; }
  shader::CheckedMemory& bytes() { return bytes_; }
  const shader::CheckedMemory& bytes() const { return bytes_; }

 private:
  MemoryDescriptor descriptor_;
  shader::CheckedMemory bytes_;
  AllocationCounter allocated_;
};

}  // namespace driftwood::gpu
