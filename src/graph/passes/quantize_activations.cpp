#include "graph/passes/quantize_activations.h"

#include <algorithm>
#include <map>
#include <utility>

#include "graph/selection/integer_linear.h"
#include "graph/storage_choice.h"

namespace driftwood::graph {
namespace {

using Integers = std::vector<ValueId>;  // q, scale and sums, or what is rounded

bool is_candidate(const Graph& graph, const Node& node) {
  const auto* linear = node.as<Linear>();
  const auto* gated = node.as<GatedLinear>();
  if ((linear == nullptr || linear->normalizes) && (gated == nullptr || gated->normalizes)) return false;
  const Value& x = graph.value(node.inputs[0]);
  const Shape& shape = x.shape;
  const bool has_only_rows = shape.b == 1 && shape.h == 1 && shape.d == 1;
  return has_only_rows && shape.w % graph.max_tokens == 0 && !x.is_array && node.prologue.empty() &&
         graph.value(node.inputs[1]).role == Role::Weights && graph.value(node.outputs[0]).role != Role::Output;
}

Operation integer_operation(const Node& node, IntegerInput input) {
  if (const auto* gated = node.as<GatedLinear>()) {
    return IntegerGatedLinear{.activation = gated->activation, .input = input};
  }
  return IntegerLinear{.input = input};
}

/// Adds the node that makes a value integers.
Integers add_quantize_tokens(Graph& graph, ValueId x, const IntegerForm& form, std::vector<Node>& nodes) {
  const Value source = graph.value(x);
  const QuantizeTokens operation{.packed = form.input.has_value()};
  Node node{.name = source.name + ".quantize", .operation = operation, .inputs = {x}};
  const std::vector<Shape> shapes = output_shapes(operation, std::vector<Operand>{{source.name, source.shape}});
  constexpr const char* suffixes[] = {".integers", ".scales", ".sums"};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    Value value{.name = source.name + suffixes[i], .shape = shapes[i]};
    if (i == 0) value.data_type = form.stored;
    // Buffers, whatever other activations are stored in: kernels read words of them.
    value.descriptor = TensorDescriptor{
        .shape = value.shape, .data_type = value.data_type, .layout = default_layout(StorageKind::Buffer)};
    node.outputs.push_back(graph.add_value(std::move(value)));
  }
  const Integers integers = node.outputs;
  nodes.push_back(std::move(node));
  return integers;
}

}  // namespace

ActivationMode resolved_activations(const Graph& graph, ActivationMode asked) {
  if (asked != ActivationMode::Auto) return asked;
  const bool has_row_scales = std::ranges::any_of(graph.nodes(), [&](const Node& node) {
    return is_candidate(graph, node) && info(graph.value(node.inputs[1]).weights.format).has_row_scale();
  });
  return has_row_scales ? ActivationMode::Int8 : ActivationMode::Float;
}

std::size_t quantize_activations(Graph& graph, const gpu::DeviceFacts& facts, const GraphOptions& options) {
  std::size_t rewrites = 0;
  std::map<std::pair<ValueId, DataType>, Integers> made;
  std::vector<Node> nodes;
  for (Node& node : graph.nodes()) {
    if (is_candidate(graph, node)) {
      const IntegerForm form = integer_form(graph, node, facts, options);
      if (form.input) node.operation = integer_operation(node, *form.input);
      if (form.input != IntegerInput::Fused) {
        const ValueId x = node.inputs[0];
        const auto [place, is_new] = made.try_emplace({x, form.stored});
        if (is_new) place->second = add_quantize_tokens(graph, x, form, nodes);
        node.inputs.erase(node.inputs.begin());
        node.inputs.insert(node.inputs.begin(), place->second.begin(), place->second.end());
      }
      ++rewrites;
    }
    nodes.push_back(std::move(node));
  }
  graph.nodes() = std::move(nodes);
  graph.check();
  return rewrites;
}

}  // namespace driftwood::graph
