#include "graph/selection/convolution.h"
#include "graph/selection/linear.h"
#include "graph/selection/rows.h"
#include "graph/selection/workgroups.h"

namespace driftwood::graph {

namespace {

bool is_cpu(const Node&, const SelectionContext& context) {
  return context.facts.is_cpu && interleaved_rows(context) % 16 == 0;
}

bool takes_any(const Node&, const SelectionContext&) { return true; }

Lowering conv_wide(const Node& node, const SelectionContext& context) {
  return in_wide_patches(matrix_use(node, context, "package::conv_wide"), node, context);
}

Lowering conv_tiled(const Node& node, const SelectionContext& context) {
  return in_tiles(matrix_use(node, context, "package::conv_tiled"), node, context);
}

constexpr KernelRow rows[] = {{Conv2d::name, "conv-wide", is_cpu, conv_wide},
                              {Conv2d::name, "conv-tiled", takes_any, conv_tiled}};

}  // namespace

std::span<const KernelRow> conv2d_kernels() { return rows; }

}  // namespace driftwood::graph
