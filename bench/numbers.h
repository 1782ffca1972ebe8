// Numbers for what micro-benchmarks compute: the same in every run, and random, as units draw more power for random
// bits than for zeroes.
#pragma once

#include <cstdint>

namespace driftwood::bench {

class Numbers {
 public:
  std::uint32_t bits() { return state_ = state_ * 1664525U + 1013904223U; }  // the upper ones are the more random
  /// In [-1, 1).
  float next() { return static_cast<float>(bits() >> 8) / 8388608.0F - 1.0F; }

 private:
  std::uint32_t state_ = 1;
};

}  // namespace driftwood::bench
