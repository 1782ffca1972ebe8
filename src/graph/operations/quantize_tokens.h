// Integers for the products of tokens: each 32 channels of a token have a scale, their largest magnitude over 127, and
// q are the multiples of it, rounded to the nearest integer, to the even one where two are as near. Channels of zeroes
// (or of less than 1e-30) have scale 0. One scale for a whole token loses too much: channels of some models are a
// hundred times larger than others, and SmolLM2's likelihood of a text was 0.035 off where blocks are 0.01 off at most.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/operations/operand.h"

namespace driftwood::graph {

struct QuantizeTokens {
  static constexpr std::string_view name = "quantize-tokens";
  /// x {.., C} -> (q, scale, sums): q as words of four signed bytes, channel 4 i in the lowest byte of word i, {.., C =
  /// packed_words(C)}, stored as U32; scale and sums {.., C = integer_chunks(C)}, the latter of the 32 channels as they
  /// are rounded, scale * q. Else x {.., C} -> {.., C}: x as it is rounded, for kernels of floats.
  bool packed = false;
  bool operator==(const QuantizeTokens&) const = default;
};

/// How the integers come to an operation that multiplies them: it makes them of x itself, or they are q, scale and sums
/// of QuantizeTokens.
enum class IntegerInput : std::uint8_t { Fused, Packed };

/// "fused", "packed".
std::string_view to_string(IntegerInput input);

/// How many values an input is.
constexpr std::size_t values_of(IntegerInput input) { return input == IntegerInput::Fused ? 1 : 3; }

/// Chunks of 32 channels, the least block of weights.
constexpr std::uint32_t integer_chunks(std::uint32_t channels) { return (channels + 31) / 32; }
/// Words of packed integers, with zeroes up to whole chunks.
constexpr std::uint32_t packed_words(std::uint32_t channels) { return integer_chunks(channels) * 8; }

std::vector<Shape> output_shapes(const QuantizeTokens& operation, std::span<const Operand> inputs);

}  // namespace driftwood::graph
