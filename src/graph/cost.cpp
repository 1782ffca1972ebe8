#include "graph/cost.h"

#include <algorithm>

#include "graph/lowering.h"

namespace driftwood::graph {

double Cost::bytes(const Parameters& parameters) const {
  const double context = static_cast<double>(parameters.position) + parameters.tokens;
  const double places = window == 0 ? context : std::min(context, static_cast<double>(window) + parameters.tokens - 1);
  return fixed_bytes + bytes_per_token * parameters.tokens + bytes_per_place * places;
}

double Cost::flops(const Parameters& parameters) const {
  const double tokens = parameters.tokens, before = parameters.position;
  double pairs = tokens * before + tokens * (tokens + 1) / 2;
  if (window != 0 && before + tokens > window) {
    // Tokens whose own position is before the window's length look at all, the others at the window.
    const double growing = std::clamp(window - before, 0.0, tokens);
    pairs = growing * before + growing * (growing + 1) / 2 + (tokens - growing) * window;
  }
  return flops_per_token * tokens + flops_per_pair * pairs;
}

double flops_per_token(const Node& node, const Graph& graph) {
  const auto matrix = [&](std::size_t input) {
    const Shape& shape = graph.value(node.inputs[input]).shape;
    return 2.0 * shape.w * shape.c;
  };
  const Shape& output = graph.value(node.outputs.at(0)).shape;
  const double rows =
      static_cast<double>(output.elements()) / output.c / (output.w % graph.max_tokens == 0 ? graph.max_tokens : 1);
  if (node.as<Linear>() != nullptr) return rows * matrix(1);
  if (node.as<QkvLinear>() != nullptr) return matrix(1) + 3.0 * static_cast<double>(output.elements());
  if (node.as<Conv2d>() != nullptr) return rows * matrix(1);
  if (node.as<MultiHeadAttention>() != nullptr) {
    const Shape& keys = graph.value(node.inputs[1]).shape;
    return 4.0 * rows * keys.h * keys.w * output.c;
  }
  if (node.as<GatedLinear>() != nullptr) return rows * (matrix(1) + matrix(2));
  if (const auto* linear = node.as<IntegerLinear>()) return rows * matrix(linear->weights());
  if (const auto* linear = node.as<IntegerGatedLinear>()) {
    return rows * (matrix(linear->weights()) + matrix(linear->weights() + 1));
  }
  double per_element = static_cast<double>(node.epilogue.instructions.size());
  if (const auto* program = node.as<ElementWise>()) per_element += static_cast<double>(program->instructions.size());
  if (node.as<RmsNorm>() != nullptr || node.as<AddRmsNorm>() != nullptr || node.as<LayerNorm>() != nullptr ||
      node.as<HeadNorm>() != nullptr) {
    per_element += 4;
  }
  const auto* qkv = node.as<RopeQkv>();
  if (node.as<Rope>() != nullptr || qkv != nullptr) per_element += 3;
  if (qkv != nullptr && qkv->normed) per_element += 4;
  return rows * output.c * per_element;
}

Cost estimate_cost(const KernelUse& use, const Node& node, bool is_first, const SelectionContext& context) {
  if (use.cost) return *use.cost;
  Cost cost;
  if (is_first) cost.flops_per_token = flops_per_token(node, context.graph);
  const auto* attention = node.as<Attention>();
  if (attention != nullptr) {
    cost.window = attention->window;
    if (is_first) cost.flops_per_pair = 4.0 * attention->heads * context.shape(node.inputs[0]).c;
  }
  for (const ResourceUse& resource : use.resources) {
    if (resource.kind != ResourceUse::Kind::Value) continue;
    const Value& value = context.value(resource.index);
    if (value.role == Role::State) {  // a cache {H = KV heads, W = places, C = head size}
      const double place =
          static_cast<double>(physical_bytes(context.value(context.graph.root(value.id)))) / value.shape.w;
      (attention != nullptr ? cost.bytes_per_place : cost.bytes_per_token) += place;
      continue;
    }
    if (value.role == Role::Weights) {
      // An embedding reads one row a token.
      const auto found = use.specialization.weights.find(resource.name);
      const double bytes =
          found == use.specialization.weights.end() ? 0 : static_cast<double>(physical_bytes(found->second));
      if (node.as<Embedding>() != nullptr) {
        cost.bytes_per_token += bytes / value.shape.w;
      } else {
        cost.fixed_bytes += bytes;
      }
    } else if (!value.is_array) {
      TensorDescriptor stored = context.descriptor(value.id);
      stored.part = {};
      const auto bytes = static_cast<double>(physical_bytes(stored));
      if (context.per_token(value.id)) {
        cost.bytes_per_token += bytes / context.graph.max_tokens;
      } else {
        cost.fixed_bytes += bytes;
      }
    }
  }
  return cost;
}

}  // namespace driftwood::graph
