// Runs the conformance suite (conformance.h): all cases on the reference device, as a CPU and as two GPUs, a choice of
// them on OpenCL with the kernels of CPUs and of GPUs.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "conformance/case.h"
#include "conformance/support_table.h"
#include "gpu/reference/reference_device.h"
#include "kernels/conformance_device.h"
#include "kernels/source.h"
#include "support/devices.h"

namespace driftwood::test {
namespace {

using namespace conformance;

/// Every problem has random contents; another seed gives others.
unsigned seed() {
  const char* const given = std::getenv("DRIFTWOOD_TEST_SEED");
  return given == nullptr ? 20250500 : static_cast<unsigned>(std::strtoul(given, nullptr, 10));
}

// "reference cpu": what the device is, and which family of kernels it is made to take.
struct Machine {
  std::string device, family;
};

void PrintTo(const Machine& machine, std::ostream* stream) { *stream << machine.device << " as " << machine.family; }

gpu::ReferenceOptions reference_options(const std::string& family) {
  gpu::ReferenceOptions options{.is_cpu = family == "cpu"};
  // The least that is found in practice.
  if (family == "small_gpu") {
    options.max_workgroup_size = 64;
    options.max_workgroup_extent = {64, 64, 64};
    options.local_memory = 16 << 10;
    options.has_f16_arithmetic = false;
    options.subgroup_size = 0;
    options.has_packed_dot = false;
    options.buffer_alignment = 128;
  }
  return options;
}

/// The subject of that name, opened once; null where this computer has no such device.
const Subject* subject(const std::string& device_id, const std::string& family) {
  struct Opened {
    std::unique_ptr<gpu::Device> device;
    std::unique_ptr<Subject> subject;
  };
  static std::map<std::string, Opened> opened;
  const auto [place, is_new] = opened.try_emplace(device_id + " " + family);
  Opened& entry = place->second;
  if (is_new) {
    if (device_id == "reference") {
      entry.device = gpu::make_reference_device(reference_options(family));
    } else if (gpu::Device* const device = test::device(device_id)) {
      entry.device = std::make_unique<ClaimingDevice>(*device, family == "cpu");
    }
    if (entry.device) {
      entry.subject = std::make_unique<Subject>(
          Subject{*entry.device, std::make_shared<graph::KernelCache>(*entry.device, kernels::source)});
    }
  }
  return entry.subject.get();
}

// All cases on the reference device, those for everywhere elsewhere. Where a compiler takes its time, the family of
// kernels that is not the device's own gets every second of matrices and every third of the rest.
std::vector<Case> cases_of(const Machine& machine, const std::string& operation) {
  const bool is_reference = machine.device == "reference";
  const bool is_own = is_reference || test::device(machine.device)->facts().is_cpu == (machine.family == "cpu");
  const bool has_families = operation.ends_with("linear") || operation == "conv2d";
  const bool takes_all = is_reference && machine.family != "small_gpu";
  std::vector<Case> chosen;
  std::size_t count = 0;
  for (Case& each : all_cases()) {
    if (each.operation != operation || (!each.everywhere && !takes_all)) continue;
    if (is_own || count++ % (has_families ? 2 : 3) == 0) chosen.push_back(std::move(each));
  }
  return chosen;
}

Outcome outcome_of(const Subject& subject, const Problem& problem, StorageKind storage) {
  try {
    return run(subject, problem, storage);
  } catch (const Error& error) {
    return {.values = {}, .fault = error.what()};
  }
}

using Parameter = std::tuple<Machine, std::string>;
class Conformance : public testing::TestWithParam<Parameter> {};

TEST_P(Conformance, ComputesWhatTheOperationSays) {
  const auto& [machine, operation] = GetParam();
  const Subject* const tested = subject(machine.device, machine.family);
  if (tested == nullptr) GTEST_SKIP() << "no device " << machine.device;
  const bool is_reference = machine.device == "reference";
  const Subject* const reference = is_reference ? nullptr : subject("reference", machine.family);
  const std::vector<Case> cases = cases_of(machine, operation);
  RecordProperty("seed", static_cast<int>(seed()));
  RecordProperty("cases", static_cast<int>(cases.size()));
  std::size_t faults = 0;
  for (std::size_t i = 0; i < cases.size() && faults < 5; ++i) {
    const Case& each = cases[i];
    const Problem problem = problem_of(each, tested->device.facts(), seed() + static_cast<unsigned>(i));
    const Outcome outcome = outcome_of(*tested, problem, each.setting.storage);
    std::string fault = outcome.fault;
    if (fault.empty() && reference != nullptr) {
      fault = difference(problem, outcome, outcome_of(*reference, problem, each.setting.storage));
    }
    if (fault.empty()) continue;
    ++faults;
    ADD_FAILURE() << describe(each) << "\n  " << fault << "\n  DRIFTWOOD_TEST_SEED=" << seed() << ", case " << i;
  }
}

std::string name_of(const testing::TestParamInfo<Parameter>& info) {
  const auto& [machine, operation] = info.param;
  std::string name = machine.device.substr(0, machine.device.find(':')) + "_" + machine.family + "_" + operation;
  for (char& each : name) {
    if (each == '-') each = '_';
  }
  return name;
}

const std::vector<std::string> operations = {"rms-norm",
                                             "add-rms-norm",
                                             "layer-norm",
                                             "group-statistics",
                                             "linear",
                                             "gated-linear",
                                             "conv2d",
                                             "concat",
                                             "embedding",
                                             "select-token",
                                             "rope",
                                             "head-layout",
                                             "cache-write",
                                             "rope-qkv",
                                             "attention",
                                             "multi-head-attention",
                                             "element-wise",
                                             "head-norm",
                                             "quantize-tokens",
                                             "integer-linear",
                                             "integer-gated-linear",
                                             "qkv-linear"};

INSTANTIATE_TEST_SUITE_P(All, Conformance,
                         testing::Combine(testing::Values(Machine{"reference", "cpu"}, Machine{"reference", "gpu"},
                                                          Machine{"reference", "small_gpu"}, Machine{"opencl:0", "cpu"},
                                                          Machine{"opencl:0", "gpu"}),
                                          testing::ValuesIn(operations)),
                         name_of);

TEST(ConformanceTable, CoversEveryKernelOfTheSelection) {
  std::vector<std::string> tested;
  for (const SupportRow& row : support_table(all_cases())) tested.push_back(row.kernel);
  for (const graph::KernelRow& row : graph::kernel_rows()) {
    EXPECT_THAT(tested, testing::Contains(std::string(row.kernel))) << row.operation;
  }
}

TEST(ConformanceTable, IsTheOneInTheDocumentation) {
  const std::string path = DRIFTWOOD_SOURCE_DIR "/docs/kernels.md";
  const std::string page = support_page(support_table(all_cases()));
  if (std::getenv("DRIFTWOOD_WRITE_DOCS") != nullptr) std::ofstream(path) << page;
  std::ostringstream written;
  written << std::ifstream(path).rdbuf();
  EXPECT_EQ(written.str(), page) << "Run this test with DRIFTWOOD_WRITE_DOCS=1 to write docs/kernels.md anew.";
}

}  // namespace
}  // namespace driftwood::test
