#include "graph/selection/half_rows.h"
#include "graph/selection/kv_cache.h"
#include "graph/selection/linear.h"
#include "graph/selection/rotary.h"
#include "graph/selection/rows.h"
#include "graph/selection/token_axis.h"

namespace driftwood::graph {
namespace {

KernelUse qkv_use(const Node& node, const SelectionContext& context, std::string module_path) {
  KernelUse use{.module_path = std::move(module_path), .label = node.name};
  use.specialization.weights = {{"w", weights_descriptor(context, node.inputs[1])}};
  use.resources = {read("x", node.inputs[0]), read("w", node.inputs[1]), read("frequencies", node.inputs[2]),
                   write("q_out", node.outputs[0]), parameters()};
  return use;
}

// What the product is stored by, once it is cut into workgroups.
Lowering with_heads(Lowering lowering, const Node& node, const SelectionContext& context) {
  const auto& qkv = *node.as<QkvLinear>();
  KernelUse& use = lowering.kernels.front();
  use.specialization.overrides.erase("rows_per_token");  // the only row is that of the only token
  add_rotary(qkv.rope, use);
  const bool is_biased = qkv.has_bias(node.inputs.size());
  use.specialization.overrides["heads"] = qkv.heads;
  use.specialization.overrides["kv_heads"] = qkv.kv_heads;
  use.specialization.overrides["ring"] = qkv.ring;
  use.specialization.overrides["biased"] = is_biased;
  if (is_biased) {
    use.resources.push_back(read("bias", node.inputs[5]));
  } else {
    use.specialization.tensors["bias"] = context.descriptor(node.inputs[2]);  // of its kind; not used
  }
  bind_cache(use, context, 'k', node.outputs[1], true);
  bind_cache(use, context, 'v', node.outputs[2], true);
  return lowering;
}

Lowering qkv_wide(const Node& node, const SelectionContext& context) {
  return with_heads(in_wide_rows(qkv_use(node, context, "package::qkv_wide"), node, context, "w"), node, context);
}

Lowering qkv_rows(const Node& node, const SelectionContext& context) {
  const RowTiling tiling = choose_row_tiling(node, context, weights_descriptor(context, node.inputs[1]));
  return with_heads(in_lanes(qkv_use(node, context, "package::qkv_rows"), node, context, tiling), node, context);
}

Lowering qkv_halves(const Node& node, const SelectionContext& context) {
  const RowTiling tiling = choose_half_tiling(node, context);
  return with_heads(in_lanes(qkv_use(node, context, "package::qkv_rows"), node, context, tiling), node, context);
}

constexpr KernelRow rows[] = {{QkvLinear::name, "qkv-wide", takes_wide_rows, qkv_wide},
                              {QkvLinear::name, "qkv-halves", takes_halves, qkv_halves},
                              {QkvLinear::name, "qkv-rows", has_only_rows, qkv_rows}};

}  // namespace

std::span<const KernelRow> qkv_linear_kernels() { return rows; }

}  // namespace driftwood::graph
