#include "graph/passes/rewrite.h"

#include <algorithm>

namespace driftwood::graph {

void replace_nodes(Graph& graph, std::size_t place, Node node, std::vector<std::size_t> removed) {
  std::vector<Node>& nodes = graph.nodes();
  nodes[place] = std::move(node);
  std::sort(removed.rbegin(), removed.rend());
  for (const std::size_t n : removed) nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(n));
}

}  // namespace driftwood::graph
