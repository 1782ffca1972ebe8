// Memory that kernels run on in the interpreter: bytes, a shadow that says which of them were ever written, and who
// touched each word in the running dispatch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "shader/interpreter/race.h"

namespace driftwood::shader {

class CheckedMemory {
 public:
  /// Throws OutOfMemory where the host has none left.
  explicit CheckedMemory(std::uint64_t size);

  std::uint64_t size() const { return size_; }
  std::byte* data() { return data_.get(); }
  const std::byte* data() const { return data_.get(); }

  /// Copies into bytes [offset, offset + size) and marks them written. The caller has checked the range.
  void write(std::uint64_t offset, std::span<const std::byte> bytes);
  void fill_zero(std::uint64_t offset, std::uint64_t size);

  /// One byte for each byte: 1 where it was written. Null: all were.
  std::uint8_t* written() { return written_.get(); }

  /// Cells of 2^shift bytes for the race check (shift 1 or 2), made when they are first asked for.
  interpreter::RaceCell* race_cells(int shift);
  int race_shift() const { return race_shift_; }

 private:
  struct Free {
    void operator()(void* block) const;
  };
  void mark_written(std::uint64_t offset, std::uint64_t size);

  std::uint64_t size_;
  std::unique_ptr<std::byte[], Free> data_;
  std::unique_ptr<std::uint8_t[], Free> written_;
  std::vector<interpreter::RaceCell> cells_;
  int race_shift_ = 0;
};

/// A part of a memory that a resource is bound to.
struct BoundMemory {
  CheckedMemory* memory = nullptr;
  std::uint64_t offset = 0;  // a multiple of 4
  std::uint64_t size = 0;
};

}  // namespace driftwood::shader
