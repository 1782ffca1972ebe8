// Convolutions cut into workgroups; a linear of a whole image is one whose window has a single tap.
#pragma once

#include "graph/operations/conv2d.h"
#include "graph/selection.h"

namespace driftwood::graph {

/// Whether the kernels of patches on wide registers take a linear: positions have more axes than rows.
bool takes_wide_image(const Node& node, const SelectionContext& context);
/// Whether the kernels of tiles take a linear: it has more positions than those that cut rows of weights would do well
/// with, or positions have more axes than rows.
bool takes_tiles(const Node& node, const SelectionContext& context);

/// Sets the overrides and the grid of a kernel that imports wide_patch or tile_product, and makes a lowering of it. x2:
/// what is joined to input 0, or no_value.
Lowering in_wide_patches(KernelUse use, const Node& node, const SelectionContext& context, const Conv2d& convolution,
                         ValueId x2);
Lowering in_tiles(KernelUse use, const Node& node, const SelectionContext& context, const Conv2d& convolution,
                  ValueId x2);

}  // namespace driftwood::graph
