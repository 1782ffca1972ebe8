// Matrices times positions through the pipeline of a workgroup (kernels/pipeline_tile.wgsl): how they are cut into
// tiles.
#pragma once

#include <cstdint>
#include <span>

#include "graph/selection.h"

namespace driftwood::graph {

/// A way to cut a product: 128 rows of weights, of which half are the second matrix's of a gated linear, times
/// `tokens`.
struct PipelineTile {
  std::uint32_t tokens;
  double step_cost;  // time of 64 columns of one tile, where 1 is that of 256 tokens
};

/// The tiles that kernels are made with, largest first.
std::span<const PipelineTile> pipeline_tiles();

struct PipelineTiling {
  const PipelineTile* tile = nullptr;
  std::uint32_t stages = 0;  // of workgroup memory
};

/// The number that pipeline_tile.wgsl has for a format of weights; 0: it does not decode it.
std::uint32_t pipeline_format(DataType format);

/// The tiling of `row_tiles` tiles of rows that is expected to take the least time. No tile: none fits the device.
PipelineTiling choose_pipeline(std::uint32_t positions, std::uint32_t row_tiles, DataType format,
                               const gpu::DeviceFacts& facts);

/// The kernels of a linear or gated linear in that tiling.
Lowering pipeline_product(const Node& node, const SelectionContext& context, const PipelineTiling& tiling);

}  // namespace driftwood::graph
