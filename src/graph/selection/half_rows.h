// How products of one token in halves or bytes (kernels/half_product.wgsl) are cut into workgroups: into launches of
// their own, and for workgroups that stay (gpu::Device::record_joined).
#pragma once

#include "graph/selection/linear.h"

namespace driftwood::graph {

/// The tiling of a node that takes_halves().
RowTiling choose_half_tiling(const Node& node, const SelectionContext& context);

}  // namespace driftwood::graph
