#include <algorithm>

#include "graph/passes/pass.h"
#include "graph/passes/rewrite.h"

namespace driftwood::graph {

namespace {

struct Match {
  RopeQkv operation;
  std::vector<ValueId> inputs;   // q, k, v, frequencies, K cache, V cache
  std::vector<ValueId> outputs;  // q by head, K cache, V cache
  std::vector<std::size_t> nodes;
};

// The node of operation T that produces a value, if it has no epilogue.
template <class T>
const Node* plain_producer(const Graph& graph, const Uses& uses, ValueId id) {
  const Node* node = uses.producer(graph, id);
  return node != nullptr && node->as<T>() != nullptr && node->epilogue.empty() ? node : nullptr;
}

// The norm that a RoPE alone reads, or null.
const Node* private_norm(const Graph& graph, const Uses& uses, const Node& rope) {
  const Node* norm = plain_producer<HeadNorm>(graph, uses, rope.inputs[0]);
  return norm != nullptr && uses.is_private(graph, rope.inputs[0]) ? norm : nullptr;
}

// Whether the norms of queries and keys can be one setting of the fused node.
bool can_share(const Node& q_norm, const Node& k_norm, const Rope& rope) {
  return *q_norm.as<HeadNorm>() == *k_norm.as<HeadNorm>() && q_norm.as<HeadNorm>()->head_size == rope.head_size;
}

// The attention's q = HeadLayout(Rope(q)), its K cache = CacheWrite(Rope(k)), its V cache = CacheWrite(v), where q and
// k may both be norms of heads.
std::optional<Match> match(const Graph& graph, const Uses& uses, const Node& attention) {
  const ValueId q = attention.inputs[0], k_cache = attention.inputs[1], v_cache = attention.inputs[2];
  const Node* layout = plain_producer<HeadLayout>(graph, uses, q);
  const Node* k_write = plain_producer<CacheWrite>(graph, uses, k_cache);
  const Node* v_write = plain_producer<CacheWrite>(graph, uses, v_cache);
  if (layout == nullptr || k_write == nullptr || v_write == nullptr || k_write == v_write) return {};
  const Node* q_rope = plain_producer<Rope>(graph, uses, layout->inputs[0]);
  const Node* k_rope = plain_producer<Rope>(graph, uses, k_write->inputs[0]);
  if (q_rope == nullptr || k_rope == nullptr) return {};
  if (!uses.is_private(graph, layout->inputs[0]) || !uses.is_private(graph, k_write->inputs[0])) return {};
  if (q_rope->inputs[1] != k_rope->inputs[1] || *q_rope->as<Rope>() != *k_rope->as<Rope>()) return {};
  if (k_write->as<CacheWrite>()->ring != v_write->as<CacheWrite>()->ring) return {};
  const Rope& rope = *q_rope->as<Rope>();
  const std::uint32_t kv_heads = layout->as<HeadLayout>()->kv_heads;
  const Shape& cache = graph.value(k_cache).shape;
  if (layout->as<HeadLayout>()->head_size != rope.head_size || cache.h != kv_heads || cache.c != rope.head_size)
    return {};
  // The fused node writes both caches at once, so they must be different ones.
  if (graph.root(k_cache) == graph.root(v_cache)) return {};

  const Node* q_norm = private_norm(graph, uses, *q_rope);
  const Node* k_norm = private_norm(graph, uses, *k_rope);
  const bool normed = q_norm != nullptr && k_norm != nullptr && can_share(*q_norm, *k_norm, rope);

  Match result;
  result.operation = {.rope = rope,
                      .heads = graph.value(q_rope->inputs[0]).shape.c / rope.head_size,
                      .kv_heads = kv_heads,
                      .ring = k_write->as<CacheWrite>()->ring,
                      .normed = normed};
  std::vector<const Node*> nodes = {layout, k_write, v_write, q_rope, k_rope};
  result.inputs = {q_rope->inputs[0], k_rope->inputs[0],  v_write->inputs[0],
                   q_rope->inputs[1], k_write->inputs[1], v_write->inputs[1]};
  if (normed) {
    result.operation.epsilon = q_norm->as<HeadNorm>()->epsilon;
    result.inputs[0] = q_norm->inputs[0];
    result.inputs[1] = k_norm->inputs[0];
    result.inputs.insert(result.inputs.end(), {q_norm->inputs[1], k_norm->inputs[1]});
    nodes.insert(nodes.end(), {q_norm, k_norm});
  }
  result.outputs = {q, k_cache, v_cache};
  for (const Node* node : nodes) result.nodes.push_back(static_cast<std::size_t>(node - graph.nodes().data()));
  return result;
}

}  // namespace

std::size_t fuse_rope_cache(Graph& graph) {
  std::size_t rewrites = 0;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    if (graph.nodes()[n].as<Attention>() == nullptr) continue;
    const Uses uses(graph);
    std::optional<Match> found = match(graph, uses, graph.nodes()[n]);
    if (!found) continue;
    // At the last of the nodes, where all inputs are there, provided that nobody reads a result before.
    const std::size_t place = *std::ranges::max_element(found->nodes);
    const bool is_read_before = std::ranges::any_of(found->outputs, [&](ValueId id) {
      return std::ranges::any_of(uses.consumers[id], [&](std::size_t consumer) { return consumer <= place; });
    });
    if (is_read_before) continue;
    const std::string name = graph.nodes()[place].name + ".rope_qkv";
    Node node{.name = name, .operation = found->operation, .inputs = found->inputs, .outputs = found->outputs};
    std::erase(found->nodes, place);
    replace_nodes(graph, place, std::move(node), found->nodes);
    n -= found->nodes.size();
    ++rewrites;
  }
  return rewrites;
}

}  // namespace driftwood::graph
