// A graph as text for people and tests, and as Graphviz.
#pragma once

#include <string>

#include "graph/graph.h"

namespace driftwood::graph {

/// Inputs and states, one line a node, and outputs:
///   %7 blk.0.attn_out (1, 1, 16, 64) f32 = linear(%3, @blk.0.attn_output.weight [64 x 48 q4_0]) | add(0, 1) with %2
/// %N is the value N, <a> an input, @a weights or a constant, #a a state.
std::string to_text(const Graph& graph);

/// A digraph for `dot -Tsvg`.
std::string to_graphviz(const Graph& graph);

}  // namespace driftwood::graph
