// From two neighbouring symbols to their merge: a hash table with open addressing, since the merge loop
// spends most of its time here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "text/merging.h"

namespace driftwood {

class MergeTable {
 public:
  /// Room for `count` merges; add() must not be called more often.
  explicit MergeTable(std::size_t count = 0);

  /// Adds the merge of two symbols (ids >= 0); a pair that is there already keeps its first merge.
  void add(std::int32_t left, std::int32_t right, Merge merge);

  std::optional<Merge> find(std::int32_t left, std::int32_t right) const {
    if ((left | right) < 0) return std::nullopt;
    const std::uint64_t pair = key(left, right);
    for (std::size_t slot = first_slot(pair);; slot = (slot + 1) & mask_) {
      if (slots_[slot].pair == pair) return slots_[slot].merge;
      if (slots_[slot].pair == vacant) return std::nullopt;
    }
  }

 private:
  struct Slot {
    std::uint64_t pair;
    Merge merge;
  };
  static constexpr std::uint64_t vacant = UINT64_MAX;

  static std::uint64_t key(std::int32_t left, std::int32_t right) {
    return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
  }
  std::size_t first_slot(std::uint64_t pair) const {
    // Fibonacci hashing: the upper bits of the product mix all bits of both ids.
    return static_cast<std::size_t>(pair * 0x9E3779B97F4A7C15U >> 32) & mask_;
  }

  std::vector<Slot> slots_;
  std::size_t mask_;
};

}  // namespace driftwood
