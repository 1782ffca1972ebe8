// Random bytes of packed weights that decode to finite values.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

#include "base/half.h"
#include "tensor/data_type.h"

namespace driftwood::conformance {

/// Where in a block the halves lie; random bytes there would be infinite or NaN at times.
inline std::vector<std::size_t> halves_of(DataType type) {
  switch (type) {
    case DataType::F16:
    case DataType::Q4_0:
    case DataType::Q5_0:
    case DataType::Q8_0:
    case DataType::IQ4_NL: return {0};
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
    // Powers of two up to half of `largest`: four-bit floats reach 6.
    if (type == DataType::MXFP4) {
      write(block * bytes, static_cast<std::uint8_t>(126 + std::ilogb(largest) - static_cast<int>(random() % 12)));
    }
  }
  return blocks;
}

/// The same of whole rows, with a scale a row where the type has one; what fills up its last block is zero.
inline std::vector<std::byte> random_rows(DataType type, std::size_t rows, std::size_t columns, std::mt19937& random,
                                          float largest = 2) {
  const DataTypeInfo& facts = info(type);
  if (!facts.has_row_scale()) return random_blocks(type, rows * columns / facts.block_length, random, largest);
  const std::size_t stride = row_bytes(type, columns);
  std::vector<std::byte> bytes(rows * stride);
  // Integers are larger than the quants of blocks: the largest value is alike.
  std::uniform_real_distribution<float> scale(-largest, largest);
  for (std::size_t row = 0; row < rows; ++row) {
    std::byte* const begin = &bytes[row * stride];
    const float number = scale(random) * (type == DataType::I8C ? 0.125F : 1.0F);
    std::memcpy(begin, &number, sizeof number);
    for (std::size_t column = 0; column < columns; ++column) {
      if (type == DataType::I8C) {
        begin[facts.row_header + column] = static_cast<std::byte>(random());
      } else {
        const std::size_t at = column / 32 * 16 + column % 16;
        begin[facts.row_header + at] |= static_cast<std::byte>((random() & 15) << (column % 32 / 16 * 4));
      }
    }
  }
  return bytes;
}

}  // namespace driftwood::conformance
