// Estimates of the work of a kernel, for profiles: arithmetic of the operation, and the bytes that memory must move at
// least.
#pragma once

#include "graph/selection.h"

namespace driftwood::graph {

/// Floating-point operations of a node for each active token. Attention over a cache is left out of it: its work grows
/// with the context (Cost::flops_per_pair).
double flops_per_token(const Node& node, const Graph& graph);

/// The cost that a row gave, or an estimate: all bound tensors once, the arithmetic of the node with its first kernel.
Cost estimate_cost(const KernelUse& use, const Node& node, bool is_first, const SelectionContext& context);

}  // namespace driftwood::graph
