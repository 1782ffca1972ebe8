#include "graph/passes/rewrite.h"

#include <algorithm>

namespace driftwood::graph {

void replace_nodes(Graph& graph, std::size_t place, Node node, std::vector<std::size_t> removed) {
  graph.nodes()[place] = std::move(node);
  remove_nodes(graph, std::move(removed));
}

void remove_nodes(Graph& graph, std::vector<std::size_t> removed) {
  std::sort(removed.rbegin(), removed.rend());
  for (const std::size_t n : removed) graph.nodes().erase(graph.nodes().begin() + static_cast<std::ptrdiff_t>(n));
}

ValueId merged_weights(Graph& graph, std::span<const ValueId> parts) {
  Value value = graph.value(parts[0]);
  for (const ValueId part : parts.subspan(1)) {
    const std::vector<WeightsBlock>& blocks = graph.value(part).weights.blocks;
    value.weights.blocks.insert(value.weights.blocks.end(), blocks.begin(), blocks.end());
  }
  value.name = value.weights.key();
  value.shape.w = value.weights.rows();
  return graph.add_value(std::move(value));
}

ValueId merged_vectors(Graph& graph, std::span<const ValueId> parts) {
  Value value = graph.value(parts[0]);
  std::vector<float> data = *value.constant;
  for (const ValueId part : parts.subspan(1)) {
    const Value& other = graph.value(part);
    data.insert(data.end(), other.constant->begin(), other.constant->end());
    value.name += " + " + other.name;
  }
  value.shape.c = static_cast<std::uint32_t>(data.size());
  value.constant = std::make_shared<const std::vector<float>>(std::move(data));
  value.descriptor.reset();
  return graph.add_value(std::move(value));
}

}  // namespace driftwood::graph
