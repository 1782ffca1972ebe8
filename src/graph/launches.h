// How many kernels a run launches, and how they spread over the layers of a model: what decoding waits for on a device
// where a launch takes as long as reading a matrix.
#pragma once

#include <cstddef>
#include <string>

#include "graph/lowering.h"

namespace driftwood::graph {

struct Launches {
  std::size_t total = 0;
  std::size_t layers = 0;  // scopes "blk.N" of node names
  std::size_t least_of_layer = 0, most_of_layer = 0;
  std::size_t elsewhere = 0;  // embedding, head

  bool operator==(const Launches&) const = default;
};

/// Of kernels that take turns with the context, those of long ones count.
Launches count_launches(const LoweredGraph& lowered);

/// "183 launches: 6 a layer x 30 + 3"; "7 to 8 a layer" where they differ; the total alone where there are no layers.
std::string to_text(const Launches& launches);

}  // namespace driftwood::graph
