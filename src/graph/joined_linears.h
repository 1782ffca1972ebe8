// Linears of one input as one: the pass join-linears, which knows how much memory the device has.
#pragma once

#include "gpu/device.h"
#include "graph/graph.h"

namespace driftwood::graph {

/// Makes linears of one input, weights of one format, that attention or fused programs read, one linear over all their
/// rows; its output is the whole whose parts they gave. A part lives as long as the whole. So linears whose outputs are
/// first read by different nodes are joined only where the device has memory to spare for all of them.
void join_linears(Graph& graph, const gpu::DeviceFacts& facts);

}  // namespace driftwood::graph
