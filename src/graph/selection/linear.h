// How matrices times tokens are cut into workgroups; shared by the linear and the gated linear.
#pragma once

#include "graph/selection.h"

namespace driftwood::graph {

/// The matrix as its kernels on this device read it.
WeightsDescriptor weights_descriptor(const SelectionContext& context, ValueId weights);

/// A kernel of one matrix `w`, from x to y, with prologue and epilogue; in_wide_rows() and its like cut it.
KernelUse matrix_use(const Node& node, const SelectionContext& context, std::string module_path);

/// Fills the fusion points `activation` (with the gate's bias) and `up_bias` of a gated linear.
void add_gate(const Node& node, const SelectionContext& context, KernelUse& use);

/// Whether the kernels that hold sixteen rows in a wide vector apply.
bool takes_wide_rows(const Node& node, const SelectionContext& context);

/// Cuts a kernel of sixteen rows an invocation, or one of a row a lane, into workgroups: sets its overrides and grid
/// and makes a lowering of it. x is the node's first input, `weights` names the matrix that decides the extents.
Lowering in_wide_rows(KernelUse use, const Node& node, const SelectionContext& context, const std::string& weights);
Lowering in_lanes(KernelUse use, const Node& node, const SelectionContext& context, const std::string& weights);

}  // namespace driftwood::graph
