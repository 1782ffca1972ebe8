// A graph as text for people and tests, and as Graphviz.
#pragma once

#include <string>

#include "graph/graph.h"

namespace driftwood::graph {

/// One line a node:
///   %7 q (1, 1, 16, 64) = linear(%3 x, @blk.0.attn_q.weight [64 x 48 q4_0]) | add(0, 1) with (%2 r)
std::string to_text(const Graph& graph);

/// A digraph for `dot -Tsvg`.
std::string to_graphviz(const Graph& graph);

}  // namespace driftwood::graph
