// Reads that nobody waits for yet: copies into small staging buffers, which are mapped while later work runs.
#pragma once

#include <memory>
#include <vector>

#include "gpu/webgpu/memory.h"

namespace driftwood::gpu::webgpu {

class LaterReads {
 public:
  static constexpr std::size_t most_bytes = 256;

  explicit LaterReads(std::shared_ptr<Context> context);

  /// Whole words, at most most_bytes, that lie within the buffer.
  std::unique_ptr<PendingRead> read(const WebGpuMemory& memory, std::uint64_t offset, std::size_t size);

 private:
  struct Staging;
  class Pending;

  std::shared_ptr<Context> context_;
  std::shared_ptr<std::vector<std::unique_ptr<Staging>>> free_;
};

}  // namespace driftwood::gpu::webgpu
