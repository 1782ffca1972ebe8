// Matrix times each position: (x {.., C = columns}, weights [rows x columns][, bias {C = rows}]) -> {.., C = rows}.
#pragma once

#include <vector>

#include "graph/operations/operand.h"

namespace driftwood::graph {

struct Linear {
  static constexpr std::string_view name = "linear";
  bool operator==(const Linear&) const = default;
};

std::vector<Shape> output_shapes(const Linear&, std::span<const Operand> inputs);

}  // namespace driftwood::graph
