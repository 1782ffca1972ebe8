#include "selftest/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/error.h"
#include "conformance/check.h"
#include "graph/program.h"

namespace driftwood::selftest {
namespace {

constexpr std::string_view of_language_models[] = {
    "rms-norm",     "add-rms-norm", "head-norm",    "linear",          "gated-linear",   "qkv-linear",
    "rope",         "head-layout",  "cache-write",  "rope-qkv",        "attention",      "embedding",
    "select-token", "sample-token", "element-wise", "quantize-tokens", "integer-linear", "integer-gated-linear"};
constexpr std::string_view of_image_models[] = {"embedding",  "linear",       "gated-linear",
                                                "conv2d",     "concat",       "group-statistics",
                                                "layer-norm", "element-wise", "multi-head-attention"};

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_in(Scope scope, std::string_view operation) {
  switch (scope) {
    case Scope::Language: return contains(of_language_models, operation);
    case Scope::Images: return contains(of_image_models, operation);
    case Scope::Everything: return true;
  }
  return true;
}

// A linear whose positions have more axes than rows of tokens.
bool has_images(const conformance::Case& its_case, const gpu::DeviceFacts& facts) {
  if (!its_case.operation.ends_with("linear")) return false;
  return std::ranges::any_of(conformance::sketch_of(its_case, facts).graph.values(), [](const graph::Value& value) {
    return value.role == graph::Role::Input && (value.shape.h > 1 || value.shape.b > 1);
  });
}

}  // namespace

std::string_view to_string(Scope scope) {
  switch (scope) {
    case Scope::Language: return "language";
    case Scope::Images: return "images";
    case Scope::Everything: return "everything";
  }
  return "everything";
}

std::vector<conformance::Case> cases_of(Scope scope, bool full, const gpu::DeviceFacts& facts) {
  std::vector<conformance::Case> all, chosen;
  for (conformance::Case& each : conformance::all_cases()) {
    if (is_in(scope, each.operation)) all.push_back(std::move(each));
  }
  for (const conformance::Case& each : all) {
    if (!each.everywhere || (!full && each.setting.storage != StorageKind::Buffer)) continue;
    if (scope == Scope::Language && has_images(each, facts)) continue;
    // Beside a CPU the host chooses tokens itself.
    if (scope == Scope::Language && facts.is_cpu && each.operation == "sample-token") continue;
    chosen.push_back(each);
  }
  if (!full) return chosen;
  std::set<std::string> known;
  for (const conformance::Case& each : chosen) known.insert(conformance::describe(each));
  for (conformance::Case& each : conformance::covering_sample(all, facts, conformance::Coverage::Cells)) {
    if (known.insert(conformance::describe(each)).second) chosen.push_back(std::move(each));
  }
  return chosen;
}

std::vector<Candidate> candidates(const std::vector<conformance::Case>& cases, const gpu::DeviceFacts& facts) {
  std::vector<Candidate> made;
  constexpr unsigned seed = 20250500;
  for (const conformance::Case& each : cases) {
    made.push_back({each, conformance::sketch_of(each, facts), seed + static_cast<unsigned>(made.size())});
  }
  return made;
}

std::optional<Planned> plan(const std::vector<Candidate>& candidates, std::size_t index,
                            const gpu::DeviceFacts& facts) {
  const Candidate& candidate = candidates[index];
  Planned planned{.candidate = index};
  if (!candidate.sketch.refusal.empty()) return std::nullopt;
  try {
    const graph::LoweredGraph lowered =
        graph::lower(candidate.sketch.graph, facts, conformance::options_of(candidate.its_case.setting));
    for (const graph::LoweredStep& step : lowered.steps) {
      const std::string kernel(step.kernel);
      if (std::ranges::find(planned.kernels, kernel) == planned.kernels.end()) planned.kernels.push_back(kernel);
      const graph::NodeChoice* const choice = candidate.its_case.setting.choice;
      const bool is_chosen = choice != nullptr && choice->kernel == kernel;
      planned.cells.insert((is_chosen ? to_string(*choice) : kernel) + " " + step.use.module_path);
      planned.key += graph::kernel_key(step.use);
    }
  } catch (const Error&) {
    return std::nullopt;
  }
  return planned;
}

std::vector<Planned> covering_sample(const std::vector<Candidate>& candidates, const gpu::DeviceFacts& facts, bool full,
                                     const std::set<std::size_t>& always) {
  std::vector<Planned> sample;
  std::set<std::string> covered;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    std::optional<Planned> planned = plan(candidates, i, facts);
    if (!planned) continue;
    const bool adds = !std::ranges::includes(covered, planned->cells);
    if (!adds && !full && !always.contains(i)) continue;
    covered.insert(planned->cells.begin(), planned->cells.end());
    sample.push_back(std::move(*planned));
  }
  return sample;
}

}  // namespace driftwood::selftest
