// How activations enter the matrix kernels of a graph, and the rewrite that makes them integers. It changes results
// within the tolerance of 8 bits, so it is no pass that --no-fusion knows: ActivationMode decides.
#pragma once

#include "gpu/device.h"
#include "graph/graph.h"
#include "graph/options.h"

namespace driftwood::graph {

/// Float or Int8: what is asked for, and where that is Auto what the weights of the graph were made for: those with one
/// scale a row (i8c, i4c) are multiplied with integers.
ActivationMode resolved_activations(const Graph& graph, ActivationMode asked);

/// Gives every linear and gated linear of rows of tokens with weights of a file an integer input, as its kernel on the
/// device takes it best; one QuantizeTokens serves all readers of a value. Those that give an output of the graph stay:
/// of a prompt's tokens the head sees one, and logits are what rounding shows in first. Returns the number of rewrites.
std::size_t quantize_activations(Graph& graph, const gpu::DeviceFacts& facts, const GraphOptions& options);

}  // namespace driftwood::graph
