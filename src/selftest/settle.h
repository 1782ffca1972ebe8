// The search for kernels that are right on a device, with given features.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gpu/amended_device.h"
#include "selftest/selftest.h"

namespace driftwood::selftest {

struct Trial {
  Verdict verdict = Verdict::Right;
  std::string fault = {};
};

/// What came of a search.
struct Settled {
  Amendments amendments = {};
  /// The cases as they run in the end, and how often each kernel ran and was right.
  std::map<std::size_t, Planned> plans = {};
  std::map<std::string, std::size_t> cases = {};
  /// The first fault of each kernel that is not trusted any more, and the cases that showed it.
  std::map<std::string, Trial> faults = {};
  std::map<std::string, std::set<std::size_t>> shown_by = {};
  /// Cases that no trusted kernel runs, nor others in the place of a fused one.
  std::set<std::size_t> stuck = {};
};

class Search {
 public:
  Search(std::unique_ptr<gpu::Device>& device, const Settings& settings);

  /// Runs a covering sample (or the cases `only`, where there are some) and distrusts what is wrong until nothing is.
  /// Throws DeviceLost where the device is lost and cannot be opened anew.
  Settled settle(const std::vector<std::string>& features, const std::set<std::size_t>& only = {});

  /// The operation of a case.
  const std::string& operation(std::size_t candidate) const { return candidates_[candidate].its_case.operation; }
  /// Reopens the device after a loss; throws DeviceLost where that was done too often or is not offered.
  void reopen(const std::string& why);

 private:
  void use_features(const std::vector<std::string>& features);
  std::vector<Planned> sample(const gpu::DeviceFacts& facts, const std::set<std::size_t>& only,
                              const std::set<std::size_t>& always) const;
  Trial run(const Planned& planned, const gpu::DeviceFacts& facts);
  bool is_stuck(std::size_t candidate, const Amendments& amendments) const;

  std::unique_ptr<gpu::Device>& device_;
  const Settings& settings_;
  gpu::DeviceFacts base_;
  std::vector<conformance::Case> cases_;
  std::vector<Candidate> candidates_;
  std::vector<std::string> features_;             // of candidates_ and kernels_: those that are off
  std::unique_ptr<gpu::AmendedDevice> compiler_;  // what kernels_ compiles for
  std::shared_ptr<graph::KernelCache> kernels_;
  std::size_t done_ = 0, losses_ = 0;
};

}  // namespace driftwood::selftest
