// Rows of a table by id: (ids {W = tokens, C = 1}, table [vocabulary x features]) -> {W = tokens, C = features}.
#pragma once

#include <vector>

#include "graph/operations/operand.h"

namespace driftwood::graph {

struct Embedding {
  static constexpr std::string_view name = "embedding";
  bool operator==(const Embedding&) const = default;
};

std::vector<Shape> output_shapes(const Embedding&, std::span<const Operand> inputs);

}  // namespace driftwood::graph
