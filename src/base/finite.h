// Finding the numbers of a range that are none.
#pragma once

#include <cstddef>
#include <span>

namespace driftwood {

/// How many values there are before the first that is not finite; all of them where every one is.
std::size_t finite_values(std::span<const float> values);

inline bool all_finite(std::span<const float> values) { return finite_values(values) == values.size(); }

}  // namespace driftwood
