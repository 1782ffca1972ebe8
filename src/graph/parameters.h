// The small buffer that changes from run to run: four u32 words, which kernels declare as
//   struct Parameters { tokens: u32, position: u32, reserved_0: u32, reserved_1: u32 }
//   var<uniform> parameters: Parameters;
#pragma once

#include <cstdint>

namespace driftwood::graph {

struct Parameters {
  std::uint32_t tokens = 1;    // active tokens of this run
  std::uint32_t position = 0;  // of the first of them in the sequence: the number of tokens already in the caches
  std::uint32_t reserved[2] = {0, 0};
};
static_assert(sizeof(Parameters) == 16);

}  // namespace driftwood::graph
