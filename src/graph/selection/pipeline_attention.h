// Attention through the pipeline of a workgroup (kernels/attention_pipeline.wgsl), over a KV cache or without one: how
// it is cut into tiles.
#pragma once

#include <cstdint>

#include "graph/selection.h"

namespace driftwood::graph {

/// The constants of attention_pipeline.wgsl and key_tiles.wgsl.
struct PipelineAttention {
  std::uint32_t teams = 0;  // of 128 invocations that multiply; 0: the device cannot do it
  std::uint32_t parts = 1;  // that the channels of a head are divided into
  std::uint32_t keys = 0;   // of a tile
  std::uint32_t stages = 0;
  bool query_in_memory = false;

  std::uint32_t queries() const { return teams / parts * 64; }  // of a workgroup
  bool operator==(const PipelineAttention&) const = default;
};

/// What there is to attend to.
struct AttendedKeys {
  std::uint32_t slices = 0;  // of a head
  std::uint32_t heads = 0;   // times batch
  std::uint32_t most = 0;    // rows of a head
  bool moves = false;        // the first that a run sees may lie anywhere, within a tile too
};

/// The largest tiles that workgroup memory and the registers of an invocation hold, for heads of so many slices.
PipelineAttention pipeline_attention(const gpu::DeviceFacts& facts, std::uint32_t slices);

/// Whether the device has a pipeline, and memory for the tiles. Keys and values are f16 in buffers, or blocks that
/// become so.
bool takes_pipeline_attention(const Node& node, const SelectionContext& context, const AttendedKeys& keys);

/// The tiles as above, or as was measured to be better.
PipelineAttention tuned_pipeline_attention(const SelectionContext& context, const AttendedKeys& keys);

/// Tiles of a head at most.
std::uint32_t key_tiles(const PipelineAttention& tiling, const AttendedKeys& keys);

/// Two kernels: `input`, which lays keys and values out as tiles, and `attention` to these. Both are given as uses of
/// package::attention_input and package::attention_pipeline with grids of {tiles, heads, batch} workgroups and all that
/// head_rows.wgsl takes.
Lowering through_pipeline(const Node& node, const SelectionContext& context, const PipelineAttention& tiling,
                          const AttendedKeys& keys, KernelUse input, KernelUse attention);

}  // namespace driftwood::graph
