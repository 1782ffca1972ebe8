#include <algorithm>

#include "graph/passes/pass.h"
#include "graph/passes/rewrite.h"

namespace driftwood::graph {

namespace {

// Every workgroup of a reader computes the norm anew, which costs less than a launch for a row or few. With more of
// them a kernel of its own is cheaper, and kernels of many rows (tiles, matrix units) want their input ready.
constexpr std::uint32_t most_rows = 4;

bool has_few_rows(const Shape& shape) { return shape.b * shape.h * shape.d == 1 && shape.w <= most_rows; }

// Linears that read the value as what they multiply, and nowhere else.
bool all_multiply(const Graph& graph, const Uses& uses, ValueId id) {
  if (graph.value(id).role != Role::Activation || uses.consumers[id].empty()) return false;
  return std::ranges::all_of(uses.consumers[id], [&](std::size_t n) {
    const Node& reader = graph.nodes()[n];
    const bool is_linear = reader.as<Linear>() != nullptr || reader.as<GatedLinear>() != nullptr;
    return is_linear && !normalizes(reader.operation) && reader.inputs[0] == id && reader.prologue.empty() &&
           std::ranges::count(Graph::all_inputs(reader), id) == 1;
  });
}

void normalize(Node& reader, const Node& norm) {
  const float epsilon = norm.as<RmsNorm>()->epsilon;
  if (Linear* const linear = std::get_if<Linear>(&reader.operation)) {
    linear->normalizes = true;
    linear->epsilon = epsilon;
  } else {
    GatedLinear& gated = std::get<GatedLinear>(reader.operation);
    gated.normalizes = true;
    gated.epsilon = epsilon;
  }
  reader.inputs[0] = norm.inputs[0];
  reader.inputs.push_back(norm.inputs[1]);
}

}  // namespace

std::size_t fuse_norm(Graph& graph) {
  std::size_t rewrites = 0;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const Node norm = graph.nodes()[n];
    if (norm.as<RmsNorm>() == nullptr || !norm.epilogue.empty()) continue;
    // A state may be written between the norm and its readers.
    if (graph.value(norm.inputs[0]).role == Role::State || !has_few_rows(graph.value(norm.inputs[0]).shape)) continue;
    const Uses uses(graph);
    if (!all_multiply(graph, uses, norm.outputs[0])) continue;
    for (const std::size_t reader : uses.consumers[norm.outputs[0]]) normalize(graph.nodes()[reader], norm);
    graph.nodes().erase(graph.nodes().begin() + static_cast<std::ptrdiff_t>(n));
    --n;
    ++rewrites;
  }
  return rewrites;
}

}  // namespace driftwood::graph
