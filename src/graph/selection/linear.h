// How matrices times tokens are cut into workgroups; shared by the linear and the gated linear.
#pragma once

#include "graph/selection.h"

namespace driftwood::graph {

/// The matrix as its kernels on this device read it.
WeightsDescriptor weights_descriptor(const SelectionContext& context, ValueId weights);

/// Matrices of the node whose rows are multiplied with the same tokens: two of a gated linear.
std::uint32_t matrices_of(const Node& node);

/// A kernel of one matrix `w`, from x to y, with prologue and epilogue; in_wide_rows() and its like cut it.
KernelUse matrix_use(const Node& node, const SelectionContext& context, std::string module_path);

/// Fills the fusion points `activation` (with the gate's bias) and `up_bias` of a gated linear.
void add_gate(const Node& node, const SelectionContext& context, KernelUse& use);

/// Fills the fusion points `row_scales` and `up_row_scales` of kernels that multiply the sums of rows of `w` and `up`
/// with the rows' scales, where the format has them: of rows in sixteens where `is_wide`.
void add_row_scales(DataType format, bool is_wide, KernelUse& use);

/// Whether the kernels that hold sixteen rows in a wide vector apply.
bool takes_wide_rows(const Node& node, const SelectionContext& context);

/// How a kernel of a row a lane is cut (kernels/row_product.wgsl).
struct RowTiling {
  std::uint32_t lanes = 32, splits = 1;  // rows of a workgroup; invocations that share the columns of each
  std::uint32_t tile = 1;                // tokens of a workgroup
  std::uint32_t blocks = 1;              // groups of `lanes` rows that a workgroup does, one after the other
  std::uint32_t turns = 1;               // chunks of 32 columns that an invocation loads at once
  bool stages = false;                   // whether the tokens are kept in workgroup memory
  bool halves = false;                   // whether the only token is made halves, or bytes (half_product.wgsl)
  bool in_bytes = false;
};

/// The number of a format whose values are bytes, or parts of bytes, in kernels/byte_fields.wgsl; 0 of others.
std::uint32_t byte_format(DataType format);

/// The number of a format that products of one token in f16 read (kernels/half_fields.wgsl); 0 of others.
std::uint32_t half_format(DataType format);

/// Whether the product with one token is made in f16: the device and the precision have it, and the format has bytes.
bool takes_halves(const Node& node, const SelectionContext& context);

/// The tiling that is expected to be the fastest on the device for a linear or gated linear.
RowTiling choose_row_tiling(const Node& node, const SelectionContext& context, const WeightsDescriptor& weights);

/// Cuts a kernel of sixteen rows an invocation, or one of a row a lane, into workgroups: sets its overrides and grid
/// and makes a lowering of it. x is the node's first input, `weights` names the matrix that decides the extents.
Lowering in_wide_rows(KernelUse use, const Node& node, const SelectionContext& context, const std::string& weights);
Lowering in_lanes(KernelUse use, const Node& node, const SelectionContext& context, const RowTiling& tiling);

/// The kernels of a row a lane in a given tiling.
Lowering linear_in_lanes(const Node& node, const SelectionContext& context, const RowTiling& tiling);
Lowering gated_linear_in_lanes(const Node& node, const SelectionContext& context, const RowTiling& tiling);

}  // namespace driftwood::graph
