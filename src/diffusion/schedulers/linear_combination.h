// Sums of latents with factors: what nearly every step comes down to.
#pragma once

#include <initializer_list>
#include <span>

namespace driftwood::diffusion {

struct Term {
  double factor;
  std::span<const float> values;
};

/// result[i] = the sum of factor * values[i] over `terms`, added in double precision. Terms of factor 0 are not read;
/// the others have as many elements as `result`, and `result` itself may be one of them.
void linear_combination(std::span<float> result, std::initializer_list<Term> terms);

/// Each element held within -limit and limit.
void clamp(std::span<float> values, double limit);

}  // namespace driftwood::diffusion
