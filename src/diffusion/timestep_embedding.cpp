#include "diffusion/timestep_embedding.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"

namespace driftwood::diffusion {

void embed_timestep(float timestep, std::span<float> embedding, const TimestepEmbedding& settings) {
  const std::size_t half = embedding.size() / 2;
  if (half == 0) {
    throw InvalidInput(
        fmt::format("An embedding of timesteps has {} channels; at least 2 are needed.", embedding.size()));
  }
  const float range = static_cast<float>(half) - settings.freq_shift;
  if (!(range > 0 && std::isfinite(range))) {
    throw InvalidInput(
        fmt::format("The frequency shift of an embedding of {} channels is {}, but must be less than {}.",
                    embedding.size(), settings.freq_shift, half));
  }
  if (!std::isfinite(timestep)) throw InvalidInput(fmt::format("A timestep is {}, not a finite number.", timestep));

  const auto log_of_longest = static_cast<float>(std::log(10000.0));
  const std::size_t first_cosine = settings.flip_sin_to_cos ? 0 : half;
  const std::size_t first_sine = settings.flip_sin_to_cos ? half : 0;
  for (std::size_t i = 0; i < half; ++i) {
    const float angle = timestep * std::exp(-log_of_longest * static_cast<float>(i) / range);
    embedding[first_cosine + i] = std::cos(angle);
    embedding[first_sine + i] = std::sin(angle);
  }
  if (embedding.size() % 2 == 1) embedding.back() = 0;
}

}  // namespace driftwood::diffusion
