// Reads that nobody waits for yet: the copy is enqueued behind the work submitted so far, and its event says when the
// bytes are there, whatever runs by then.
#pragma once

#include <memory>

#include "gpu/opencl/memory.h"

namespace driftwood::gpu::opencl {

class LaterReads {
 public:
  LaterReads(std::shared_ptr<Context> context, bool shares_host_memory)
      : context_(std::move(context)), shares_host_memory_(shares_host_memory) {}

  /// The range lies within the buffer.
  std::unique_ptr<PendingRead> read(cl_mem memory, std::uint64_t offset, std::size_t size);

 private:
  class Pinned;
  class Pending;

  std::shared_ptr<Context> context_;
  bool shares_host_memory_;
  std::shared_ptr<Pinned> pinned_;  // made when first asked for, and where the device has memory of its own
};

}  // namespace driftwood::gpu::opencl
