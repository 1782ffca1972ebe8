#include "selftest/settle.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "graph/program.h"
#include "kernels/source.h"

namespace driftwood::selftest {
namespace {

// A driver that is lost again and again is not worth more of the user's time.
constexpr std::size_t most_losses = 4;

// The kernels to blame for a case that is wrong: those that no other case shows to be right, or all.
std::vector<std::string> suspects(const std::vector<std::string>& kernels, const std::set<std::string>& right) {
  std::vector<std::string> left;
  std::ranges::copy_if(kernels, std::back_inserter(left),
                       [&](const std::string& each) { return !right.contains(each); });
  return left.empty() ? kernels : left;
}

}  // namespace

Search::Search(std::unique_ptr<gpu::Device>& device, const Settings& settings)
    : device_(device), settings_(settings), base_(device->facts()) {
  cases_ = cases_of(settings.scope, settings.full, base_);
  candidates_ = candidates(cases_, base_);
  use_features({});
}

void Search::use_features(const std::vector<std::string>& features) {
  const auto has_images = [](const std::vector<std::string>& off) {
    return std::ranges::find(off, "images") == off.end();
  };
  const gpu::DeviceFacts facts = amended(base_, {.kernels = {}, .features = features});
  if (has_images(features) != has_images(features_)) candidates_ = candidates(cases_, facts);
  features_ = features;
  kernels_.reset();
  compiler_ = std::make_unique<gpu::AmendedDevice>(*device_, facts);
  kernels_ = std::make_shared<graph::KernelCache>(*compiler_, kernels::source);
}

void Search::reopen(const std::string& why) {
  kernels_.reset();
  compiler_.reset();
  if (!settings_.reopen) throw DeviceLost(why);
  device_.reset();
  device_ = settings_.reopen();
  use_features(features_);
  if (++losses_ > most_losses) throw DeviceLost(why);
}

std::vector<Planned> Search::sample(const gpu::DeviceFacts& facts, const std::set<std::size_t>& only,
                                    const std::set<std::size_t>& always) const {
  if (only.empty()) return covering_sample(candidates_, facts, settings_.full, always);
  std::vector<Planned> plans;
  for (const std::size_t candidate : only) {
    if (auto planned = plan(candidates_, candidate, facts)) plans.push_back(std::move(*planned));
  }
  return plans;
}

Trial Search::run(const Planned& planned, const gpu::DeviceFacts& facts) {
  const Candidate& candidate = candidates_[planned.candidate];
  conformance::Problem problem = conformance::problem_of(candidate.its_case, facts, candidate.seed);
  problem.dispatches = 0;  // another choice of kernels may take more of them
  std::string why;
  for (int attempt = 0; attempt < 2; ++attempt) {
    try {
      gpu::AmendedDevice device(*device_, facts);
      const conformance::Outcome outcome = conformance::run({device, kernels_}, problem, candidate.its_case.setting);
      if (outcome.fault.empty()) return {};
      return {.verdict = Verdict::Wrong, .fault = outcome.fault};
    } catch (const Error& error) {
      why = error.message();
      if (error.kind() != ErrorKind::DeviceLost) return {.verdict = Verdict::Failed, .fault = why};
    }
    reopen(why);
  }
  return {.verdict = Verdict::Lost, .fault = why};
}

bool Search::is_stuck(std::size_t candidate, const Amendments& amendments) const {
  // Others in the place of a fused kernel have cases of their own.
  for (const graph::FusedKernel& fused : graph::fused_kernels()) {
    const bool is_off = std::ranges::find(amendments.kernels, fused.kernel) != amendments.kernels.end();
    if (is_off && graph::operation_of(fused.kernel) == operation(candidate)) return false;
  }
  return !plan(candidates_, candidate, amended(base_, amendments));
}

Settled Search::settle(const std::vector<std::string>& features, const std::set<std::size_t>& only) {
  use_features(features);
  Settled settled{.amendments = {.kernels = {}, .features = features}};
  std::map<std::string, Trial> trials;  // by code
  std::set<std::size_t> shown;          // cases that were wrong: run until they are right
  while (true) {
    const gpu::DeviceFacts facts = amended(base_, settled.amendments);
    const std::vector<Planned> plans = sample(facts, only, shown);
    std::vector<std::pair<const Planned*, Trial>> wrong;
    std::set<std::string> right;
    settled.plans.clear();
    settled.cases.clear();
    std::size_t left = plans.size();
    for (const Planned& planned : plans) {
      const std::string key = fmt::format("{}\n{}", planned.candidate, planned.key);
      const auto found = trials.find(key);
      if (settings_.progress) settings_.progress(done_, done_ + left, planned.kernels.front());
      const Trial trial = found != trials.end() ? found->second : run(planned, facts);
      if (found == trials.end()) ++done_;
      --left;
      trials.emplace(key, trial);
      settled.plans[planned.candidate] = planned;
      for (const std::string& kernel : planned.kernels) ++settled.cases[kernel];
      if (trial.verdict != Verdict::Right) {
        wrong.emplace_back(&planned, trial);
      } else if (planned.kernels.size() == 1) {
        right.insert(planned.kernels.front());
      }
    }
    if (settings_.progress) settings_.progress(done_, done_, {});
    if (wrong.empty()) break;
    for (const auto& [planned, trial] : wrong) {
      if (planned->kernels.size() == 1) right.erase(planned->kernels.front());
    }
    for (const auto& [planned, trial] : wrong) {
      shown.insert(planned->candidate);
      for (const std::string& kernel : suspects(planned->kernels, right)) {
        settled.shown_by[kernel].insert(planned->candidate);
        if (settled.faults.emplace(kernel, trial).second) settled.amendments.kernels.push_back(kernel);
      }
    }
  }
  for (const std::size_t candidate : shown) {
    if (is_stuck(candidate, settled.amendments)) settled.stuck.insert(candidate);
  }
  return settled;
}

}  // namespace driftwood::selftest
