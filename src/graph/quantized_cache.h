// KV caches of 8-bit integers. A State {H = KV heads, W = places, C = head size} of type Q8_0 is an array of u32 words,
// not a tensor: row (head, place) is ceil(C / 32) blocks of nine words: eight of 32 signed 8-bit integers q, then the
// bits of the block's scale in f32. A value is q * scale.
//
// Kernels write them through kernels/kv_cache_write.wgsl and read them through kernels/kv_cache.wgsl:
//   largest = max |x| of the block    scale = largest * (1 / 127)    q = round(x * (127 / largest)), ties to even
// Where the largest is below 1e-30 both are 0; where a value is no number the scale is none either, so that it shows.
#pragma once

#include <cstdint>

#include "base/checked.h"
#include "tensor/shape.h"

namespace driftwood::graph {

inline constexpr std::uint32_t cache_block_length = 32;  // channels
inline constexpr std::uint32_t cache_block_words = 9;

/// Words of one row.
inline std::uint32_t quantized_row_words(std::uint32_t channels) {
  return static_cast<std::uint32_t>(divide_up(channels, cache_block_length)) * cache_block_words;
}

/// Words of a whole cache.
inline std::uint64_t quantized_cache_words(const Shape& shape) {
  return std::uint64_t{shape.b} * shape.h * shape.w * shape.d * quantized_row_words(shape.c);
}

}  // namespace driftwood::graph
