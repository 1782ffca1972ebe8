#include "selftest/trusted_device.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/log.h"
#include "gpu/amended_device.h"

namespace driftwood::selftest {
namespace {

std::string_view what_it_does(Verdict verdict) {
  switch (verdict) {
    case Verdict::Right: return "is right";
    case Verdict::Wrong: return "gives wrong numbers";
    case Verdict::Failed: return "fails";
    case Verdict::Lost: return "loses the device";
  }
  return "fails";
}

void warn_of(const Report& report, const std::function<void(const std::string&)>& warn) {
  for (const Finding& finding : report.findings) {
    if (finding.verdict == Verdict::Right) continue;
    const std::string instead = finding.instead.empty()
                                    ? std::string("nothing else does its work, and models that need it do not run")
                                    : fmt::format("used instead: {}", finding.instead);
    warn(fmt::format("the self-test of '{}' finds that '{}' {} ({}); {}", report.id, finding.kernel,
                     what_it_does(finding.verdict), finding.fault, instead));
  }
}

}  // namespace

bool is_switched_off() {
  const char* const configured = std::getenv("DRIFTWOOD_SELFTEST");
  return configured != nullptr && std::string_view(configured) == "0";
}

std::unique_ptr<gpu::Device> trusted_device(const Opener& open, const TrustSettings& settings) {
  auto device = open();
  if (device->facts().device_class == gpu::DeviceClass::Reference) return device;
  const std::string key = record_key(device->facts(), settings.scope);
  std::optional<Report> report = settings.records.load(record_key(device->facts(), Scope::Everything));
  if (!report) report = settings.records.load(key);
  if (!report && settings.only_recorded) return device;
  if (!report) {
    report = test(device, {.scope = settings.scope, .progress = settings.progress, .reopen = open});
    if (!report->lost.empty()) {
      throw DeviceLost(fmt::format("The device '{}' is lost in its self-test: {}", report->id, report->lost));
    }
    if (report->is_lasting()) settings.records.store(key, *report);
  }
  warn_of(
      *report, settings.warn ? settings.warn : [](const std::string& line) { log(LogLevel::Warning, line); });
  if (report->amendments.empty()) return device;
  gpu::DeviceFacts facts = amended(device->facts(), report->amendments);
  return std::make_unique<gpu::AmendedDevice>(std::move(device), std::move(facts));
}

}  // namespace driftwood::selftest
