// Joins two tensors along the channels: (a {.., C = m}, b {.., C = n}) -> {.., C = m + n}.
#pragma once

#include <vector>

#include "graph/operations/operand.h"

namespace driftwood::graph {

struct Concat {
  static constexpr std::string_view name = "concat";
  bool operator==(const Concat&) const = default;
};

std::vector<Shape> output_shapes(const Concat&, std::span<const Operand> inputs);

}  // namespace driftwood::graph
