// Chooses the next token from logits.
//
// Order, as llama.cpp's users know it: repetition penalty, then top-k, top-p, min-p, then temperature and a draw. The
// random numbers come from a counter-based generator on the host (SplitMix64 of the seed and the draw's number), so
// that the same seed gives the same text wherever the logits are the same.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace driftwood::llm {

struct SamplerSettings {
  float temperature = 0.8F;          // 0: greedy
  std::uint32_t top_k = 40;          // 0: all
  float top_p = 0.95F;               // 1: all
  float min_p = 0.05F;               // 0: all
  float repeat_penalty = 1.0F;       // 1: none
  std::uint32_t repeat_window = 64;  // last tokens that the penalty looks at
  std::uint64_t seed = 0;
};

/// Random number `draw` (from 1 on) of a seed, in [0, 1).
double uniform_number(std::uint64_t seed, std::uint64_t draw);

class Sampler {
 public:
  /// Throws InvalidInput, naming the setting, its value and its limits.
  explicit Sampler(const SamplerSettings& settings);

  /// The next token. Throws InternalError where the logits are empty, InvalidInput where none of them is a number.
  std::int32_t sample(std::span<const float> logits);
  /// Tells of a token that was generated or is part of the prompt (for the repetition penalty).
  void accept(std::int32_t token);

  const SamplerSettings& settings() const { return settings_; }
  /// Random numbers used so far.
  std::uint64_t draws() const { return draws_; }

 private:
  struct Candidate {
    std::int32_t token;
    float logit;
  };
  void penalize(std::vector<Candidate>& candidates) const;

  SamplerSettings settings_;
  std::deque<std::int32_t> recent_;
  std::vector<Candidate> candidates_;
  std::uint64_t draws_ = 0;
};

}  // namespace driftwood::llm
