// Random bytes of packed weights that decode to finite values.
#pragma once

#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

#include "base/half.h"
#include "tensor/data_type.h"

namespace driftwood::test {

/// Where in a block the halves lie; random bytes there would be infinite or NaN at times.
inline std::vector<std::size_t> halves_of(DataType type) {
  switch (type) {
    case DataType::F16:
    case DataType::Q4_0:
    case DataType::Q5_0:
    case DataType::Q8_0: return {0};
    case DataType::Q4_1:
    case DataType::Q5_1:
    case DataType::Q4_K:
    case DataType::Q5_K: return {0, 2};
    case DataType::Q2_K: return {80, 82};
    case DataType::Q3_K: return {108};
    case DataType::Q6_K: return {208};
    default: return {};
  }
}

/// Scales are at most `largest`.
inline std::vector<std::byte> random_blocks(DataType type, std::size_t count, std::mt19937& random, float largest = 2) {
  const std::size_t bytes = info(type).block_bytes;
  std::vector<std::byte> blocks(count * bytes);
  std::uniform_real_distribution<float> scale(-largest, largest);
  for (std::byte& each : blocks) each = static_cast<std::byte>(random());
  const auto write = [&](std::size_t at, auto number) { std::memcpy(&blocks[at], &number, sizeof number); };
  for (std::size_t block = 0; block < count; ++block) {
    for (const std::size_t at : halves_of(type)) {
      const bool subnormal = random() % 16 == 0;
      write(block * bytes + at, float_to_half(scale(random) * (subnormal ? 1e-5f : 1.0f)));
    }
    if (type == DataType::F32 || type == DataType::Q8_K) write(block * bytes, scale(random));
    if (type == DataType::BF16) write(block * bytes, float_to_bfloat16(scale(random)));
  }
  return blocks;
}

}  // namespace driftwood::test
