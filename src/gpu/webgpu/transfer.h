// Copies between host memory and a device, in pieces, so that a large one needs little memory beside.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "gpu/webgpu/memory.h"

namespace driftwood::gpu::webgpu {

class Transfer {
 public:
  explicit Transfer(std::shared_ptr<Context> context) : context_(std::move(context)) {}

  /// The range lies within the buffer. The caller's bytes may be reused when it returns.
  void write_buffer(const WebGpuMemory& memory, std::uint64_t offset, std::span<const std::byte> bytes);
  /// The whole of a texture; no bytes: zeros.
  void write_texture(const WebGpuMemory& memory, std::span<const std::byte> bytes);
  void read_buffer(const WebGpuMemory& memory, std::uint64_t offset, std::span<std::byte> bytes);
  void read_texture(const WebGpuMemory& memory, std::span<std::byte> bytes);
  /// Whole words of any buffer that may be copied.
  void read_words(WGPUBuffer buffer, std::uint64_t offset, std::span<std::byte> bytes);
  void fill_zero(const WebGpuMemory& memory, std::uint64_t offset, std::uint64_t size);

 private:
  void write_words(const WebGpuMemory& memory, std::uint64_t offset, std::span<const std::byte> bytes);
  /// Gives part of a word its bytes, leaving the others as they are.
  void patch_word(const WebGpuMemory& memory, std::uint64_t offset, std::span<const std::byte> bytes);
  void count_written(std::uint64_t bytes);
  WGPUBuffer staging(std::uint64_t bytes);
  /// Waits for the staging buffer's first `bytes` and hands them to `take`.
  template <class Take>
  void with_mapped(std::uint64_t bytes, Take&& take);

  std::shared_ptr<Context> context_;
  BufferHandle staging_;
  std::uint64_t staging_bytes_ = 0;
  std::uint64_t written_ = 0;  // since the library last gave back what it copied
};

}  // namespace driftwood::gpu::webgpu
