// All superblocks number their values alike: two halves of 128, in each four planes of 32; the quants of
// the planes share bytes, at different bits. Groups of 16 or 32 values have small integer scales, which a
// half (or, in Q8_K, a float) for the whole superblock turns into real ones.
#include "tensor/block_bytes.h"
#include "tensor/block_decode.h"

namespace driftwood {
namespace {

constexpr int block_length = 256;

// Two bits a value, the four planes of a half in the same 32 bytes.
std::int32_t two_bits(const std::byte* quants, int i) {
  const int half = i / 128;
  const int plane = i / 32 % 4;
  return static_cast<std::int32_t>(byte_at(quants + half * 32 + i % 32) >> (plane * 2) & 3);
}

// Four bits a value: of each 64 values, the first 32 are the low nibbles and the next 32 the high ones.
std::int32_t four_bits(const std::byte* quants, int i) {
  return static_cast<std::int32_t>(byte_at(quants + i / 64 * 32 + i % 32) >> (i / 32 % 2 * 4) & 15);
}

// Byte i % 32 of 32 holds one bit for each of the eight values i with that remainder.
std::int32_t high_bit(const std::byte* bits, int i) {
  return static_cast<std::int32_t>(byte_at(bits + i % 32) >> (i / 32) & 1);
}

struct ScaleAndMinimum {
  float scale, minimum;
};

// Q4_K and Q5_K: eight six-bit scales and eight six-bit minima in 12 bytes. Groups 0..3 lie in the low six
// bits of bytes 0..3 (scales) and 4..7 (minima); groups 4..7 have four bits in bytes 8..11 (scale low nibble,
// minimum high nibble) and their upper two bits in the top of bytes 0..7.
ScaleAndMinimum six_bit_scales(const std::byte* packed, int group) {
  if (group < 4) {
    return {static_cast<float>(byte_at(packed + group) & 63), static_cast<float>(byte_at(packed + group + 4) & 63)};
  }
  const std::uint32_t low = byte_at(packed + group + 4);
  const std::uint32_t scale = (low & 15) | byte_at(packed + group - 4) >> 6 << 4;
  const std::uint32_t minimum = low >> 4 | byte_at(packed + group) >> 6 << 4;
  return {static_cast<float>(scale), static_cast<float>(minimum)};
}

// Q3_K: sixteen six-bit scales in 12 bytes: low nibbles of groups 0..7 and 8..15 in bytes 0..7, upper two bits of
// groups g, g + 4, g + 8, g + 12 in byte 8 + g.
std::int32_t q3_k_scale(const std::byte* packed, int group) {
  const std::uint32_t low = byte_at(packed + group % 8) >> (group / 8 * 4) & 15;
  const std::uint32_t high = byte_at(packed + 8 + group % 4) >> (group / 4 * 2) & 3;
  return static_cast<std::int32_t>(low | high << 4) - 32;
}

}  // namespace

// 16 bytes scale (low nibble) and minimum (high nibble) a group of 16; 64 bytes of two-bit quants; half scale,
// half minimum. value = d * scale * q - dmin * minimum
void decode_block_q2_k(const std::byte* block, float* values) {
  const float d = half_at(block + 80);
  const float dmin = half_at(block + 82);
  for (int i = 0; i < block_length; ++i) {
    const std::uint32_t packed = byte_at(block + i / 16);
    const float scale = d * static_cast<float>(packed & 15);
    const float minimum = dmin * static_cast<float>(packed >> 4);
    values[i] = scale * static_cast<float>(two_bits(block + 16, i)) - minimum;
  }
}

// 32 bytes of high bits; 64 bytes of two-bit quants; 12 bytes of scales; half scale.
// value = d * scale * (q - 4), where q counts its high bit as 4
void decode_block_q3_k(const std::byte* block, float* values) {
  const float d = half_at(block + 108);
  for (int i = 0; i < block_length; ++i) {
    const float scale = d * static_cast<float>(q3_k_scale(block + 96, i / 16));
    values[i] = scale * static_cast<float>(two_bits(block + 32, i) + high_bit(block, i) * 4 - 4);
  }
}

// half scale, half minimum; 12 bytes of scales and minima; 128 bytes of nibbles.
// value = d * scale * q - dmin * minimum
void decode_block_q4_k(const std::byte* block, float* values) {
  const float d = half_at(block);
  const float dmin = half_at(block + 2);
  for (int group = 0; group < 8; ++group) {
    const ScaleAndMinimum small = six_bit_scales(block + 4, group);
    const float scale = d * small.scale;
    const float minimum = dmin * small.minimum;
    for (int i = group * 32; i < group * 32 + 32; ++i) {
      values[i] = scale * static_cast<float>(four_bits(block + 16, i)) - minimum;
    }
  }
}

// As Q4_K, with 32 bytes of fifth bits before the nibbles.
void decode_block_q5_k(const std::byte* block, float* values) {
  const float d = half_at(block);
  const float dmin = half_at(block + 2);
  for (int group = 0; group < 8; ++group) {
    const ScaleAndMinimum small = six_bit_scales(block + 4, group);
    const float scale = d * small.scale;
    const float minimum = dmin * small.minimum;
    for (int i = group * 32; i < group * 32 + 32; ++i) {
      const std::int32_t quant = four_bits(block + 48, i) | high_bit(block + 16, i) << 4;
      values[i] = scale * static_cast<float>(quant) - minimum;
    }
  }
}

// 128 bytes of nibbles; 64 bytes of upper two-bit pairs; 16 signed scales, one a group of 16; half scale.
// In each half the planes 0 and 2 share 32 bytes of nibbles, as do 1 and 3. value = d * scale * (q - 32)
void decode_block_q6_k(const std::byte* block, float* values) {
  const float d = half_at(block + 208);
  for (int i = 0; i < block_length; ++i) {
    const int plane = i / 32 % 4;
    const std::byte* const pair = block + i / 128 * 64 + plane % 2 * 32 + i % 32;
    const auto low = static_cast<std::int32_t>(byte_at(pair) >> (plane / 2 * 4) & 15);
    const std::int32_t quant = (low | two_bits(block + 128, i) << 4) - 32;
    values[i] = d * static_cast<float>(signed_byte_at(block + 192 + i / 16)) * static_cast<float>(quant);
  }
}

// float scale; 256 signed bytes; 16 sums of groups, which serve integer dot products alone. value = scale * q
void decode_block_q8_k(const std::byte* block, float* values) {
  const auto scale = number_at<float>(block);
  for (int i = 0; i < block_length; ++i) values[i] = scale * static_cast<float>(signed_byte_at(block + 4 + i));
}

}  // namespace driftwood
