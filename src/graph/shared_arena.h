// The memory of activations for programs of which only one runs at a time: the components of an image pipeline. Made
// for the largest of them, if that one is made first; a program that needs more than there is makes it anew, and those
// made before keep what they had.
#pragma once

#include <cstdint>
#include <memory>

#include "gpu/device.h"

namespace driftwood::graph {

class SharedArena {
 public:
  explicit SharedArena(gpu::Device& device) : device_(device) {}

  /// A buffer of at least `bytes`.
  std::shared_ptr<gpu::Memory> get(std::uint64_t bytes) {
    if (!memory_ || memory_->descriptor().bytes < bytes) {
      memory_.reset();
      memory_ = device_.allocate({.kind = StorageKind::Buffer, .bytes = bytes});
    }
    return memory_;
  }

 private:
  gpu::Device& device_;
  std::shared_ptr<gpu::Memory> memory_;
};

}  // namespace driftwood::graph
