#include <algorithm>

#include "graph/passes/pass.h"
#include "graph/passes/rewrite.h"

namespace driftwood::graph {

std::size_t fuse_add_norm(Graph& graph) {
  std::size_t rewrites = 0;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const Node& norm = graph.nodes()[n];
    if (norm.as<RmsNorm>() == nullptr || !norm.epilogue.empty()) continue;
    const Uses uses(graph);
    const Node* sum = uses.producer(graph, norm.inputs[0]);
    if (sum == nullptr || sum->as<ElementWise>() == nullptr || !sum->epilogue.empty()) continue;
    if (*sum->as<ElementWise>() != single(ElementOp::Add)) continue;
    const ValueId x = sum->inputs[0], residual = sum->inputs[1];
    // A broadcast term is no residual; and a sum of one term with itself is no sum of two.
    if (graph.value(x).shape != graph.value(residual).shape) continue;
    const auto place = static_cast<std::size_t>(sum - graph.nodes().data());
    Node node{.name = norm.name,
              .operation = AddRmsNorm{norm.as<RmsNorm>()->epsilon},
              .inputs = {x, residual, norm.inputs[1]},
              .outputs = {sum->outputs[0], norm.outputs[0]}};
    // At the place of the sum, which others may read before the norm; the factors are constant or must be there
    // already.
    const std::ptrdiff_t factors = uses.producers[norm.inputs[1]];
    if (factors > static_cast<std::ptrdiff_t>(place)) continue;
    replace_nodes(graph, place, std::move(node), {n});
    --n;
    ++rewrites;
  }
  return rewrites;
}

}  // namespace driftwood::graph
