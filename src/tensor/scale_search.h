// Scales of integers that stand for floats with the least squared error.
//
// Each search tries several scales. One gives integers; for these, the best scale in the least-squares sense follows
// directly, is rounded to what the format stores, and is judged by the error that it leaves.
#pragma once

#include <cstdint>
#include <span>

namespace driftwood {

/// What a format makes of a scale: a half as a rule. May give infinity, which no search takes.
using RoundScale = float (*)(float scale);
float rounded_to_half(float scale);
float unrounded(float scale);

/// clamp(round(value / scale), low, high), halves to even; 0 where the scale is 0.
std::int32_t quantized(float value, float scale, std::int32_t low, std::int32_t high);

/// The scale of least sum (value - scale * q)^2 with q in [low, high]; 0 for zeroes alone. It is negative where the
/// extreme of the values is better placed at `low`. `finest` is the smallest share of the range that is tried: values
/// beyond it are cut off. Throws InvalidInput where every scale overflows.
float best_scale(std::span<const float> values, std::int32_t low, std::int32_t high, float finest, RoundScale round);

/// The same for a table of levels in ascending order.
float best_table_scale(std::span<const float> values, std::span<const std::int8_t> table, RoundScale round);

/// The place in the ascending table of the level nearest to value / scale.
std::uint32_t nearest_level(float value, float scale, std::span<const std::int8_t> table);

struct ScaleAndOffset {
  float scale, offset;
};

/// Scale and offset of least sum (value - scale * q - offset)^2 with q in [0, levels). With `below_zero` the offset is
/// at most 0. Scale is at least 0. Both are as `round` makes them. Throws InvalidInput where they overflow.
ScaleAndOffset best_scale_and_offset(std::span<const float> values, std::int32_t levels, bool below_zero,
                                     RoundScale round);

}  // namespace driftwood
