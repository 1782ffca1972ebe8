#include "diffusion/schedulers/linear_combination.h"

#include <algorithm>
#include <array>

namespace driftwood::diffusion {

void linear_combination(std::span<float> result, std::initializer_list<Term> terms) {
  // A block of sums stays in the first-level cache, and its loops are vector code whatever the number of terms.
  std::array<double, 512> sums;
  for (std::size_t first = 0; first < result.size(); first += sums.size()) {
    const std::size_t count = std::min(sums.size(), result.size() - first);
    std::fill_n(sums.begin(), count, 0.0);
    for (const Term& term : terms) {
      if (term.factor == 0) continue;
      const float* values = term.values.data() + first;
      for (std::size_t i = 0; i < count; ++i) sums[i] += term.factor * values[i];
    }
    for (std::size_t i = 0; i < count; ++i) result[first + i] = static_cast<float>(sums[i]);
  }
}

void clamp(std::span<float> values, double limit) {
  const auto most = static_cast<float>(limit);
  for (float& value : values) value = std::clamp(value, -most, most);
}

}  // namespace driftwood::diffusion
