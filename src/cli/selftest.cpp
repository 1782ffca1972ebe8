#include "selftest/selftest.h"

#include <fmt/format.h>

#include "base/error.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "selftest/record.h"
#include "selftest/report_json.h"

namespace driftwood::cli {
namespace {

struct SelftestArguments {
  RunOptions run;  // device and limits alone
  bool full = false, json = false;
};

void print_report(const selftest::Report& report) {
  for (const selftest::Finding& finding : report.findings) {
    fmt::print("{:<28} {:>4} {:<5}  {}\n", finding.kernel, finding.cases, finding.cases == 1 ? "case" : "cases",
               selftest::to_string(finding.verdict));
    if (finding.verdict == selftest::Verdict::Right) continue;
    fmt::print("{:<28} {}\n{:<28} {}\n", "", finding.fault, "",
               finding.instead.empty() ? "nothing is used instead: models that need it do not run"
                                       : "used instead: " + finding.instead);
  }
  const std::size_t right = report.count(selftest::Verdict::Right);
  fmt::print("{}: {} of {} kernels and features are right in {} cases, {:.1f} s", report.id, right,
             report.findings.size(), report.cases(), report.milliseconds / 1000);
  if (right < report.findings.size())
    fmt::print("; what is wrong is {}worked around", report.is_worked_around() ? "" : "not all ");
  fmt::print("\n");
}

void run(const SelftestArguments& arguments) {
  RunOptions options = arguments.run;
  const auto open = [&options] {
    auto device = open_bare_device(options);
    options.device = device->facts().id;  // where it is lost, this one is opened anew
    return device;
  };
  auto device = open();
  const std::string key = selftest::record_key(device->facts(), selftest::Scope::Everything);
  ProgressLine progress("testing kernels");
  const selftest::Report report =
      selftest::test(device, {.full = arguments.full,
                              .progress = [&](std::size_t done, std::size_t all,
                                              const std::string& kernel) { progress.update(done, all, kernel); },
                              .reopen = open});
  if (arguments.json) {
    print_json(selftest::to_json(report));
  } else if (report.lost.empty()) {
    print_report(report);
  }
  if (!report.lost.empty())
    throw DeviceLost(fmt::format("The device '{}' is lost in its self-test: {}", report.id, report.lost));
  if (report.is_lasting()) selftest::Records::standard().store(key, report);
  if (!report.is_worked_around())
    throw Unsupported(
        fmt::format("The device '{}' has kernels that are wrong and that no others replace; models that "
                    "need them do not run on it.",
                    report.id));
}

}  // namespace

void add_selftest(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<SelftestArguments>();
  CLI::App* command = app.add_subcommand(
      "selftest",
      "Run each kernel of a device against plain double precision, and say what is used where one is wrong");
  arguments->run.add_device_to(*command);
  command->add_flag("--full", arguments->full,
                    "Every format and kind of memory, instead of one or a few cases for each kernel");
  command->add_flag("--json", arguments->json, "One JSON document on standard output");
  command->callback([arguments, &action] { action = [arguments] { run(*arguments); }; });
}

}  // namespace driftwood::cli
