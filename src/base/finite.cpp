#include "base/finite.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace driftwood {

std::size_t finite_values(std::span<const float> values) {
  // Nearly always all are: one pass without branches, over bits, says so.
  constexpr std::uint32_t exponent = 0x7F800000;
  std::uint32_t found = 0;
  for (const float value : values) found |= (std::bit_cast<std::uint32_t>(value) & exponent) == exponent ? 1U : 0U;
  if (found == 0) return values.size();
  const auto bad = std::ranges::find_if(values, [](float value) { return !std::isfinite(value); });
  return static_cast<std::size_t>(bad - values.begin());
}

}  // namespace driftwood
