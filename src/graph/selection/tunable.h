// Parameters that several rows leave to measurement in the same way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "graph/selection.h"
#include "graph/selection/workgroups.h"

namespace driftwood::graph {

/// The invocations of a workgroup that go through `work` independent steps together: lanes_for(), unless another power
/// of two was measured to be better.
inline std::uint32_t tuned_lanes(const SelectionContext& context, std::uint64_t work, std::uint32_t most = 256) {
  const std::uint32_t by_rule = lanes_for(context.facts, work, most);
  if (context.facts.is_cpu) return by_rule;
  const std::uint32_t limit = lanes_for(context.facts, 1024, 1024);
  return context.choice("lanes", by_rule, {32, 64, 128, 256, 512, 1024},
                        [&](std::uint32_t lanes) { return lanes <= limit; });
}

/// A tile of a table, where no two have the same extents: `by_rule`, unless another that `fits` was measured to be
/// better. `extents` gives (positions, outputs) of a tile.
template <class Tile, class Extents, class Fits>
const Tile& tuned_tile(const SelectionContext& context, std::span<const Tile> tiles, const Tile& by_rule,
                       Extents extents, Fits fits) {
  std::vector<std::uint32_t> positions;
  for (const Tile& tile : tiles) {
    if (fits(tile) && std::ranges::find(positions, extents(tile).first) == positions.end()) {
      positions.push_back(extents(tile).first);
    }
  }
  const std::uint32_t p = context.choice("positions", extents(by_rule).first, positions);
  const Tile* first = &by_rule;
  std::vector<std::uint32_t> outputs;
  for (const Tile& tile : tiles) {
    if (!fits(tile) || extents(tile).first != p) continue;
    if (outputs.empty() && p != extents(by_rule).first) first = &tile;
    outputs.push_back(extents(tile).second);
  }
  const std::uint32_t o = context.choice("outputs", extents(*first).second, outputs);
  for (const Tile& tile : tiles) {
    if (extents(tile) == std::pair(p, o)) return tile;
  }
  return *first;
}

}  // namespace driftwood::graph
