#include "text/merge_table.h"

#include <bit>

namespace driftwood {

MergeTable::MergeTable(std::size_t count)
    : slots_(std::bit_ceil(2 * count + 1), Slot{vacant, {}}), mask_(slots_.size() - 1) {}

void MergeTable::add(std::int32_t left, std::int32_t right, Merge merge) {
  const std::uint64_t pair = key(left, right);
  std::size_t slot = first_slot(pair);
  while (slots_[slot].pair != vacant) {
    if (slots_[slot].pair == pair) return;
    slot = (slot + 1) & mask_;
  }
  slots_[slot] = {pair, merge};
}

}  // namespace driftwood
