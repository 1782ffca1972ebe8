// What rope and rope-qkv must compute.
#pragma once

#include "conformance/case.h"

namespace driftwood::conformance {

/// Channels of a head and how many of them turn: whole slices, parts of slices, odd ones that pass through.
struct RopeExtents {
  std::uint32_t head_size, rotary;
};
inline constexpr RopeExtents rope_extents[] = {{8, 8}, {16, 8}, {16, 4}, {12, 12}, {6, 6}, {5, 4}, {3, 2}, {64, 64}};

std::vector<float> rope_frequencies(std::uint32_t rotary);

/// Channel c of the head that begins at channel `base` of a token of x.
Wanted turned(const graph::Rope& rope, const Field& x, std::uint32_t token, std::uint32_t base, std::uint32_t c,
              std::uint32_t position);

}  // namespace driftwood::conformance
