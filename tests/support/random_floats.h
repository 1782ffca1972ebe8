// Numbers for tests that are the same in every run.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

namespace driftwood::test {

/// Evenly spread over [-bound, bound), another sequence for each seed.
inline std::vector<float> random_floats(std::size_t count, unsigned seed, float bound = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> range(-bound, bound);
  std::vector<float> values(count);
  for (float& value : values) value = range(random);
  return values;
}

}  // namespace driftwood::test
