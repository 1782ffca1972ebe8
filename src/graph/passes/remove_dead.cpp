#include <iterator>

#include "graph/passes/pass.h"

namespace driftwood::graph {

// A node stays if it makes an output, writes a state, or makes what such a node needs.
std::size_t remove_dead(Graph& graph) {
  std::vector<bool> needed(graph.values().size(), false);
  std::vector<Node> kept;
  std::vector<Node>& nodes = graph.nodes();
  std::size_t removed = 0;
  for (std::size_t n = nodes.size(); n-- > 0;) {
    bool is_needed = false;
    for (const ValueId id : nodes[n].outputs) {
      const Role role = graph.value(id).role;
      is_needed = is_needed || needed[id] || role == Role::Output || role == Role::State;
    }
    if (!is_needed) {
      ++removed;
      continue;
    }
    for (const ValueId id : Graph::all_inputs(nodes[n])) needed[id] = true;
    kept.push_back(std::move(nodes[n]));
  }
  nodes.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  return removed;
}

}  // namespace driftwood::graph
