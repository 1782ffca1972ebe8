// Copies between host memory and a device: small writes without waiting, large ones through pinned memory on a device
// with memory of its own.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "gpu/opencl/memory.h"

namespace driftwood::gpu::opencl {

class Transfer {
 public:
  Transfer(std::shared_ptr<Context> context, bool shares_host_memory);
  ~Transfer();

  /// The range lies within the buffer. The caller's bytes may be reused when it returns.
  void write_buffer(OpenClMemory& memory, std::uint64_t offset, std::span<const std::byte> bytes);
  /// The whole of a texture.
  void write_texture(OpenClMemory& memory, std::span<const std::byte> bytes);
  void read_buffer(const OpenClMemory& memory, std::uint64_t offset, std::span<std::byte> bytes);
  void read_texture(const OpenClMemory& memory, std::span<std::byte> bytes);

  /// To be called when everything enqueued has run: lets go of the copies of small writes.
  void release_pending();

 private:
  struct Staging {
    MemHandle buffer;
    std::byte* mapped = nullptr;
    EventHandle busy;  // the copy that still reads it
  };

  void write_staged(OpenClMemory& memory, std::uint64_t offset, std::span<const std::byte> bytes);
  bool prepare_staging();
  void wait(EventHandle& event);

  std::shared_ptr<Context> context_;
  bool shares_host_memory_;
  std::array<Staging, 2> staging_;
  std::vector<std::vector<std::byte>> pending_;
  std::size_t pending_bytes_ = 0;
};

}  // namespace driftwood::gpu::opencl
