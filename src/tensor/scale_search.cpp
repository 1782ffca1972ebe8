#include "tensor/scale_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/half.h"

namespace driftwood {
namespace {

constexpr double no_fit = std::numeric_limits<double>::infinity();

// The nearest integer, halves to even, of a number below 2^22: the addition leaves no bits for a fraction.
float round_to_integer(float value) {
  constexpr float shift = 0x1.8p23F;
  return (value + shift) - shift;
}

float largest_magnitude(std::span<const float> values, float& signed_extreme) {
  float most = 0;
  for (const float value : values) {
    if (std::abs(value) > most) {
      most = std::abs(value);
      signed_extreme = value;
    }
  }
  return most;
}

// Sums of a fit: of the squares of the values, of value times level and of squared levels.
struct Sums {
  double values = 0, products = 0, levels = 0;

  /// The rounded scale of least squares, and the error that it leaves.
  double error_of(float scale) const {
    return values - 2 * static_cast<double>(scale) * products + static_cast<double>(scale) * scale * levels;
  }
};

// Values are scaled by a power of two to magnitudes of at most 1 first, so that no sum can overflow or vanish.
template <class Level>
Sums sums_of(std::span<const float> values, float unit, float scale, const Level& level_of) {
  constexpr std::size_t lanes = 8, chunk = 512;  // lanes for vector registers; chunks, since floats are short
  const float inverse = 1 / scale;
  Sums sums;
  for (std::size_t begin = 0; begin < values.size(); begin += chunk) {
    const std::size_t count = std::min(chunk, values.size() - begin);
    std::array<float, lanes> squares = {}, products = {}, levels = {};
    const auto add = [&](std::size_t lane, float value) {
      const float scaled = value * unit;
      const float level = level_of(scaled * inverse);
      squares[lane] += scaled * scaled;
      products[lane] += scaled * level;
      levels[lane] += level * level;
    };
    const float* const at = values.data() + begin;
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
      for (std::size_t lane = 0; lane < lanes; ++lane) add(lane, at[i + lane]);
    }
    for (std::size_t lane = 0; i < count; ++i, ++lane) add(lane, at[i]);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      sums.values += static_cast<double>(squares[lane]);
      sums.products += static_cast<double>(products[lane]);
      sums.levels += static_cast<double>(levels[lane]);
    }
  }
  return sums;
}

// 2^-exponent of the largest magnitude as a float that may be multiplied by, and its inverse.
struct Unit {
  float factor, inverse;
  explicit Unit(float largest) {
    const int exponent = std::clamp(std::ilogb(largest) + 1, -125, 125);
    factor = std::ldexp(1.0F, -exponent);
    inverse = std::ldexp(1.0F, exponent);
  }
};

class Best {
 public:
  Best(RoundScale round, Unit unit) : round_(round), unit_(unit) {}

  void consider(const Sums& sums) {
    if (sums.levels == 0) return;
    const float scale = round_(static_cast<float>(sums.products / sums.levels) * unit_.inverse);
    if (!std::isfinite(scale)) return;
    any_ = true;
    const double error = sums.error_of(scale * unit_.factor);
    if (error >= error_) return;
    error_ = error;
    scale_ = scale;
  }

  float scale(float largest) const {
    if (!any_) {
      throw InvalidInput(
          fmt::format("A value of {:g} needs a scale past 65504, the largest that the type holds.", largest));
    }
    return scale_;
  }

 private:
  RoundScale round_;
  Unit unit_;
  double error_ = no_fit;
  float scale_ = 0;
  bool any_ = false;
};

}  // namespace

float rounded_to_half(float scale) { return half_to_float(float_to_half(scale)); }
float unrounded(float scale) { return scale; }

std::int32_t quantized(float value, float scale, std::int32_t low, std::int32_t high) {
  if (scale == 0) return std::clamp(0, low, high);
  // A quotient of a subnormal scale may be infinite, never NaN.
  return static_cast<std::int32_t>(
      round_to_integer(std::clamp(value / scale, static_cast<float>(low), static_cast<float>(high))));
}

