#include <limits>

#include "base/checked.h"
#include "graph/lowering.h"

namespace driftwood::graph {

std::optional<std::array<std::uint32_t, 3>> workgroups(const Grid& grid, const Parameters& parameters, bool folded,
                                                       const std::array<std::uint32_t, 3>& limits) {
  std::array<std::uint64_t, 3> groups{};
  for (std::size_t axis = 0; axis < 3; ++axis) groups[axis] = grid[axis].groups(parameters);
  if (folded) {
    constexpr std::uint64_t most = std::uint64_t{1} << 31;  // fold_grid
    std::uint64_t all = 1;
    for (const std::uint64_t each : groups) {
      const auto product = checked_multiply(all, each);
      if (!product) return {};
      all = *product;
    }
    if (all > most) return {};
    if (all == 0) return std::array<std::uint32_t, 3>{};
    // Rows and planes of about equal length, so that few groups have nothing to do.
    const std::uint64_t rows = divide_up(all, limits[0]);
    groups = {divide_up(all, rows), 0, divide_up(rows, limits[1])};
    groups[1] = divide_up(rows, groups[2]);
  }
  std::array<std::uint32_t, 3> result{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (groups[axis] > limits[axis]) return {};
    result[axis] = static_cast<std::uint32_t>(groups[axis]);
  }
  return result;
}

bool must_fold(const Grid& grid, std::uint32_t max_tokens, const std::array<std::uint32_t, 3>& limits) {
  const Parameters most{.tokens = max_tokens, .position = std::numeric_limits<std::uint32_t>::max() - max_tokens};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (grid[axis].groups(most) > limits[axis]) return true;
  }
  return false;
}

}  // namespace driftwood::graph
