// Runs the conformance suite (conformance/case.h) on every machine: all cases where $DRIFTWOOD_CONFORMANCE is "all"
// (`make test-conformance`), else all on the reference device and on each other a sample that has every kernel with
// every storage kind, and with every type. What another device computes is compared with the reference device's numbers
// too.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <set>

#include "base/error.h"
#include "conformance/machines.h"
#include "conformance/tally.h"
#include "graph/lowering.h"

namespace driftwood::test {
namespace {

using namespace conformance;

using Parameter = std::tuple<Machine, std::string>;
class Conformance : public testing::TestWithParam<Parameter> {};

TEST_P(Conformance, ComputesWhatTheOperationSays) {
  const auto& [machine, operation] = GetParam();
  const Subject* const tested = subject(machine);
  if (tested == nullptr) GTEST_SKIP() << "There is no device " << machine.device << ".";
  const Subject* const reference = machine.is_reference() ? nullptr : subject({"reference", machine.family});
  Tally& tally = tally_of(machine);
  RecordProperty("seed", static_cast<int>(seed()));
  std::size_t faults = 0, count = 0;
  for (const Case& each : cases_of(machine)) {
    if (each.operation != operation) continue;
    if (faults == 5) break;
    const unsigned number = seed() + static_cast<unsigned>(count++);
    const Problem problem = problem_of(each, tested->device.facts(), number);
    Verdict verdict = check(*tested, each, problem);
    if (verdict.judgement == Judgement::Right && reference != nullptr) {
      const Verdict wanted = check(*reference, each, problem);
      verdict.message = wanted.judgement != Judgement::Right
                            ? fmt::format("on the reference device: {}", wanted.message)
                            : difference(problem, verdict.outcome, wanted.outcome);
      if (!verdict.message.empty()) verdict.judgement = Judgement::Wrong;
    }
    switch (verdict.judgement) {
      case Judgement::Right: ++tally.right; break;
      case Judgement::Unsupported: ++tally.refused[verdict.message]; break;
      case Judgement::Wrong:
        ++tally.wrong;
        ++faults;
        ADD_FAILURE() << describe(each) << "\n  " << verdict.message << "\n  seed " << number;
        break;
    }
  }
  RecordProperty("cases", static_cast<int>(count));
}

std::string with_underscores(std::string name) {
  for (char& each : name) {
    if (each == '-' || each == ':' || each == ' ') each = '_';
  }
  return name;
}

std::vector<std::string> operations() {
  std::vector<std::string> names;
  for (const Case& each : all_cases()) {
    if (std::ranges::find(names, each.operation) == names.end()) names.push_back(each.operation);
  }
  return names;
}

std::string name_of(const testing::TestParamInfo<Parameter>& info) {
  const auto& [machine, operation] = info.param;
  return with_underscores(fmt::format("{}_{}_{}", machine.device, machine.family, operation));
}

INSTANTIATE_TEST_SUITE_P(All, Conformance,
                         testing::Combine(testing::ValuesIn(machines()), testing::ValuesIn(operations())), name_of);

class Support : public testing::TestWithParam<Machine> {};

// Of the combinations of operation, format, storage kind and type whose storage kind the device has.
TEST_P(Support, IsThereForAlmostAllThatTheDeviceCouldDo) {
  const Subject* const tested = subject(GetParam());
  if (tested == nullptr) GTEST_SKIP() << "There is no device " << GetParam().device << ".";
  std::set<std::string> could, can;
  for (const Case& each : all_cases()) {
    if (!sketch_of(each, tested->device.facts()).refusal.empty()) continue;
    const Setting& s = each.setting;
    const std::string key = fmt::format("{} {} {} {}", each.operation, each.packed.empty() ? "" : to_string(s.packed),
                                        driftwood::to_string(s.storage), to_string(s.activation));
    could.insert(key);
    if (choice_of(each, tested->device.facts()).refusal.empty()) can.insert(key);
  }
  EXPECT_GE(can.size(), could.size() * 95 / 100);
  fmt::print("{}: {} of {} combinations\n", to_string(GetParam()), can.size(), could.size());
}

INSTANTIATE_TEST_SUITE_P(All, Support, testing::ValuesIn(machines()), [](const auto& info) {
  return with_underscores(fmt::format("{}_{}", info.param.device, info.param.family));
});

}  // namespace
}  // namespace driftwood::test
