// How products of one token are cut for workgroups that stay (gpu::Device::record_joined).
#pragma once

#include "graph/selection/linear.h"

namespace driftwood::graph {

/// Chunks of 32 columns that an invocation reads together (kernels/half_fields.wgsl).
std::uint32_t piece_chunks(DataType format);

/// The tiling of a linear or gated linear of one token, in halves: each workgroup does its rows one after the other and
/// makes the token ready once, so there are as many as run at once.
RowTiling resident_tiling(const Node& node, const SelectionContext& context);

}  // namespace driftwood::graph
