// How many tokens of a long prompt go into one submission.
//
// A GPU that also draws a desktop stands still while a submission runs, and drivers end one that runs for about two
// seconds (Windows' TDR, the watchdogs of Linux and macOS): 200 ms are a tenth of that. CPUs have no such limit; theirs
// is how long Ctrl-C may have to wait.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace driftwood::llm {

class PrefillChunks {
 public:
  static constexpr double gpu_limit_ms = 200, cpu_limit_ms = 2000;
  /// Fewer tokens a submission gain nothing: even a watchdog of two seconds allows them at 16 tokens a second.
  static constexpr std::uint32_t fewest = 32;
  /// Of the first submission, when nothing is known of the speed: right down to 320 tokens a second.
  static constexpr std::uint32_t first = 64;

  PrefillChunks(std::uint32_t most, double limit_ms) : most_(most), limit_ms_(limit_ms) {}

  /// Tokens of the next submission at most: the most of one run, or the largest power of two that stays within the
  /// limit at the speed last measured. Larger runs take less time a token, not more, so a small one may be followed by
  /// a large one; and where a run leaves a quarter of the limit, twice as many are tried, until that was too many:
  /// kernels with tiles take as long for a few tokens as for a tile of them.
  std::uint32_t next() const {
    if (last_tokens_ == 0) return std::min(first, most_);
    const double fitting = limit_ms_ * last_tokens_ / last_ms_;
    if (fitting >= most_) return most_;
    const std::uint32_t known = std::max(fewest, std::bit_floor(static_cast<std::uint32_t>(fitting)));
    const std::uint32_t twice = 2 * std::bit_floor(last_tokens_);
    const bool is_worth_a_try = last_ms_ <= 0.75 * limit_ms_ && twice < too_many_;
    return std::min(most_, is_worth_a_try ? std::max(known, twice) : known);
  }

  /// Tells how long a submission took.
  void measured(std::uint32_t tokens, double ms) {
    // The first may have waited for compilers.
    if (last_tokens_ != 0 && ms > 1.25 * limit_ms_) too_many_ = std::max(2 * fewest, tokens);
    last_tokens_ = tokens;
    last_ms_ = std::max(ms, 1e-6);
  }

 private:
  std::uint32_t most_;
  double limit_ms_;
  std::uint32_t last_tokens_ = 0;  // 0: not measured
  double last_ms_ = 0;
  std::uint32_t too_many_ = std::numeric_limits<std::uint32_t>::max();
};

}  // namespace driftwood::llm