float best_scale(std::span<const float> values, std::int32_t low, std::int32_t high, float finest, RoundScale round) {
  float extreme = 0;
  const float largest = largest_magnitude(values, extreme);
  if (largest == 0) return 0;
  const Unit unit(largest);
  const auto lowest = static_cast<float>(low), highest = static_cast<float>(high);
  const auto level_of = [&](float quotient) {
    const float above = quotient < lowest ? lowest : quotient;
    return round_to_integer(above > highest ? highest : above);
  };
  // Down to `finest` of the range, for the extreme at either end.
  Best best(round, unit);
  const float whole = extreme * unit.factor / lowest;
  const int steps = std::max(8, static_cast<int>((1 - finest) * 32));
  for (int step = -1; step <= steps; ++step) {
    const float share = 1 - (1 - finest) * static_cast<float>(step) / static_cast<float>(steps);
    best.consider(sums_of(values, unit.factor, whole * share, level_of));
    best.consider(sums_of(values, unit.factor, -whole * share, level_of));
  }
  return best.scale(largest);
}

std::uint32_t nearest_level(float value, float scale, std::span<const std::int8_t> table) {
  const float quotient = scale == 0 ? 0 : value / scale;
  std::uint32_t place = 0;
  for (std::size_t i = 1; i < table.size(); ++i) {
    place += quotient > 0.5F * static_cast<float>(table[i - 1] + table[i]);
  }
  return place;
}

float best_table_scale(std::span<const float> values, std::span<const std::int8_t> table, RoundScale round) {
  float extreme = 0;
  const float largest = largest_magnitude(values, extreme);
  if (largest == 0) return 0;
  const Unit unit(largest);
  const auto level_of = [&](float quotient) { return static_cast<float>(table[nearest_level(quotient, 1, table)]); };
  Best best(round, unit);
  for (const std::int8_t end : {table.front(), table.back()}) {
    const float whole = extreme * unit.factor / static_cast<float>(end);
    for (int step = -2; step <= 8; ++step) {
      best.consider(sums_of(values, unit.factor, whole * (1 - 0.03F * static_cast<float>(step)), level_of));
    }
  }
  return best.scale(largest);
}

ScaleAndOffset best_scale_and_offset(std::span<const float> values, std::int32_t levels, bool below_zero,
                                     RoundScale round) {
  const auto [least, most] = std::ranges::minmax(values);
  const double low = below_zero ? std::min(0.0, static_cast<double>(least)) : static_cast<double>(least);
  const double range = std::max(low, static_cast<double>(most)) - low;
  const auto last = static_cast<double>(levels - 1);
  ScaleAndOffset best = {0, round(static_cast<float>(low))};
  if (!std::isfinite(best.offset)) {
    throw InvalidInput(fmt::format("A value of {:g} is past 65504, the largest that the type holds.", low));
  }
  if (range == 0) return best;
  double best_error = no_fit;
  const auto count = static_cast<double>(values.size());
  for (int step = -4; step <= 12; ++step) {
    const double inverse = (last + 0.1 * step - 0.4) / range;
    double sum = 0, squares = 0, q_sum = 0, q_squares = 0, products = 0;
    for (const float value : values) {
      const auto v = static_cast<double>(value);
      const double q = std::clamp(std::nearbyint((v - low) * inverse), 0.0, last);
      sum += v;
      squares += v * v;
      q_sum += q;
      q_squares += q * q;
      products += q * v;
    }
    const double determinant = count * q_squares - q_sum * q_sum;
    if (q_squares == 0) continue;
    double scale = (count * products - sum * q_sum) / determinant;
    double offset = (q_squares * sum - q_sum * products) / determinant;
    // One level for all values, far from zero, leaves the offset open.
    if (determinant <= 0 || (below_zero && offset > 0)) {
      offset = 0;
      scale = products / q_squares;
    }
    const float rounded_scale = round(static_cast<float>(scale)), rounded_offset = round(static_cast<float>(offset));
    if (!std::isfinite(rounded_scale) || !std::isfinite(rounded_offset) || rounded_scale < 0) continue;
    const auto d = static_cast<double>(rounded_scale), m = static_cast<double>(rounded_offset);
    const double error =
        squares + d * d * q_squares + m * m * count - 2 * d * products - 2 * m * sum + 2 * d * m * q_sum;
    if (error >= best_error) continue;
    best_error = error;
    best = {rounded_scale, rounded_offset};
  }
  if (best_error == no_fit) {
    throw InvalidInput(
        fmt::format("Values from {:g} to {:g} need a scale past 65504, the largest that the type holds.", least, most));
  }
  return best;
}

}  // namespace driftwood
