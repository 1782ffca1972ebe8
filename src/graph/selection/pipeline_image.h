// Convolutions through the pipeline of a workgroup: which ones, and the image as it is laid out for them
// (kernels/pipeline_image.wgsl).
#pragma once

#include <cstdint>

#include "graph/selection.h"

namespace driftwood::graph {

/// An image in planes of 8 channels, with the zeroes around it. A position of the output reads, under a tap, the
/// position of its own number plus that of the tap.
struct PlanesOfImage {
  std::uint32_t row_width = 0;  // columns of a padded row
  std::uint32_t batch = 1;      // images, innermost
  std::uint32_t positions = 0;  // of the output, the last columns of its padded rows counted
  std::uint32_t reach = 0;      // from a position to that of its last tap

  /// Positions of a plane that whole tiles of so many positions read.
  std::uint32_t plane(std::uint32_t tile_positions) const;
};

PlanesOfImage planes_of(const Node& node, const SelectionContext& context);

/// Whether a convolution goes through the pipeline as its planes lie: it moves by one position at a time over whole
/// sixty-fours of channels, and laying them out does not decide the memory plan.
bool fits_planes(const Node& node, const SelectionContext& context);

/// Lays the input out in memory `scratch` of the node.
KernelUse planes_input(const Node& node, const SelectionContext& context, std::uint32_t scratch,
                       std::uint32_t tile_positions);

}  // namespace driftwood::graph
