#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <set>

#include "conformance/check.h"

namespace driftwood::conformance {
namespace {

struct Candidate {
  std::size_t place = 0;  // among the cases
  std::vector<std::string> keys;
  double cost = 0;
};

std::vector<std::string> keys_of(const Case& c, const Choice& choice, Coverage coverage) {
  std::vector<std::string> keys;
  for (const std::string& kernel : choice.kernels) {
    keys.push_back(fmt::format("{}/{}", c.operation, kernel));
    if (coverage == Coverage::Kernels) continue;
    const std::string_view storage = driftwood::to_string(c.setting.storage), type = to_string(c.setting.activation);
    if (coverage == Coverage::Kinds) {
      keys.push_back(fmt::format("{}/{}", kernel, storage));
      keys.push_back(fmt::format("{}/{}", kernel, type));
    } else {
      keys.push_back(fmt::format("{}/{}/{}", kernel, storage, type));
    }
    if (c.packed.empty()) continue;
    keys.push_back(fmt::format("{} {} {}", c.operation, to_string(c.setting.packed), c.packed));
    if (coverage == Coverage::Packed) keys.push_back(fmt::format("{}/{}", kernel, keys.back()));
  }
  return keys;
}

}  // namespace

std::vector<Case> covering_sample(const std::vector<Case>& cases, const gpu::DeviceFacts& facts, Coverage coverage) {
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Choice choice = choice_of(cases[i], facts);
    if (!choice.refusal.empty()) continue;
    // Compiling a kernel takes as long as a few million operations of a case.
    candidates.push_back({.place = i,
                          .keys = keys_of(cases[i], choice, coverage),
                          .cost = static_cast<double>(choice.dispatches) + choice.work / 3e6});
  }
  // Always the case that covers most for its cost. What it would cover only shrinks, so that a candidate is looked at
  // again only when it comes first.
  std::set<std::string> covered;
  const auto gain = [&](const Candidate& candidate) {
    return static_cast<double>(
               std::ranges::count_if(candidate.keys, [&](const std::string& key) { return !covered.contains(key); })) /
           candidate.cost;
  };
  using Entry = std::pair<double, std::size_t>;
  const auto is_later = [](const Entry& a, const Entry& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  };
  std::priority_queue<Entry, std::vector<Entry>, decltype(is_later)> queue(is_later);
  for (std::size_t i = 0; i < candidates.size(); ++i) queue.emplace(gain(candidates[i]), i);
  std::vector<std::size_t> chosen;
  while (!queue.empty()) {
    const auto [expected, i] = queue.top();
    queue.pop();
    const double now = gain(candidates[i]);
    if (now == 0) continue;
    if (now < expected) {
      queue.emplace(now, i);
      continue;
    }
    covered.insert(candidates[i].keys.begin(), candidates[i].keys.end());
    chosen.push_back(candidates[i].place);
  }
  std::ranges::sort(chosen);
  std::vector<Case> sample;
  sample.reserve(chosen.size());
  for (const std::size_t i : chosen) sample.push_back(cases[i]);
  return sample;
}

}  // namespace driftwood::conformance
