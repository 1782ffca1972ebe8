// The last active token: {W = tokens, C} -> {W = 1, C}. It is token parameters.tokens - 1.
#pragma once

#include <vector>

#include "graph/operations/operand.h"

namespace driftwood::graph {

struct SelectToken {
  static constexpr std::string_view name = "select-token";
  bool operator==(const SelectToken&) const = default;
};

std::vector<Shape> output_shapes(const SelectToken&, std::span<const Operand> inputs);

}  // namespace driftwood::graph
