#include <algorithm>

#include "graph/passes/pass.h"
#include "graph/passes/rewrite.h"

namespace driftwood::graph {

namespace {

struct Match {
  ElementOp activation;
  std::size_t activation_node, gate, up;
};

// A plain linear whose result only one node reads.
const Node* plain_linear(const Graph& graph, const Uses& uses, ValueId id) {
  const Node* node = uses.producer(graph, id);
  const bool is_plain = node != nullptr && node->as<Linear>() != nullptr && node->epilogue.empty();
  return is_plain && uses.is_private(graph, id) ? node : nullptr;
}

// product = activation(linear(x, gate)) * linear(x, up), the factors in either order.
std::optional<Match> match(const Graph& graph, const Uses& uses, const Node& product) {
  const ElementWise* program = product.as<ElementWise>();
  if (program == nullptr || *program != single(ElementOp::Multiply) || !product.epilogue.empty()) return {};
  const auto index = [&](const Node* node) { return static_cast<std::size_t>(node - graph.nodes().data()); };
  for (const std::size_t side : {0, 1}) {
    const ValueId activated = product.inputs[side];
    const Node* activation = uses.producer(graph, activated);
    if (activation == nullptr || activation->as<ElementWise>() == nullptr || !activation->epilogue.empty()) continue;
    const ElementWise& inner = *activation->as<ElementWise>();
    if (inner.inputs != 1 || inner.instructions.size() != 1 || info(inner.instructions[0].op).constants != 0) continue;
    if (info(inner.instructions[0].op).operands != 1 || !uses.is_private(graph, activated)) continue;
    const Node* gate = plain_linear(graph, uses, activation->inputs[0]);
    const Node* up = plain_linear(graph, uses, product.inputs[1 - side]);
    if (gate == nullptr || up == nullptr || gate->inputs[0] != up->inputs[0] ||
        gate->inputs.size() != up->inputs.size()) {
      continue;
    }
    const Value& gate_weights = graph.value(gate->inputs[1]);
    const Value& up_weights = graph.value(up->inputs[1]);
    if (gate_weights.data_type != up_weights.data_type || gate_weights.shape != up_weights.shape) continue;
    return Match{inner.instructions[0].op, index(activation), index(gate), index(up)};
  }
  return {};
}

}  // namespace

std::size_t fuse_gated(Graph& graph) {
  std::size_t rewrites = 0;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const Uses uses(graph);
    const std::optional<Match> found = match(graph, uses, graph.nodes()[n]);
    if (!found) continue;
    const Node& gate = graph.nodes()[found->gate];
    const Node& up = graph.nodes()[found->up];
    Node node{.name = graph.nodes()[n].name,
              .operation = GatedLinear{found->activation},
              .inputs = {gate.inputs[0], gate.inputs[1], up.inputs[1]},
              .outputs = graph.nodes()[n].outputs};
    if (gate.inputs.size() == 3) node.inputs.insert(node.inputs.end(), {gate.inputs[2], up.inputs[2]});
    replace_nodes(graph, n, std::move(node), {found->activation_node, found->gate, found->up});
    n -= 3;
    ++rewrites;
  }
  return rewrites;
}

}  // namespace driftwood::graph
