#include <algorithm>

#include "graph/passes/pass.h"
#include "graph/passes/rewrite.h"

namespace driftwood::graph {

namespace {

// The input of an element-wise node that the prologue would load: the only one of the result's shape, the others being
// spread over all positions, such as the factors of a group norm. A prologue runs again for each tap and each group of
// output channels, so inputs that are as large as the result are better read once.
std::optional<std::size_t> loaded_input(const Graph& graph, const Node& node) {
  const Shape& shape = graph.value(node.outputs[0]).shape;
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Shape& input = graph.value(node.inputs[i]).shape;
    if (input == shape) {
      if (found) return {};
      found = i;
    } else if (input.h != 1 || input.w != 1) {
      return {};
    }
  }
  return found;
}

// Input `first` becomes input 0, as in a prologue.
ElementWise with_first(ElementWise program, std::uint16_t first) {
  for (ElementInstruction& instruction : program.instructions) {
    for (std::uint16_t* operand : {&instruction.a, &instruction.b}) {
      if (operand == &instruction.b && info(instruction.op).operands == 1) continue;
      if (*operand == first) {
        *operand = 0;
      } else if (*operand < first) {
        ++*operand;
      }
    }
  }
  return program;
}

bool all_load(const Graph& graph, const Uses& uses, ValueId id) {
  if (graph.value(id).role != Role::Activation || uses.consumers[id].empty()) return false;
  return std::ranges::all_of(uses.consumers[id], [&](std::size_t n) {
    const Node& reader = graph.nodes()[n];
    const std::vector<ValueId> inputs = Graph::all_inputs(reader);
    return accepts_prologue(reader.operation) && reader.prologue.empty() && reader.inputs[0] == id &&
           reader.inputs.size() <= joined_operand(reader.operation) && std::ranges::count(inputs, id) == 1;
  });
}

}  // namespace

std::size_t fuse_prologue(Graph& graph) {
  std::size_t rewrites = 0;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const Node node = graph.nodes()[n];
    if (node.as<ElementWise>() == nullptr || !node.epilogue.empty()) continue;
    const std::optional<std::size_t> place = loaded_input(graph, node);
    const Uses uses(graph);
    if (!place || graph.value(node.inputs[*place]).role == Role::Weights || !all_load(graph, uses, node.outputs[0])) {
      continue;
    }
    std::vector<ValueId> others = node.inputs;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(*place));
    for (const std::size_t r : uses.consumers[node.outputs[0]]) {
      Node& reader = graph.nodes()[r];
      reader.inputs[0] = node.inputs[*place];
      reader.prologue = with_first(*node.as<ElementWise>(), static_cast<std::uint16_t>(*place));
      reader.prologue_inputs = others;
    }
    graph.nodes().erase(graph.nodes().begin() + static_cast<std::ptrdiff_t>(n));
    --n;
    ++rewrites;
  }
  return rewrites;
}

}  // namespace driftwood::graph
