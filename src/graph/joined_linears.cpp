#include "graph/joined_linears.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "graph/passes/rewrite.h"
#include "graph/spare_memory.h"

namespace driftwood::graph {
namespace {

// So little may always live longer than it would by itself. On a CPU, where a launch costs little, no more does.
constexpr std::uint64_t least_bytes = std::uint64_t{1} << 20;

// Reads its operands channel by channel: attention all three, other operations those of a fused program.
bool takes_parts(const Node& node, ValueId id) {
  if (node.as<MultiHeadAttention>() != nullptr) return true;
  return std::ranges::count(node.inputs, id) == 0;
}

bool can_join(const Graph& graph, const Uses& uses, const Node& node) {
  if (node.as<Linear>() == nullptr || !node.epilogue.empty() || !node.prologue.empty()) return false;
  const Value& output = graph.value(node.outputs[0]);
  const Value& weights = graph.value(node.inputs[1]);
  if (output.role != Role::Activation || output.shape.c % 4 != 0 || output.descriptor) return false;
  if (weights.role != Role::Weights || weights.weights.taps != 1 || weights.weights.stored_columns != 0) return false;
  const bool is_biased = node.as<Linear>()->has_bias(node.inputs.size());
  if (is_biased && graph.value(node.inputs[2]).role != Role::Constant) return false;
  return std::ranges::all_of(uses.consumers[output.id],
                             [&](std::size_t r) { return takes_parts(graph.nodes()[r], output.id); });
}

// Operands but for the weights and bias, attributes and types are the same.
bool are_alike(const Graph& graph, const Node& a, const Node& b) {
  if (a.inputs.size() != b.inputs.size() || !(*a.as<Linear>() == *b.as<Linear>())) return false;
  const std::size_t first_other = a.as<Linear>()->has_bias(a.inputs.size()) ? 3 : 2;
  for (std::size_t i = 0; i < a.inputs.size(); ++i) {
    if ((i == 0 || i >= first_other) && a.inputs[i] != b.inputs[i]) return false;
  }
  const WeightsSource& left = graph.value(a.inputs[1]).weights;
  const WeightsSource& right = graph.value(b.inputs[1]).weights;
  const Value& y = graph.value(a.outputs[0]);
  const Value& other = graph.value(b.outputs[0]);
  return left.format == right.format && left.columns == right.columns && y.data_type == other.data_type;
}

// Nodes that can be one, those of each entry by index.
std::vector<std::vector<std::size_t>> alike(const Graph& graph, const Uses& uses) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const Node& node = graph.nodes()[n];
    if (!can_join(graph, uses, node)) continue;
    const auto found = std::ranges::find_if(
        groups, [&](const auto& group) { return are_alike(graph, graph.nodes()[group[0]], node); });
    found == groups.end() ? groups.push_back({n}) : found->push_back(n);
  }
  return groups;
}

std::uint64_t bytes_of(const Graph& graph, const std::vector<std::size_t>& nodes) {
  std::uint64_t bytes = 0;
  for (const std::size_t n : nodes) {
    bytes += element_bytes(graph.value(graph.nodes()[n].outputs[0]));
  }
  return bytes;
}

// Whole groups, or where they keep too much, those among them whose outputs are first read by one node.
std::vector<std::vector<std::size_t>> within(const Graph& graph, const Uses& uses, std::uint64_t most_bytes) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::vector<std::size_t>& group : alike(graph, uses)) {
    if (bytes_of(graph, group) <= most_bytes) {
      groups.push_back(std::move(group));
      continue;
    }
    std::map<std::size_t, std::vector<std::size_t>> of_reader;
    for (const std::size_t n : group) {
      const std::vector<std::size_t>& readers = uses.consumers[graph.nodes()[n].outputs[0]];
      if (!readers.empty()) of_reader[std::ranges::min(readers)].push_back(n);
    }
    for (auto& [reader, nodes] : of_reader) groups.push_back(std::move(nodes));
  }
  std::erase_if(groups, [](const auto& group) { return group.size() < 2; });
  return groups;
}

// The linear of a group's nodes, whose outputs become parts of its own.
Node joined(Graph& graph, const std::vector<std::size_t>& group) {
  Node linear = graph.nodes()[group[0]];
  std::vector<ValueId> weights, biases;
  Value whole = graph.value(linear.outputs[0]);
  const auto id = static_cast<ValueId>(graph.values().size());
  whole.shape.c = 0;
  for (const std::size_t n : group) {
    const Node& node = graph.nodes()[n];
    weights.push_back(node.inputs[1]);
    biases.push_back(node.inputs.size() > 2 ? node.inputs[2] : no_value);
    Value& part = graph.value(node.outputs[0]);
    part.part_of = id;
    part.first_channel = whole.shape.c;
    whole.shape.c += part.shape.c;
  }
  whole.name += ".joined";
  linear.name = whole.name;
  linear.outputs = {graph.add_value(std::move(whole))};
  linear.inputs[1] = merged_weights(graph, weights);
  if (linear.as<Linear>()->has_bias(linear.inputs.size())) linear.inputs[2] = merged_vectors(graph, biases);
  return linear;
}

}  // namespace

void join_linears(Graph& graph, const gpu::DeviceFacts& facts) {
  const Uses uses(graph);
  const std::uint64_t most_bytes = facts.is_cpu ? least_bytes : std::max(spare_memory(facts), least_bytes);
  std::vector<std::size_t> removed;
  for (const std::vector<std::size_t>& group : within(graph, uses, most_bytes)) {
    // All read one input, so the first of them stands behind it, and before every reader.
    graph.nodes()[group[0]] = joined(graph, group);
    removed.insert(removed.end(), group.begin() + 1, group.end());
  }
  remove_nodes(graph, std::move(removed));
  graph.check();
}

}  // namespace driftwood::graph
