#include "graph/selection/convolution.h"
#include "graph/selection/linear.h"
#include "graph/selection/rows.h"

namespace driftwood::graph {

namespace {

bool is_cpu(const Node&, const SelectionContext& context) { return context.facts.is_cpu; }

bool takes_any(const Node&, const SelectionContext&) { return true; }

KernelUse conv_use(const Node& node, const SelectionContext& context, std::string module_path) {
  KernelUse use{.module_path = std::move(module_path), .label = node.name};
  use.specialization.weights = {{"w", weights_descriptor(context, node.inputs[1])}};
  use.resources = {read("x", node.inputs[0]), read("w", node.inputs[1]), write("y", node.outputs[0]), parameters()};
  add_prologue(node, context, use);
  add_epilogue(node, context, use);
  return use;
}

ValueId joined_input(const Node& node) { return node.inputs.size() > 2 ? node.inputs[2] : no_value; }

Lowering conv_wide(const Node& node, const SelectionContext& context) {
  return in_wide_patches(conv_use(node, context, "package::conv_wide"), node, context, *node.as<Conv2d>(),
                         joined_input(node));
}

Lowering conv_tiled(const Node& node, const SelectionContext& context) {
  return in_tiles(conv_use(node, context, "package::conv_tiled"), node, context, *node.as<Conv2d>(),
                  joined_input(node));
}

constexpr KernelRow rows[] = {{Conv2d::name, "conv-wide", is_cpu, conv_wide},
                              {Conv2d::name, "conv-tiled", takes_any, conv_tiled}};

}  // namespace

std::span<const KernelRow> conv2d_kernels() { return rows; }

}  // namespace driftwood::graph
