// Matrices times positions through the pipeline of a workgroup (kernels/pipeline_tile.wgsl): how they are cut into
// tiles.
#pragma once

#include <cstdint>
#include <span>

#include "graph/selection.h"

namespace driftwood::graph {

/// A way to cut a product: 128 rows of weights, of which half are the second matrix's of a gated linear, times
/// `tokens`.
struct PipelineTiling {
  std::uint32_t tokens = 0;  // of a tile, one of pipeline_tokens(); 0: the device has none
  std::uint32_t stages = 0;  // of workgroup memory
  std::uint32_t splits = 1;  // workgroups that share the columns of a tile
};

/// The tokens of the tiles that kernels are made with, most first.
std::span<const std::uint32_t> pipeline_tokens();

/// What a product comes to in tiles.
struct PipelineExtents {
  std::uint32_t positions = 0;  // of a convolution those of padded rows
  std::uint32_t rows = 0;       // of weights, of one matrix
  std::uint32_t columns = 0;
  bool is_gated = false;
  /// Bytes that the shares of all outputs, in f32, may take where columns are divided.
  std::uint64_t most_share_bytes = 0;
};

/// The number that pipeline_fields.wgsl has for a format of weights, that of byte_format() or half_format() where these
/// have one; 0: it does not decode it.
std::uint32_t pipeline_format(DataType format);

/// The tiling that is expected to take the least time. No tile: none fits the device.
PipelineTiling choose_pipeline(const PipelineExtents& extents, DataType format, const gpu::DeviceFacts& facts);

/// The positions of a tile in which a row of pipeline_kernels() reads the node's input 0, where it reads that as it is
/// stored; 0: another row, a convolution under a window, or a node with a prologue.
std::uint32_t tile_of_input(const Node& node, const KernelRow& row, const SelectionContext& context);

/// The kernels of a linear, gated linear or convolution in that tiling.
Lowering pipeline_product(const Node& node, const SelectionContext& context, const PipelineTiling& tiling);

}  // namespace driftwood::graph
