// Matrix times each position: (x {.., C = columns}, weights [rows x columns][, bias {C = rows}]) -> {.., C = rows}.
// Where it normalizes, x is what goes into an RMS norm, whose factors gamma {C = columns} are the last input.
#pragma once

#include <vector>

#include "graph/operations/operand.h"

namespace driftwood::graph {

struct Linear {
  static constexpr std::string_view name = "linear";
  bool normalizes = false;
  float epsilon = 0;  // of the norm

  bool has_bias(std::size_t inputs) const { return inputs > (normalizes ? 3U : 2U); }
  bool operator==(const Linear&) const = default;
};

std::vector<Shape> output_shapes(const Linear&, std::span<const Operand> inputs);

}  // namespace driftwood::graph
