#include "conformance/tally.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

namespace driftwood::test {
namespace {

std::map<Machine, Tally>& tallies() {
  static std::map<Machine, Tally> all;
  return all;
}

// Prints each machine's line at the end. $DRIFTWOOD_CONFORMANCE_REPORT names a file to which the counts are added, for
// processes that share the work: machine, what it came to, how often, separated by tabs.
class Summary : public testing::Environment {
 public:
  void TearDown() override {
    const char* const path = std::getenv("DRIFTWOOD_CONFORMANCE_REPORT");
    std::FILE* const report = path == nullptr ? nullptr : std::fopen(path, "a");
    for (const auto& [machine, tally] : tallies()) {
      fmt::print("{}\n", summary(machine, tally));
      if (report == nullptr) continue;
      std::string lines = fmt::format("{0}\tright\t{1}\n{0}\twrong\t{2}\n", name_of(machine), tally.right, tally.wrong);
      for (const auto& [reason, count] : tally.refused) {
        lines += fmt::format("{}\trefused: {}\t{}\n", name_of(machine), reason, count);
      }
      std::fwrite(lines.data(), 1, lines.size(), report);
    }
    if (report != nullptr) std::fclose(report);
    for (const Machine& machine : machines()) {
      if (subject(machine) == nullptr) fmt::print("{}: there is no such device here\n", to_string(machine));
    }
  }

  static std::string name_of(const Machine& machine) {
    const conformance::Subject* const tested = subject(machine);
    return fmt::format("{} ({})", to_string(machine), tested == nullptr ? "" : tested->device.facts().name);
  }
};

const testing::Environment* const registered = testing::AddGlobalTestEnvironment(new Summary);

}  // namespace

std::size_t Tally::unsupported() const {
  std::size_t count = 0;
  for (const auto& [reason, times] : refused) count += times;
  return count;
}

Tally& tally_of(const Machine& machine) { return tallies()[machine]; }

std::string summary(const Machine& machine, const Tally& tally) {
  std::string line = fmt::format("{}: {} cases, {} right, {} wrong, {} refused", Summary::name_of(machine),
                                 tally.cases(), tally.right, tally.wrong, tally.unsupported());
  for (const auto& [reason, count] : tally.refused) line += fmt::format("\n  {} x {}", count, reason);
  return line;
}

}  // namespace driftwood::test
