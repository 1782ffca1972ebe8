#include "tensor/block_bytes.h"
#include "tensor/block_decode.h"
#include "tensor/block_tables.h"

namespace driftwood {
namespace {

constexpr int block_length = 32;

// Byte j of 16 holds value j in its low nibble and value j + 16 in its high one.
std::int32_t nibble(const std::byte* quants, int i) {
  return static_cast<std::int32_t>(byte_at(quants + i % 16) >> (i / 16 * 4) & 15);
}

// The fifth bits of all 32 values make one word: bit i belongs to value i.
std::int32_t five_bits(std::uint32_t high_bits, const std::byte* quants, int i) {
  return nibble(quants, i) | static_cast<std::int32_t>((high_bits >> i & 1) << 4);
}

}  // namespace

// half scale; 16 bytes of nibbles. value = scale * (q - 8)
void decode_block_q4_0(const std::byte* block, float* values) {
  const float scale = half_at(block);
  for (int i = 0; i < block_length; ++i) values[i] = scale * static_cast<float>(nibble(block + 2, i) - 8);
}

// half scale, half minimum; 16 bytes of nibbles. value = scale * q + minimum
void decode_block_q4_1(const std::byte* block, float* values) {
  const float scale = half_at(block);
  const float minimum = half_at(block + 2);
  for (int i = 0; i < block_length; ++i) values[i] = scale * static_cast<float>(nibble(block + 4, i)) + minimum;
}

// half scale; 4 bytes of high bits; 16 bytes of nibbles. value = scale * (q - 16)
void decode_block_q5_0(const std::byte* block, float* values) {
  const float scale = half_at(block);
  const auto high_bits = number_at<std::uint32_t>(block + 2);
  for (int i = 0; i < block_length; ++i) {
    values[i] = scale * static_cast<float>(five_bits(high_bits, block + 6, i) - 16);
  }
}

// half scale, half minimum; 4 bytes of high bits; 16 bytes of nibbles. value = scale * q + minimum
void decode_block_q5_1(const std::byte* block, float* values) {
  const float scale = half_at(block);
  const float minimum = half_at(block + 2);
  const auto high_bits = number_at<std::uint32_t>(block + 4);
  for (int i = 0; i < block_length; ++i) {
    values[i] = scale * static_cast<float>(five_bits(high_bits, block + 8, i)) + minimum;
  }
}

// half scale; 32 signed bytes. value = scale * q
void decode_block_q8_0(const std::byte* block, float* values) {
  const float scale = half_at(block);
  for (int i = 0; i < block_length; ++i) values[i] = scale * static_cast<float>(signed_byte_at(block + 2 + i));
}

// half scale; 16 bytes of nibbles. value = scale * table[q]
void decode_block_iq4_nl(const std::byte* block, float* values) {
  const float scale = half_at(block);
  for (int i = 0; i < block_length; ++i) {
    values[i] = scale * static_cast<float>(iq4_nl_values[static_cast<std::size_t>(nibble(block + 2, i))]);
  }
}

// byte exponent; 16 bytes of nibbles. value = 2^(exponent - 128) * doubled[q]
void decode_block_mxfp4(const std::byte* block, float* values) {
  const float scale = halved_e8m0(byte_at(block));
  for (int i = 0; i < block_length; ++i) {
    values[i] = scale * static_cast<float>(doubled_e2m1[static_cast<std::size_t>(nibble(block + 1, i))]);
  }
}

// 32 signed bytes
void decode_block_i8c(const std::byte* block, float* values) {
  for (int i = 0; i < block_length; ++i) values[i] = static_cast<float>(signed_byte_at(block + i));
}

// 16 bytes of nibbles in two's complement: -8 to 7, where zero is zero bits. A nibble in the upper half of a byte is 16
// times its value as a signed byte, so integer products need no correction: dot(w & 0xf0f0f0f0, x) / 16.
void decode_block_i4c(const std::byte* block, float* values) {
  for (int i = 0; i < block_length; ++i) {
    values[i] = static_cast<float>(static_cast<std::int32_t>(nibble(block, i) ^ 8) - 8);
  }
}

}  // namespace driftwood
