#include "llm/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace driftwood::llm {
namespace {

void check(bool good, std::string_view name, float value, std::string_view limits) {
  if (!good) throw InvalidInput(fmt::format("The {} is {}, not {}.", name, value, limits));
}

/// Greedy without penalties: no copy of the vocabulary. The smaller id of equals.
std::int32_t largest(std::span<const float> logits) {
  std::size_t best = logits.size();
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (!std::isnan(logits[i]) && (best == logits.size() || logits[i] > logits[best])) best = i;
  if (best == logits.size()) throw InvalidInput("The model's logits are not numbers (NaN).");
  return static_cast<std::int32_t>(best);
}

}  // namespace

Sampler::Sampler(const SamplerSettings& settings) : settings_(settings) {
  check(settings.temperature >= 0 && std::isfinite(settings.temperature), "temperature", settings.temperature,
        "a number of at least 0");
  check(settings.top_p > 0 && settings.top_p <= 1, "top-p", settings.top_p, "over 0 and at most 1");
  check(settings.min_p >= 0 && settings.min_p <= 1, "min-p", settings.min_p, "within 0 and 1");
  check(settings.repeat_penalty > 0 && std::isfinite(settings.repeat_penalty), "repetition penalty",
        settings.repeat_penalty, "a number over 0");
}

void Sampler::accept(std::int32_t token) {
  recent_.push_back(token);
  if (recent_.size() > settings_.repeat_window) recent_.pop_front();
}

double uniform_number(std::uint64_t seed, std::uint64_t draw) {
  std::uint64_t z = seed + 0x9E3779B97F4A7C15ULL * draw;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-53;
}

void Sampler::penalize(std::vector<Candidate>& candidates) const {
  std::vector<std::int32_t> seen(recent_.begin(), recent_.end());
  std::ranges::sort(seen);
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  for (const std::int32_t token : seen) {
    if (token < 0 || static_cast<std::size_t>(token) >= candidates.size()) continue;
    float& logit = candidates[static_cast<std::size_t>(token)].logit;
    logit = logit > 0 ? logit / settings_.repeat_penalty : logit * settings_.repeat_penalty;
  }
}

std::int32_t Sampler::sample(std::span<const float> logits) {
  if (logits.empty()) throw InternalError("There are no logits to sample from.");
  if (settings_.temperature == 0 && settings_.repeat_penalty == 1) return largest(logits);
  candidates_.resize(logits.size());
  for (std::size_t i = 0; i < logits.size(); ++i) candidates_[i] = {static_cast<std::int32_t>(i), logits[i]};
  if (settings_.repeat_penalty != 1) penalize(candidates_);
  std::erase_if(candidates_, [](const Candidate& c) { return std::isnan(c.logit); });
  if (candidates_.empty()) throw InvalidInput("The model's logits are not numbers (NaN).");

  // Ties go to the smaller id, so that the order never depends on the sort.
  const auto better = [](const Candidate& a, const Candidate& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.token < b.token;
  };
  if (settings_.temperature == 0) return std::ranges::min_element(candidates_, better)->token;

  if (settings_.top_k != 0 && settings_.top_k < candidates_.size()) {
    std::ranges::nth_element(candidates_, candidates_.begin() + settings_.top_k, better);
    candidates_.resize(settings_.top_k);
  }
  std::ranges::sort(candidates_, better);
  const float largest = candidates_.front().logit;
  const auto weight = [&](const Candidate& c, double temperature) {
    return std::isinf(largest) ? (c.logit == largest ? 1.0 : 0.0) : std::exp((c.logit - largest) / temperature);
  };
  if (settings_.top_p < 1) {
    double total = 0;
    for (const Candidate& c : candidates_) total += weight(c, 1);
    double sum = 0;
    std::size_t kept = 0;
    while (kept < candidates_.size() && sum < settings_.top_p * total) sum += weight(candidates_[kept++], 1);
    candidates_.resize(std::max<std::size_t>(kept, 1));
  }
  if (settings_.min_p > 0) {
    const auto first_out =
        std::ranges::find_if(candidates_, [&](const Candidate& c) { return weight(c, 1) < settings_.min_p; });
    candidates_.erase(std::max(first_out, candidates_.begin() + 1), candidates_.end());
  }

  double total = 0;
  for (const Candidate& c : candidates_) total += weight(c, settings_.temperature);
  double left = uniform_number(settings_.seed, ++draws_) * total;
  for (const Candidate& c : candidates_) {
    left -= weight(c, settings_.temperature);
    if (left < 0) return c.token;
  }
  return candidates_.back().token;
}

}  // namespace driftwood::llm
