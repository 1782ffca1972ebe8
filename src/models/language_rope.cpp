#include "models/language_rope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

#include "base/error.h"

namespace driftwood::models {
namespace {

void check_positive(std::string_view what, double value) {
  if (!(value > 0 && std::isfinite(value)))
    throw InvalidInput(fmt::format("The {} {} is no positive number.", what, value));
}

void check_divisors(std::string_view what, const std::vector<float>& divisors, std::uint32_t pairs) {
  if (divisors.empty()) return;
  if (divisors.size() != pairs)
    throw InvalidInput(fmt::format("There are {} {} where the rotary dimension {} needs {}.", divisors.size(), what,
                                   2 * pairs, pairs));
  for (const float divisor : divisors) check_positive(what, divisor);
}

/// Wavelengths past original_context / low_frequency_factor are stretched by the factor, those under original_context /
/// high_frequency_factor stay, and those between are interpolated.
double llama3_scaled(const LanguageRope::Llama3& scaling, double frequency) {
  const double turns = scaling.original_context * frequency / (2 * std::numbers::pi);
  const double smooth = std::clamp(
      (turns - scaling.low_frequency_factor) / (scaling.high_frequency_factor - scaling.low_frequency_factor), 0.0,
      1.0);
  return (1 - smooth) * frequency / scaling.factor + smooth * frequency;
}

/// Between the two bounds the share that is stretched grows with the number of the pair, not with its frequency.
class YarnRamp {
 public:
  YarnRamp(const LanguageRope& rope, std::uint32_t rotary) {
    const auto pair_that_turns = [&](double turns) {
      return rotary * std::log(rope.yarn.original_context / (turns * 2 * std::numbers::pi)) / (2 * std::log(rope.base));
    };
    first_ = std::max(std::floor(pair_that_turns(rope.yarn.beta_fast)), 0.0);
    last_ = std::min(std::ceil(pair_that_turns(rope.yarn.beta_slow)), rotary - 1.0);
    if (first_ == last_) last_ += 0.001;  // as the published code avoids the division by zero
  }
  double stretched_share(std::uint32_t pair) const { return std::clamp((pair - first_) / (last_ - first_), 0.0, 1.0); }

 private:
  double first_, last_;
};

}  // namespace

void check_rope(const LanguageRope& rope, std::uint32_t rotary) {
  check_positive("RoPE base", rope.base);
  check_positive("RoPE scaling factor", rope.linear_factor);
  check_positive("RoPE scaling factor", rope.llama3.factor);
  check_positive("RoPE scaling factor", rope.yarn.factor);
  check_positive("RoPE magnitude", rope.magnitude);
  check_divisors("RoPE factors", rope.divisors, rotary / 2);
  check_divisors("long RoPE factors", rope.long_divisors, rotary / 2);
  if (rope.llama3.factor != 1 && !(rope.llama3.low_frequency_factor < rope.llama3.high_frequency_factor))
    throw InvalidInput(fmt::format("The RoPE low frequency factor {} is not less than the high frequency factor {}.",
                                   rope.llama3.low_frequency_factor, rope.llama3.high_frequency_factor));
  if (rope.yarn.factor == 1) return;
  check_positive("original context of YaRN", rope.yarn.original_context);
  check_positive("slow beta of YaRN", rope.yarn.beta_slow);
  if (!(rope.yarn.beta_slow < rope.yarn.beta_fast && std::isfinite(rope.yarn.beta_fast)))
    throw InvalidInput(fmt::format("The slow beta {} of YaRN is not less than the fast beta {}.", rope.yarn.beta_slow,
                                   rope.yarn.beta_fast));
  if (rope.base == 1) throw InvalidInput("The RoPE base 1 gives YaRN no frequencies to tell apart.");
}

std::vector<float> rope_frequencies(const LanguageRope& rope, std::uint32_t rotary, std::uint32_t context) {
  check_rope(rope, rotary);
  const bool is_long = !rope.long_divisors.empty() && context > rope.long_from;
  const std::vector<float>& divisors = is_long ? rope.long_divisors : rope.divisors;
  const YarnRamp ramp(rope, rotary);
  std::vector<float> frequencies(rotary / 2);
  for (std::uint32_t i = 0; i < frequencies.size(); ++i) {
    double frequency = std::pow(rope.base, -2.0 * i / rotary) / rope.linear_factor;
    if (rope.llama3.factor != 1) frequency = llama3_scaled(rope.llama3, frequency);
    if (rope.yarn.factor != 1) {
      const double share = ramp.stretched_share(i);
      frequency = share * frequency / rope.yarn.factor + (1 - share) * frequency;
    }
    if (!divisors.empty()) frequency /= divisors[i];
    frequencies[i] = static_cast<float>(frequency);
  }
  return frequencies;
}

double yarn_magnitude(double factor) { return factor > 1 ? 0.1 * std::log(factor) + 1 : 1; }

double longrope_magnitude(double context, double original) {
  return context > original && original > 1 ? std::sqrt(1 + std::log(context / original) / std::log(original)) : 1;
}

}  // namespace driftwood::models
