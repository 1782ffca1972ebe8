#include "graph/epilogue.h"
#include "graph/selection/convolution.h"
#include "graph/selection/half_rows.h"
#include "graph/selection/linear.h"
#include "graph/selection/rows.h"
#include "graph/selection/token_axis.h"

namespace driftwood::graph {

void add_gate(const Node& node, const SelectionContext& context, KernelUse& use) {
  const Shape& shape = context.shape(node.outputs[0]);
  ElementWise gate = single(node.as<GatedLinear>()->activation);
  std::vector<Shape> biases;
  if (node.as<GatedLinear>()->has_biases(node.inputs.size())) {
    gate = compose(gate, 0, single(ElementOp::Add));
    biases.push_back(context.shape(node.inputs[3]));
    use.specialization.fusions["up_bias"] = fusion_source("up_bias", "up_bias", single(ElementOp::Add), biases, shape);
    use.resources.push_back(read("gate_bias_0", node.inputs[3]));
    use.resources.push_back(read("up_bias_0", node.inputs[4]));
  }
  use.specialization.fusions["activation"] = fusion_source("activation", "gate_bias", gate, biases, shape);
}

namespace {

KernelUse gated_use(const Node& node, const SelectionContext& context, std::string module_path) {
  KernelUse use{.module_path = std::move(module_path), .label = node.name};
  use.specialization.weights = {{"gate", weights_descriptor(context, node.inputs[1])},
                                {"up", weights_descriptor(context, node.inputs[2])}};
  use.resources = {read("x", node.inputs[0]), read("gate", node.inputs[1]), read("up", node.inputs[2]),
                   write("y", node.outputs[0]), parameters()};
  add_gate(node, context, use);
  add_epilogue(node, context, use);
  return use;
}

}  // namespace

Lowering gated_linear_in_lanes(const Node& node, const SelectionContext& context, const RowTiling& tiling) {
  return in_lanes(gated_use(node, context, "package::gated_linear_rows"), node, context, tiling);
}

namespace {

Lowering gated_linear_wide(const Node& node, const SelectionContext& context) {
  return in_wide_rows(gated_use(node, context, "package::gated_linear_wide"), node, context, "gate");
}

Lowering gated_linear_rows(const Node& node, const SelectionContext& context) {
  return gated_linear_in_lanes(node, context,
                               choose_row_tiling(node, context, weights_descriptor(context, node.inputs[1])));
}

Lowering gated_linear_halves(const Node& node, const SelectionContext& context) {
  return gated_linear_in_lanes(node, context, choose_half_tiling(node, context));
}

Lowering gated_image_wide(const Node& node, const SelectionContext& context) {
  return in_wide_patches(gated_use(node, context, "package::gated_image_wide"), node, context);
}

Lowering gated_image_tiled(const Node& node, const SelectionContext& context) {
  return in_tiles(gated_use(node, context, "package::gated_image_tiled"), node, context);
}

constexpr KernelRow rows[] = {{GatedLinear::name, "gated-linear-wide", takes_wide_rows, gated_linear_wide},
                              {GatedLinear::name, "gated-image-wide", takes_wide_image, gated_image_wide},
                              {GatedLinear::name, "gated-image-tiled", takes_tiles, gated_image_tiled},
                              {GatedLinear::name, "gated-linear-halves", takes_halves, gated_linear_halves},
                              {GatedLinear::name, "gated-linear-rows", has_only_rows, gated_linear_rows}};

}  // namespace

std::span<const KernelRow> gated_linear_kernels() { return rows; }

}  // namespace driftwood::graph
