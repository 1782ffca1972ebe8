// How matrices times tokens are cut into workgroups; shared by the linear and the gated linear.
#pragma once

#include "graph/selection.h"

namespace driftwood::graph {

/// The matrix as its kernels on this device read it.
WeightsDescriptor weights_descriptor(const SelectionContext& context, ValueId weights);

/// Tokens that share each decoded weight.
std::uint32_t wide_tile(const SelectionContext& context, ValueId x);

/// Overrides lanes, splits and tile of the row kernels.
struct RowTiling {
  std::uint32_t lanes, splits, tile;
};
RowTiling row_tiling(const SelectionContext& context, ValueId x, const WeightsDescriptor& weights);

/// Groups of `rows_of_group` rows of the matrix along x, tiles of `tile` rows of x along y.
Grid matrix_grid(const SelectionContext& context, ValueId x, const WeightsDescriptor& weights,
                 std::uint32_t rows_of_group, std::uint32_t tile);

}  // namespace driftwood::graph
