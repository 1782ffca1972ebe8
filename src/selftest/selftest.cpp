#include "selftest/selftest.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/stopwatch.h"
#include "selftest/probes.h"
#include "selftest/settle.h"

namespace driftwood::selftest {
namespace {

using Features = std::vector<std::string>;

Features joined(Features features, const Features& more) {
  features.insert(features.end(), more.begin(), more.end());
  return features;
}

// Features that do not do what the facts say, each as a finding. A second loss of the device in a probe is a fault of
// the features that are probed.
std::vector<Finding> probed(std::unique_ptr<gpu::Device>& device, Search& search) {
  std::vector<Finding> findings;
  std::string lost;
  for (int attempt = 0; attempt < 2; ++attempt) {
    try {
      for (const ProbeFinding& probe : probe_features(*device)) {
        Finding finding{.kernel = probe.feature, .cases = 1};
        if (!probe.fault.empty()) {
          finding.verdict = Verdict::Wrong;
          finding.fault = probe.fault;
          finding.instead = "kernels that do without";
        }
        findings.push_back(std::move(finding));
      }
      return findings;
    } catch (const DeviceLost& error) {
      lost = error.message();
    }
    search.reopen(lost);
  }
  for (const std::string& feature : features_of(device->facts())) {
    if (feature != "subgroups" && feature != "packed-dot" && feature != "f16-arithmetic") continue;
    findings.push_back(
        {.kernel = feature, .cases = 1, .verdict = Verdict::Lost, .fault = lost, .instead = "kernels that do without"});
  }
  return findings;
}

// Features given up, alone and then together, until all cases come out right, or as many as can be.
Settled without_features(Search& search, Settled best, const Features& off, const Features& on) {
  const std::set<std::size_t> stuck = best.stuck;
  std::vector<Features> choices;
  for (const std::string& feature : on) choices.push_back({feature});
  for (std::size_t count = 2; count <= on.size(); ++count) {
    choices.emplace_back(on.begin(), on.begin() + static_cast<std::ptrdiff_t>(count));
  }
  try {
    for (const Features& choice : choices) {
      if (best.stuck.empty()) break;
      if (search.settle(joined(off, choice), stuck).stuck.size() >= best.stuck.size()) continue;
      Settled settled = search.settle(joined(off, choice));
      if (settled.stuck.size() < best.stuck.size()) best = std::move(settled);
    }
  } catch (const DeviceLost&) {  // too often: what is found by then must do
  }
  return best;
}

// What runs the cases that showed a kernel to be wrong.
std::string instead_of(const std::string& kernel, const std::set<std::size_t>& cases, const Settled& settled) {
  std::vector<std::string> others;
  bool is_back = false;
  for (const std::size_t candidate : cases) {
    if (settled.stuck.contains(candidate)) return {};
    const auto planned = settled.plans.find(candidate);
    if (planned == settled.plans.end()) continue;
    for (const std::string& other : planned->second.kernels) {
      if (other == kernel) is_back = true;
      if (other != kernel && std::ranges::find(others, other) == others.end()) others.push_back(other);
    }
  }
  std::string text;
  if (is_back) others.insert(others.begin(), kernel);
  // Where all kernels of a fused operation are wrong, there are those that it joins.
  for (const graph::FusedKernel& fused : graph::fused_kernels()) {
    if (!others.empty() || graph::operation_of(fused.kernel) != graph::operation_of(kernel)) continue;
    return fused.pass.empty() ? std::string(fused.instead) : fmt::format("the graph without {}", fused.pass);
  }
  for (const std::string& other : others) text += fmt::format("{}{}", text.empty() ? "" : ", ", other);
  if (is_back || (!text.empty() && !settled.amendments.features.empty() &&
                  std::ranges::find(settled.amendments.kernels, kernel) == settled.amendments.kernels.end())) {
    for (const std::string& feature : settled.amendments.features) text += " without " + feature;
  }
  return text;
}

void add_findings(Report& report, const Settled& first, const Settled& last) {
  for (const graph::KernelRow& row : graph::kernel_rows()) {
    const std::string kernel(row.kernel);
    if (std::ranges::find(report.findings, kernel, &Finding::kernel) != report.findings.end()) continue;
    Finding finding{.kernel = kernel};
    const Settled* const source = first.faults.contains(kernel) ? &first : &last;
    if (const auto right = last.cases.find(kernel); right != last.cases.end()) finding.cases = right->second;
    if (const auto fault = source->faults.find(kernel); fault != source->faults.end()) {
      const std::set<std::size_t>& shown_by = source->shown_by.at(kernel);
      finding.cases = std::max(finding.cases, shown_by.size());
      finding.verdict = fault->second.verdict;
      finding.fault = fault->second.fault;
      finding.instead = instead_of(kernel, shown_by, last);
    }
    if (finding.cases > 0) report.findings.push_back(std::move(finding));
  }
}

}  // namespace

Report test(std::unique_ptr<gpu::Device>& device, const Settings& settings) {
  const Stopwatch watch;
  const gpu::DeviceFacts facts = device->facts();
  Report report{
      .id = facts.id, .name = facts.name, .driver = facts.driver, .scope = settings.scope, .is_full = settings.full};
  try {
    Search search(device, settings);
    report.findings = probed(device, search);
    Features off;
    for (const Finding& finding : report.findings) {
      if (finding.verdict != Verdict::Right) off.push_back(finding.kernel);
    }
    const Settled first = search.settle(off);
    Settled last = first;
    if (!first.stuck.empty()) {
      last = without_features(search, first, off, features_of(amended(facts, {.kernels = {}, .features = off})));
    }
    add_findings(report, first, last);
    report.amendments = last.amendments;
  } catch (const Error& error) {
    report.lost = error.message();
  }
  report.milliseconds = watch.milliseconds();
  return report;
}

}  // namespace driftwood::selftest
