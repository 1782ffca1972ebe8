// What a group norm does to each channel of each image, as a factor and a term: (x {B, H, W, C}, gamma {C}, beta {C}[,
// x2 {B, H, W, C2}]) -> (scale {B, C}, shift {B, C}), both f32, with
//
//   scale = gamma / sqrt(variance + epsilon), shift = beta - mean * scale
//
// of the channel's group over all positions, so that group_norm(x) = x * scale + shift, which the reader of x can apply
// where it loads. `groups` divides the channels, those of x2 after those of x (whose number is then a multiple of 4).
#pragma once

#include <cstdint>
#include <vector>

#include "graph/operations/operand.h"

namespace driftwood::graph {

struct GroupStatistics {
  static constexpr std::string_view name = "group-statistics";
  std::uint32_t groups = 1;
  float epsilon = 1e-5F;
  bool operator==(const GroupStatistics&) const = default;
};

std::vector<Shape> output_shapes(const GroupStatistics&, std::span<const Operand> inputs);

}  // namespace driftwood::graph
