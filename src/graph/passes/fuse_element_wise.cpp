#include <algorithm>

#include "graph/passes/pass.h"
#include "graph/passes/rewrite.h"

namespace driftwood::graph {

namespace {

// A program and what its inputs are, both as operation and as epilogue.
struct Chain {
  ElementWise program;
  std::vector<ValueId> inputs;
};

// Puts a chain in the place of one input and lets each value be an input only once.
Chain substitute(const Chain& outer, std::size_t place, const Chain& inner) {
  Chain result{compose(outer.program, static_cast<std::uint16_t>(place), inner.program), outer.inputs};
  const auto at = result.inputs.begin() + static_cast<std::ptrdiff_t>(place);
  result.inputs.insert(result.inputs.erase(at), inner.inputs.begin(), inner.inputs.end());
  for (std::size_t i = 0; i < result.inputs.size(); ++i) {
    for (std::size_t j = result.inputs.size(); j-- > i + 1;) {
      if (result.inputs[i] != result.inputs[j]) continue;
      result.program = merge_inputs(result.program, static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(j));
      result.inputs.erase(result.inputs.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
  return result;
}

bool same_shape(const Graph& graph, ValueId a, ValueId b) { return graph.value(a).shape == graph.value(b).shape; }

// Takes the element-wise producer of an input into the node, if nobody else reads it and nothing would be computed
// twice.
bool absorb_producer(Graph& graph, std::size_t n) {
  const Uses uses(graph);
  const Node& node = graph.nodes()[n];
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Node* inner = uses.producer(graph, node.inputs[i]);
    if (inner == nullptr || inner->as<ElementWise>() == nullptr || !inner->epilogue.empty()) continue;
    if (!uses.is_private(graph, node.inputs[i]) || !same_shape(graph, node.inputs[i], node.outputs[0])) continue;
    const Chain chain =
        substitute({*node.as<ElementWise>(), node.inputs}, i, {*inner->as<ElementWise>(), inner->inputs});
    Node fused{.name = node.name, .operation = chain.program, .inputs = chain.inputs, .outputs = node.outputs};
    replace_nodes(graph, n, std::move(fused), {static_cast<std::size_t>(inner - graph.nodes().data())});
    return true;
  }
  return false;
}

bool reads_state(const Graph& graph, const Node& node) {
  return std::ranges::any_of(node.inputs, [&](ValueId id) { return graph.value(id).role == Role::State; });
}

// Whether a node in [begin, end) writes a state: a reader of states must not move past it.
bool writes_state(const Graph& graph, std::size_t begin, std::size_t end) {
  for (std::size_t n = begin; n < end; ++n) {
    for (const ValueId id : graph.nodes()[n].outputs) {
      if (graph.value(id).role == Role::State) return true;
    }
  }
  return false;
}

// Puts the node into the epilogue of the last of its producers that can take it. That producer moves down to the node's
// place, where every other input is there as well; nobody else reads its result, so nobody misses it in between.
bool join_producer(Graph& graph, std::size_t n) {
  const Uses uses(graph);
  const Node& node = graph.nodes()[n];
  if (graph.value(node.outputs[0]).shape.d != 1) return false;  // fusion points have no depth
  std::ptrdiff_t last = -1;
  for (const ValueId id : node.inputs) {
    const Node* producer = uses.producer(graph, id);
    if (producer == nullptr || !accepts_epilogue(producer->operation) || producer->as<ElementWise>() != nullptr)
      continue;
    if (!uses.is_private(graph, id) || !same_shape(graph, id, node.outputs[0])) continue;
    last = std::max(last, uses.producers[id]);
  }
  if (last < 0) return false;
  const auto place = static_cast<std::size_t>(last);
  if (reads_state(graph, graph.nodes()[place]) && writes_state(graph, place + 1, n)) return false;
  Node fused = graph.nodes()[place];
  const ValueId computed = fused.outputs[0];
  // The program over (computed, others): the producer's own epilogue goes where the node reads its result.
  const auto at = static_cast<std::size_t>(std::ranges::find(node.inputs, computed) - node.inputs.begin());
  Chain inner{fused.epilogue, {computed}};
  inner.program.inputs = static_cast<std::uint16_t>(1 + fused.epilogue_inputs.size());
  inner.inputs.insert(inner.inputs.end(), fused.epilogue_inputs.begin(), fused.epilogue_inputs.end());
  Chain outer{*node.as<ElementWise>(), node.inputs};
  Chain chain = substitute(outer, at, inner);
  // The value computed is input 0 of an epilogue.
  const auto first = static_cast<std::uint16_t>(std::ranges::find(chain.inputs, computed) - chain.inputs.begin());
  for (ElementInstruction& instruction : chain.program.instructions) {
    for (std::uint16_t* operand : {&instruction.a, &instruction.b}) {
      if (*operand == first) {
        *operand = 0;
      } else if (*operand < first) {
        ++*operand;
      }
    }
    if (info(instruction.op).operands == 1) instruction.b = 0;
  }
  chain.inputs.erase(chain.inputs.begin() + first);
  fused.epilogue = chain.program;
  fused.epilogue_inputs = chain.inputs;
  fused.outputs = node.outputs;
  replace_nodes(graph, n, std::move(fused), {place});
  return true;
}

}  // namespace

std::size_t fuse_element_wise(Graph& graph) {
  std::size_t rewrites = 0;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    if (graph.nodes()[n].as<ElementWise>() == nullptr) continue;
    while (absorb_producer(graph, n)) {
      --n;
      ++rewrites;
    }
    if (join_producer(graph, n)) {
      --n;
      ++rewrites;
    }
  }
  return rewrites;
}

}  // namespace driftwood::graph
