// Convolutions cut into workgroups; a linear of a whole image is one whose window has a single tap.
#pragma once

#include "graph/operations/conv2d.h"
#include "graph/selection.h"

namespace driftwood::graph {

/// The convolution that a node is; a linear or gated linear is one under a window of one tap.
Conv2d convolution_of(const Node& node);
/// What is joined to input 0 along the channels, or no_value.
ValueId joined_input(const Node& node);
/// Positions of all images.
inline std::uint32_t positions_of(const Shape& shape) { return shape.b * shape.h * shape.w; }
/// The overrides that say where input 0 lies within its border of zeroes, repeated and cropped.
void set_border(const Node& node, const SelectionContext& context, KernelUse& use);
/// The same, and how a node's window moves over it.
void set_window(const Node& node, const SelectionContext& context, KernelUse& use);

/// Whether the kernels of patches on wide registers take a linear: positions have more axes than rows.
bool takes_wide_image(const Node& node, const SelectionContext& context);
/// Whether the kernels of tiles take a linear: it has more positions than those that cut rows of weights would do well
/// with, or positions have more axes than rows.
bool takes_tiles(const Node& node, const SelectionContext& context);

/// Sets the overrides and the grid of a kernel that imports wide_patch or tile_product, and makes a lowering of it.
Lowering in_wide_patches(KernelUse use, const Node& node, const SelectionContext& context);
Lowering in_tiles(KernelUse use, const Node& node, const SelectionContext& context);

}  // namespace driftwood::graph
