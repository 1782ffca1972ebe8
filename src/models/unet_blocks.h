// The transformer of a UNet: attention within the image and to the text, between a normalisation and a sum.
#pragma once

#include <cstdint>
#include <string>

#include "models/image_layers.h"

namespace driftwood::models {

/// Transformer2DModel with one block, `heads` heads and `groups` of its group norm: (x {B, H, W, C}, context {B, W =
/// tokens, C = text}) -> shape of x.
graph::Tensor spatial_transformer(ImageLayers& layers, const graph::Tensor& x, const graph::Tensor& context,
                                  const std::string& module, std::uint32_t heads, std::uint32_t groups);

}  // namespace driftwood::models
