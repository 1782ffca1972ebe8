// A timestep as the UNet takes it: sines and cosines of it over a range of frequencies.
#pragma once

#include <span>

namespace driftwood::diffusion {

/// Keys of a UNet's config.json; the defaults are Stable Diffusion's.
struct TimestepEmbedding {
  bool flip_sin_to_cos = true;  // cosines first
  float freq_shift = 0;         // frequencies fall from 1 to 10000^-((half - 1) / (half - freq_shift))
};

/// Fills `embedding`, one element a channel, in float32 arithmetic as diffusers does. An odd last channel is 0. Throws
/// InvalidInput where there are fewer than 2 channels, the shift leaves no range or the timestep is not finite.
void embed_timestep(float timestep, std::span<float> embedding, const TimestepEmbedding& settings = {});

}  // namespace driftwood::diffusion
