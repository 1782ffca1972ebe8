#include "graph/selection/attention_tiles.h"

#include <algorithm>

#include "base/checked.h"
#include "graph/selection/workgroups.h"

namespace driftwood::graph {

std::uint64_t AttentionTile::bytes(std::uint32_t slices) const {
  const std::uint64_t stride = part | 1;
  return 16 * (4 * groups * stride + std::max<std::uint64_t>(4 * columns * stride, std::uint64_t{values} * slices) +
               4 * columns * (groups + 1) + columns * groups);
}

AttentionTile attention_tile(const gpu::DeviceFacts& facts, std::uint32_t slices) {
  const std::uint32_t lanes = lanes_for(facts, 256);
  // Up to four slices of each sum an invocation, so that the sixteen sums stay in registers.
  const std::uint32_t rounds = static_cast<std::uint32_t>(divide_up(slices, slices > 64 ? 32 : 16));
  AttentionTile tile{.columns = std::max<std::uint32_t>(static_cast<std::uint32_t>(divide_up(slices, rounds)), 4),
                     .groups = 16,
                     .part = slices,
                     .values = 0};
  while (tile.groups > 4 && tile.groups * tile.columns > lanes) tile.groups /= 2;
  tile.columns = std::min(tile.columns, lanes / tile.groups);
  tile.values = 4 * tile.columns;
  // Narrower parts before fewer queries, but not below four slices.
  const auto fits = [&] { return tile.bytes(slices) <= facts.local_memory; };
  while (!fits() && tile.values > 8) tile.values = static_cast<std::uint32_t>(divide_up(tile.values, 2));
  while (!fits() && tile.part > 4) tile.part = static_cast<std::uint32_t>(divide_up(tile.part, 2));
  while (!fits() && tile.groups > 1) tile.groups /= 2;
  while (!fits() && tile.values > 1) tile.values /= 2;
  return tile;
}

AttentionTile tuned_attention_tile(const SelectionContext& context, std::uint32_t slices) {
  AttentionTile tile = attention_tile(context.facts, slices);
  const std::uint32_t lanes = lanes_for(context.facts, 256);
  const auto fits_with = [&](std::uint32_t AttentionTile::*member) {
    return [&, member](std::uint32_t value) {
      AttentionTile other = tile;
      other.*member = value;
      return other.groups * other.columns <= lanes && other.bytes(slices) <= context.facts.local_memory;
    };
  };
  tile.groups = context.choice("groups", tile.groups, {2, 4, 8, 16}, fits_with(&AttentionTile::groups));
  tile.values = context.choice("values", tile.values, {8, 16, 32, 64}, [&](std::uint32_t values) {
    return values <= 4 * tile.columns && fits_with(&AttentionTile::values)(values);
  });
  return tile;
}

std::uint32_t tuned_attention_matrix_keys(const SelectionContext& context, std::uint32_t slices) {
  const std::uint32_t most = attention_matrix_keys(context.facts, slices);
  return context.choice("keys", most, {16, 32, 64}, [&](std::uint32_t keys) { return keys <= most; });
}

std::uint32_t attention_matrix_keys(const gpu::DeviceFacts& facts, std::uint32_t slices) {
  constexpr std::uint32_t queries = 64;
  const std::uint64_t pitch = 2 * divide_up(slices, 4) + 1;  // in 16 bytes
  for (const std::uint32_t keys : {64U, 32U, 16U}) {
    const std::uint64_t bytes =
        16 * std::max(2 * keys, queries) * pitch + std::uint64_t{6} * queries * (keys + 8) + 4 * queries + 16;
    if (bytes <= facts.local_memory) return keys;
  }
  return 0;
}

}  // namespace driftwood::graph
