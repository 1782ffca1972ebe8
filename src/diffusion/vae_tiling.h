// Decoding in tiles: where they lie along one axis, and how they are blended.
//
// Tiles overlap. In the overlap of two, the outermost latents of each count nothing, since what a tile pads with zeros
// shows there, and in between one fades into the other.
#pragma once

#include <cstdint>
#include <vector>

namespace driftwood::diffusion {

/// In latents. 32 of them are 256 pixels: the decoder then takes a quarter of the memory of 512 x 512.
struct VaeTiling {
  std::uint32_t tile = 32;
  std::uint32_t overlap = 12;  // of neighbours, at least
  std::uint32_t margin = 3;    // of a tile at its inner borders that does not count; 2 * margin < overlap
};

/// First latents of the tiles that cover `extent`, evenly spread: the first 0, the last ends at `extent`. One tile
/// where the extent is no larger than a tile.
std::vector<std::uint32_t> tile_starts(std::uint32_t extent, const VaeTiling& tiling);

/// The share of each tile at each pixel along one axis, of `scale` pixels a latent: [tile][pixel of the tile]. At every
/// pixel of the axis the shares of the tiles there add up to 1.
std::vector<std::vector<float>> tile_weights(std::uint32_t extent, std::uint32_t scale, const VaeTiling& tiling);

}  // namespace driftwood::diffusion
