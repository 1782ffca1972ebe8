// Convolutions and matrices times positions on matrix units: how they are cut into tiles, one a workgroup.
#pragma once

#include <cstdint>
#include <span>

#include "graph/selection.h"

namespace driftwood::graph {

/// Products of fewer positions do not go through matrix units: a tile would be mostly empty.
inline constexpr std::uint32_t least_matrix_positions = 32;

/// A way to cut a product of positions x outputs into workgroups of `down * across` subgroups.
struct MatrixTile {
  std::uint32_t positions, outputs;
  std::uint32_t down, across;
  double step_cost;  // time of 32 columns of one tile, where 1 is that of the largest
  /// For devices without opaque matrices (gpu/device.h), and with.
  bool for_known = true, for_opaque = false;

  std::uint32_t invocations() const { return 32 * down * across; }
  bool serves(const gpu::DeviceFacts& facts) const { return facts.has_opaque_matrices ? for_opaque : for_known; }
  /// Workgroup memory, as kernels/matrix_tile.wgsl lays it out on such a device.
  std::uint64_t bytes(const gpu::DeviceFacts& facts) const;
};

/// The tiles that kernels are made with, largest first.
std::span<const MatrixTile> matrix_tiles();

struct MatrixTiling {
  const MatrixTile* tile = nullptr;
  std::uint32_t splits = 1;  // workgroups that share the columns of a tile; none of them is left without
  /// Whether the prologue is applied where the input is loaded, again and again, instead of once into memory of its
  /// own.
  bool loads_prologue = false;
};

/// The tiling that is expected to take the least time. Columns are divided where the shares of all outputs, in f32,
/// take at most `most_share_bytes`. No tile: the device has too little workgroup memory for any, or takes too small
/// workgroups.
MatrixTiling choose_tiling(std::uint32_t positions, std::uint32_t outputs, std::uint32_t columns,
                           std::uint64_t most_share_bytes, const gpu::DeviceFacts& facts);

/// Bytes of the graph's largest activation; 0 where none is placed yet.
std::uint64_t largest_activation(const SelectionContext& context);

/// Whether memory of so many bytes beside a node's tensors would decide the plan of the graph, and the device has none
/// to spare for it: it is at least 24 MiB, and no activation is larger.
bool decides_plan(const SelectionContext& context, std::uint64_t bytes);

/// Adds the shares {H = shares, W = positions, C = outputs} of a product, in memory `scratch` of the node, with its
/// epilogue.
KernelUse sum_of_shares(const Node& node, const SelectionContext& context, std::uint32_t scratch,
                        std::uint32_t rows_of_token);
/// What they are stored as, in f32.
TensorDescriptor shares_of(const Node& node, const SelectionContext& context, std::uint32_t splits);

/// The kernels of a convolution, linear or gated linear in that tiling.
Lowering matrix_product(const Node& node, const SelectionContext& context, const MatrixTiling& tiling);

}  // namespace driftwood::graph
