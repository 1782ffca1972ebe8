// Rotary position embedding of a language model: from a file's numbers to the angle of each pair of channels.
#pragma once

#include <cstdint>
#include <vector>

namespace driftwood::models {

struct LanguageRope {
  double base = 10000;
  double linear_factor = 1;  // positions are divided by it

  /// Llama 3's scaling of the frequencies; factor 1: none.
  struct Llama3 {
    double factor = 1, low_frequency_factor = 1, high_frequency_factor = 4, original_context = 8192;
    bool operator==(const Llama3&) const = default;
  } llama3 = {};

  /// YaRN (arXiv 2309.00071): waves that turn more than beta_fast times in the original context stay, those under
  /// beta_slow turns are stretched by the factor; factor 1: none.
  struct Yarn {
    double factor = 1, original_context = 0, beta_fast = 32, beta_slow = 1;
    bool operator==(const Yarn&) const = default;
  } yarn = {};

  /// The frequencies are divided by these, one a pair, or not at all where there are none; by `long_divisors` where the
  /// context is over `long_from` (LongRoPE, arXiv 2402.13753: all positions of one context take the same).
  std::vector<float> divisors = {}, long_divisors = {};
  std::uint32_t long_from = 0;
  double magnitude = 1;  // factor of sine and cosine

  bool operator==(const LanguageRope&) const = default;
};

/// Throws InvalidInput where a number is no positive one or the divisors are not rotary / 2.
void check_rope(const LanguageRope& rope, std::uint32_t rotary);

/// The angle that each pair of `rotary` channels turns by from one position to the next (rotary / 2 values): base^(-2i
/// / rotary), scaled in double precision. `context`: the most tokens that the run may have.
std::vector<float> rope_frequencies(const LanguageRope& rope, std::uint32_t rotary, std::uint32_t context);

/// YaRN's factor of sine and cosine for a context stretched by `factor`.
double yarn_magnitude(double factor);
/// LongRoPE's, for a context of `context` tokens after one of `original`.
double longrope_magnitude(double context, double original);

}  // namespace driftwood::models
