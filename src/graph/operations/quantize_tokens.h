// Integers for the products of a token: x {.., C} -> (q, scale {.., C = 1}[, sums]), where scale is the largest
// magnitude of the token's channels over 127 and q their multiples of it, rounded to the nearest integer, to the even
// one where two are as near. A token of zeroes (or of less than 1e-30) has scale 0.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/operations/operand.h"

namespace driftwood::graph {

struct QuantizeTokens {
  static constexpr std::string_view name = "quantize-tokens";
  /// q as words of four signed bytes, channel 4 i in the lowest byte of word i: {.., C = packed_words(C)}, stored as
  /// U32, and with it sums {.., C = integer_chunks(C)}, of each 32 integers. Else {.., C}, whole numbers as F16 or F32.
  bool packed = false;
  bool operator==(const QuantizeTokens&) const = default;
};

/// How the integers come to an operation that multiplies them: it makes them of x itself, or they are q, scale, or q,
/// scale and sums of QuantizeTokens.
enum class IntegerInput : std::uint8_t { Fused, Values, Packed };

/// "fused", "values", "packed".
std::string_view to_string(IntegerInput input);

/// How many values an input is.
constexpr std::size_t values_of(IntegerInput input) { return static_cast<std::size_t>(input) + 1; }

/// Chunks of 32 channels, the least block of weights.
constexpr std::uint32_t integer_chunks(std::uint32_t channels) { return (channels + 31) / 32; }
/// Words of packed integers, with zeroes up to whole chunks.
constexpr std::uint32_t packed_words(std::uint32_t channels) { return integer_chunks(channels) * 8; }

std::vector<Shape> output_shapes(const QuantizeTokens& operation, std::span<const Operand> inputs);

}  // namespace driftwood::graph
