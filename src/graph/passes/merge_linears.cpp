#include <algorithm>
#include <array>

#include "graph/passes/pass.h"
#include "graph/passes/rewrite.h"

namespace driftwood::graph {

namespace {

// The linears of q, k and v, if they can be one: same input and format, biased all or none.
std::optional<std::array<std::size_t, 3>> match(const Graph& graph, const Uses& uses, const Node& node) {
  const RopeQkv* operation = node.as<RopeQkv>();
  // Parts must begin at whole slices, as RopeQkv reads them by channel offset.
  if (operation == nullptr || operation->merged || operation->q_channels() % 4 != 0 ||
      operation->kv_channels() % 4 != 0) {
    return {};
  }
  std::array<std::size_t, 3> linears{};
  const Node* first = nullptr;
  for (std::size_t i = 0; i < 3; ++i) {
    const ValueId id = node.inputs[i];
    const Node* linear = uses.producer(graph, id);
    if (linear == nullptr || linear->as<Linear>() == nullptr || !linear->epilogue.empty()) return {};
    if (!uses.is_private(graph, id)) return {};
    if (first == nullptr) first = linear;
    const Value& weights = graph.value(linear->inputs[1]);
    if (linear->inputs.size() != first->inputs.size() || linear->inputs[0] != first->inputs[0] ||
        weights.data_type != graph.value(first->inputs[1]).data_type ||
        graph.value(id).data_type != graph.value(first->outputs[0]).data_type) {
      return {};
    }
    if (linear->inputs.size() == 3 && graph.value(linear->inputs[2]).role != Role::Constant) return {};
    linears[i] = static_cast<std::size_t>(linear - graph.nodes().data());
  }
  return linears;
}

}  // namespace

std::size_t merge_linears(Graph& graph) {
  std::size_t rewrites = 0;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const Uses uses(graph);
    const auto found = match(graph, uses, graph.nodes()[n]);
    if (!found) continue;
    const std::size_t place = *std::ranges::max_element(*found);
    std::array<ValueId, 3> weights{}, biases{};
    const bool is_biased = graph.nodes()[place].inputs.size() == 3;
    for (std::size_t i = 0; i < 3; ++i) {
      weights[i] = graph.nodes()[(*found)[i]].inputs[1];
      if (is_biased) biases[i] = graph.nodes()[(*found)[i]].inputs[2];
    }
    Value output = graph.value(graph.nodes()[(*found)[0]].outputs[0]);
    const RopeQkv& rope = *graph.nodes()[n].as<RopeQkv>();
    output.shape.c = rope.q_channels() + 2 * rope.kv_channels();
    output.name += ".qkv";
    Node linear{.name = output.name, .operation = Linear{}, .inputs = {graph.nodes()[place].inputs[0]}};
    linear.inputs.push_back(merged_weights(graph, weights));
    if (is_biased) linear.inputs.push_back(merged_vectors(graph, biases));
    linear.outputs = {graph.add_value(std::move(output))};

    Node& consumer = graph.nodes()[n];
    std::get<RopeQkv>(consumer.operation).merged = true;
    consumer.inputs.erase(consumer.inputs.begin(), consumer.inputs.begin() + 3);
    consumer.inputs.insert(consumer.inputs.begin(), linear.outputs[0]);
    std::vector<std::size_t> removed(found->begin(), found->end());
    std::erase(removed, place);
    replace_nodes(graph, place, std::move(linear), removed);
    n -= removed.size();
    ++rewrites;
  }
  return rewrites;
}

}  // namespace driftwood::graph
