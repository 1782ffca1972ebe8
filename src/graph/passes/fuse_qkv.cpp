#include "graph/passes/pass.h"
#include "graph/passes/rewrite.h"

namespace driftwood::graph {

namespace {

bool is_quantized(const Graph& graph, ValueId cache) { return graph.value(graph.root(cache)).is_array; }

// The linear that a RopeQkv alone reads, if it can store what that one would; else null. A scale of 8-bit blocks needs
// the whole head, as a norm of heads does.
const Node* match(const Graph& graph, const Uses& uses, const Node& node) {
  const RopeQkv* rope = node.as<RopeQkv>();
  if (rope == nullptr || !rope->merged || rope->normed || !turns_whole_slices(rope->rope)) return nullptr;
  if (is_quantized(graph, node.inputs[2]) || is_quantized(graph, node.inputs[3])) return nullptr;
  if (!uses.is_private(graph, node.inputs[0])) return nullptr;
  const Node* linear = uses.producer(graph, node.inputs[0]);
  if (linear == nullptr || linear->as<Linear>() == nullptr) return nullptr;
  if (!linear->epilogue.empty() || !linear->prologue.empty()) return nullptr;
  const Value& x = graph.value(linear->inputs[0]);
  // A state may be written before the caches are.
  const bool is_one_row = x.shape.b * x.shape.h * x.shape.d * x.shape.w == 1;
  return is_one_row && x.role != Role::State ? linear : nullptr;
}

}  // namespace

std::size_t fuse_qkv(Graph& graph) {
  std::size_t rewrites = 0;
  if (graph.max_tokens != 1) return rewrites;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const Uses uses(graph);
    const Node& node = graph.nodes()[n];
    const Node* linear = match(graph, uses, node);
    if (linear == nullptr) continue;
    const Linear& product = *linear->as<Linear>();
    const RopeQkv& rope = *node.as<RopeQkv>();
    Node fused{.name = linear->name,
               .operation = QkvLinear{.rope = rope.rope,
                                      .heads = rope.heads,
                                      .kv_heads = rope.kv_heads,
                                      .ring = rope.ring,
                                      .normalizes = product.normalizes,
                                      .epsilon = product.epsilon},
               .inputs = {linear->inputs[0], linear->inputs[1], node.inputs[1], node.inputs[2], node.inputs[3]},
               .outputs = node.outputs};
    fused.inputs.insert(fused.inputs.end(), linear->inputs.begin() + 2, linear->inputs.end());
    const auto removed = static_cast<std::size_t>(linear - graph.nodes().data());
    replace_nodes(graph, n, std::move(fused), {removed});
    --n;
    ++rewrites;
  }
  return rewrites;
}

}  // namespace driftwood::graph
