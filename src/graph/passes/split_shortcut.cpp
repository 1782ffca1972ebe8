#include <algorithm>
#include <array>

#include "graph/passes/pass.h"
#include "graph/passes/rewrite.h"

namespace driftwood::graph {

namespace {

// A smaller tensor is not worth two launches more.
constexpr std::uint64_t least_elements = std::uint64_t{16} << 20;

bool is_constant_vector(const Graph& graph, ValueId id, std::uint32_t channels) {
  const Value& value = graph.value(id);
  return value.role == Role::Constant && value.shape == Shape{.c = channels};
}

// A convolution of one block of weights whose epilogue reads vectors alone, so that its channels can be cut in two.
bool can_be_cut(const Graph& graph, const Node& node) {
  const std::uint32_t channels = graph.value(node.outputs[0]).shape.c;
  return node.as<Conv2d>() != nullptr && channels % 8 == 0 && graph.value(node.inputs[1]).weights.blocks.size() == 1 &&
         std::ranges::all_of(node.epilogue_inputs, [&](ValueId id) { return is_constant_vector(graph, id, channels); });
}

bool is_plain_1x1(const Graph& graph, const Node& node) {
  const Value& weights = graph.value(node.inputs[1]);
  return node.as<Conv2d>() != nullptr && *node.as<Conv2d>() == Conv2d{} && node.inputs.size() == 2 &&
         node.prologue.empty() && weights.weights.stored_columns == 0 && info(weights.data_type).block_length == 1;
}

struct Match {
  std::size_t producer, shortcut;
  std::vector<std::size_t> others;  // statistics and convolutions, which take two inputs
};

// x whose readers are the statistics of a group norm, convolutions, and a shortcut to half as many channels.
std::optional<Match> match(const Graph& graph, const Uses& uses, std::size_t producer, std::uint64_t least) {
  const Node& node = graph.nodes()[producer];
  const ValueId x = node.outputs[0];
  const Shape& shape = graph.value(x).shape;
  if (graph.value(x).role != Role::Activation || shape.elements() < least || !can_be_cut(graph, node)) {
    return {};
  }
  Match found{.producer = producer, .shortcut = 0, .others = {}};
  for (const std::size_t r : uses.consumers[x]) {
    const Node& reader = graph.nodes()[r];
    const std::vector<ValueId> inputs = Graph::all_inputs(reader);
    if (reader.inputs[0] != x || std::ranges::count(inputs, x) != 1) return {};
    if (is_plain_1x1(graph, reader) && 2 * graph.value(reader.outputs[0]).shape.c == shape.c && found.shortcut == 0) {
      found.shortcut = r;
    } else if (joined_operand(reader.operation) == reader.inputs.size()) {
      found.others.push_back(r);
    } else {
      return {};
    }
  }
  if (found.shortcut == 0 || found.others.empty()) return {};
  return found;
}

ValueId cut_vector(Graph& graph, ValueId id, std::size_t part) {
  Value value = graph.value(id);
  const auto half = static_cast<std::ptrdiff_t>(value.shape.c / 2);
  const auto begin = value.constant->begin() + static_cast<std::ptrdiff_t>(part) * half;
  value.constant = std::make_shared<const std::vector<float>>(begin, begin + half);
  value.name += part == 0 ? "[first half]" : "[second half]";
  value.shape.c /= 2;
  value.descriptor.reset();
  if (const Value* known = graph.find(value.name)) return known->id;
  return graph.add_value(std::move(value));
}

ValueId cut_rows(Graph& graph, ValueId id, std::size_t part) {
  Value value = graph.value(id);
  WeightsBlock& block = value.weights.blocks[0];
  if (block.stored_rows == 0) block.stored_rows = block.first_row + block.rows;
  block.rows /= 2;
  block.first_row += static_cast<std::uint32_t>(part) * block.rows;
  value.shape.w = block.rows;
  value.name = value.weights.key();
  return graph.add_value(std::move(value));
}

ValueId cut_columns(Graph& graph, ValueId id, std::size_t part) {
  Value value = graph.value(id);
  WeightsSource& source = value.weights;
  source.stored_columns = source.columns;
  source.columns /= 2;
  source.first_column = static_cast<std::uint32_t>(part) * source.columns;
  if (source.channels != 0) source.channels = source.columns;
  value.shape.c = source.columns;
  value.name = source.key();
  return graph.add_value(std::move(value));
}

ValueId like(Graph& graph, ValueId id, const std::string& suffix, std::uint32_t channels) {
  Value value = graph.value(id);
  value.name += suffix;
  value.shape.c = channels;
  return graph.add_value(std::move(value));
}

void split(Graph& graph, const Match& found) {
  const Node producer = graph.nodes()[found.producer];
  const Node shortcut = graph.nodes()[found.shortcut];
  const std::uint32_t half = graph.value(producer.outputs[0]).shape.c / 2;
  std::array<Node, 2> parts{producer, producer};
  for (std::size_t p = 0; p < 2; ++p) {
    const std::string suffix = p == 0 ? ".first" : ".second";
    parts[p].name += suffix;
    parts[p].inputs[1] = cut_rows(graph, producer.inputs[1], p);
    for (ValueId& id : parts[p].epilogue_inputs) id = cut_vector(graph, id, p);
    parts[p].outputs = {like(graph, producer.outputs[0], suffix, half)};
  }
  for (const std::size_t r : found.others) {
    graph.nodes()[r].inputs[0] = parts[0].outputs[0];
    graph.nodes()[r].inputs.push_back(parts[1].outputs[0]);
  }
  // The shortcut of the first half can take its place in memory, and the sum that of the shortcut.
  Node first = shortcut;
  first.name += ".first";
  first.inputs = {parts[0].outputs[0], cut_columns(graph, shortcut.inputs[1], 0)};
  first.outputs = {like(graph, shortcut.outputs[0], ".first", half)};
  first.epilogue = {};
  first.epilogue_inputs = {};
  Node second = shortcut;
  second.inputs = {parts[1].outputs[0], cut_columns(graph, shortcut.inputs[1], 1)};
  const ElementWise sum = single(ElementOp::Add);
  ElementWise own = shortcut.epilogue;
  own.inputs = static_cast<std::uint16_t>(1 + shortcut.epilogue_inputs.size());
  second.epilogue = own.empty() ? sum : compose(own, 0, sum);
  second.epilogue_inputs.insert(second.epilogue_inputs.begin(), first.outputs[0]);

  // Both go behind the last of the other readers, where x is read for the last time.
  std::vector<Node> nodes;
  const std::size_t last = std::ranges::max(found.others);
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    if (n == found.producer) {
      nodes.insert(nodes.end(), parts.begin(), parts.end());
    } else if (n != found.shortcut) {
      nodes.push_back(graph.nodes()[n]);
    }
    if (n == last) nodes.insert(nodes.end(), {first, second});
  }
  graph.nodes() = std::move(nodes);
}

// Nothing that comes before the place where the shortcut moves may read it.
bool may_move(const Graph& graph, const Uses& uses, const Match& found) {
  const std::size_t last = std::ranges::max(found.others);
  const ValueId result = graph.nodes()[found.shortcut].outputs[0];
  return graph.nodes()[found.shortcut].outputs.size() == 1 &&
         std::ranges::all_of(uses.consumers[result], [&](std::size_t r) { return r > last; }) &&
         std::ranges::all_of(graph.nodes()[found.shortcut].epilogue_inputs,
                             [&](ValueId id) { return graph.value(id).role == Role::Constant; });
}

}  // namespace

std::size_t split_shortcuts_from(Graph& graph, std::uint64_t least) {
  std::size_t rewrites = 0;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const Uses uses(graph);
    const std::optional<Match> found = match(graph, uses, n, least);
    if (!found || !may_move(graph, uses, *found)) continue;
    split(graph, *found);
    ++rewrites;
  }
  return rewrites;
}

std::size_t split_shortcut(Graph& graph) { return split_shortcuts_from(graph, least_elements); }

}  // namespace driftwood::graph
