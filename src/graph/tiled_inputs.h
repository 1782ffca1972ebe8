// Values that are stored as the products that read them take their input, so that no kernel has to lay them out.
#pragma once

#include <span>

#include "graph/selection.h"

namespace driftwood::graph {

/// Gives activations that products of the pipeline alone read, all in one tiling, the layout of its tiles
/// (Layout::tile). Values have their descriptors already.
void tile_inputs(Graph& graph, const gpu::DeviceFacts& facts, const GraphOptions& options,
                 std::span<const KernelRow> rows);

}  // namespace driftwood::graph
