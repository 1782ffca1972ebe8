#include <algorithm>

#include "graph/passes/pass.h"
#include "graph/passes/rewrite.h"

namespace driftwood::graph {

std::size_t remove_select(Graph& graph) {
  std::size_t rewrites = 0;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const Node node = graph.nodes()[n];
    if (node.as<SelectToken>() == nullptr || !node.epilogue.empty()) continue;
    const ValueId x = node.inputs[0], selected = node.outputs[0];
    if (graph.value(x).shape.w != 1 || graph.value(selected).role != Role::Activation) continue;
    graph.nodes().erase(graph.nodes().begin() + static_cast<std::ptrdiff_t>(n));
    for (Node& reader : graph.nodes()) {
      std::ranges::replace(reader.inputs, selected, x);
      std::ranges::replace(reader.epilogue_inputs, selected, x);
      std::ranges::replace(reader.prologue_inputs, selected, x);
    }
    --n;
    ++rewrites;
  }
  return rewrites;
}

}  // namespace driftwood::graph
