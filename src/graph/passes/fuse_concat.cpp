#include <algorithm>

#include "graph/passes/pass.h"
#include "graph/passes/rewrite.h"

namespace driftwood::graph {

std::size_t fuse_concat(Graph& graph) {
  std::size_t rewrites = 0;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const Node node = graph.nodes()[n];
    if (node.as<Concat>() == nullptr || graph.value(node.outputs[0]).role != Role::Activation) continue;
    const Uses uses(graph);
    const std::vector<std::size_t>& readers = uses.consumers[node.outputs[0]];
    const bool all_join = !readers.empty() && std::ranges::all_of(readers, [&](std::size_t r) {
      const Node& reader = graph.nodes()[r];
      const std::vector<ValueId> inputs = Graph::all_inputs(reader);
      return reader.inputs[0] == node.outputs[0] && joined_operand(reader.operation) == reader.inputs.size() &&
             std::ranges::count(inputs, node.outputs[0]) == 1;
    });
    if (!all_join) continue;
    for (const std::size_t r : readers) {
      graph.nodes()[r].inputs[0] = node.inputs[0];
      graph.nodes()[r].inputs.push_back(node.inputs[1]);
    }
    graph.nodes().erase(graph.nodes().begin() + static_cast<std::ptrdiff_t>(n));
    --n;
    ++rewrites;
  }
  return rewrites;
}

}  // namespace driftwood::graph
