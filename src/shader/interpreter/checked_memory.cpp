#include "shader/interpreter/checked_memory.h"

#include <cstdlib>
#include <cstring>
#include <string>

#include "base/error.h"

namespace driftwood::shader {
namespace {

/// Zeroed memory that takes up room only where it is touched.
void* zeroed(std::uint64_t size) {
  void* block = std::calloc(size + 16, 1);  // 16: whole-word accesses never reach past the end
  if (!block) throw OutOfMemory("The host has no " + std::to_string(size) + " bytes left for the reference device.");
  return block;
}

}  // namespace

void CheckedMemory::Free::operator()(void* block) const { std::free(block); }

CheckedMemory::CheckedMemory(std::uint64_t size)
    : size_(size), data_(static_cast<std::byte*>(zeroed(size))), written_(static_cast<std::uint8_t*>(zeroed(size))) {}

void CheckedMemory::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  std::memcpy(data_.get() + offset, bytes.data(), bytes.size());
  mark_written(offset, bytes.size());
}

void CheckedMemory::fill_zero(std::uint64_t offset, std::uint64_t size) {
  std::memset(data_.get() + offset, 0, size);
  mark_written(offset, size);
}

void CheckedMemory::mark_written(std::uint64_t offset, std::uint64_t size) {
  if (!written_) return;
  if (size == size_) {
    written_.reset();  // nothing can become unwritten again
  } else {
    std::memset(written_.get() + offset, 1, size);
  }
}

interpreter::RaceCell* CheckedMemory::race_cells(int shift) {
  if (cells_.empty() || race_shift_ > shift) {
    race_shift_ = shift;
    cells_.assign((size_ >> shift) + 1, {});
  }
  return cells_.data();
}

}  // namespace driftwood::shader
