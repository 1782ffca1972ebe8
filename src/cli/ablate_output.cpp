#include "cli/ablate_output.h"

#include <fmt/format.h>

#include <cstdio>

namespace driftwood::cli {
namespace {

std::string bytes_of(const measure::Comparison& comparison) {
  if (!comparison.on_bytes || !comparison.off_bytes) return {};
  return fmt::format("  {:.2f} MiB against {:.2f}", static_cast<double>(*comparison.on_bytes) / (1 << 20),
                     static_cast<double>(*comparison.off_bytes) / (1 << 20));
}

// Where the device waits for the host, a ratio says more of launches than of kernels.
std::string submission_of(const measure::Comparison& comparison) {
  constexpr double most = 0.9;  // of a run
  const auto waits = [](const std::vector<double>& submit, const std::vector<double>& run) {
    return !submit.empty() && measure::median(submit) > most * measure::median(run);
  };
  const bool on = waits(comparison.on_submit_ms, comparison.on_ms);
  const bool off = waits(comparison.off_submit_ms, comparison.off_ms);
  if (!on && !off) return {};
  return fmt::format("  the host's time, {}", on && off ? "both" : on ? "on" : "off");
}

}  // namespace

void print_ablation_head() {
  fmt::print("{:<22}{:<26}{:<22}{:<34}{:>11}{:>11}{:>9}  {:<16}{:>8}\n", "technique", "stage", "on", "off", "ms on",
             "ms off", "off/on", "interval", "spread");
  std::fflush(stdout);
}

void print_ablation(const measure::Comparison& comparison) {
  const measure::Interval interval = comparison.interval();
  fmt::print("{:<22}{:<26}{:<22}{:<34}{:>11.4f}{:>11.4f}{:>9.3f}  {:<16}{:>7.1f}%{}\n", comparison.technique,
             comparison.stage, comparison.on, comparison.off, measure::median(comparison.on_ms),
             measure::median(comparison.off_ms), comparison.ratio(),
             fmt::format("{:.3f} to {:.3f}", interval.low, interval.high),
             100 * measure::relative_spread(comparison.ratios()), bytes_of(comparison) + submission_of(comparison));
  std::fflush(stdout);
}

nlohmann::json ablation_json(const measure::Comparison& comparison, const std::string& group) {
  const measure::Interval interval = comparison.interval();
  nlohmann::json row = {{"group", group},
                        {"technique", comparison.technique},
                        {"stage", comparison.stage},
                        {"on", comparison.on},
                        {"off", comparison.off},
                        {"on_ms", measure::median(comparison.on_ms)},
                        {"off_ms", measure::median(comparison.off_ms)},
                        {"on_spread", measure::relative_spread(comparison.on_ms)},
                        {"off_spread", measure::relative_spread(comparison.off_ms)},
                        {"ratio", comparison.ratio()},
                        {"ratio_low", interval.low},
                        {"ratio_high", interval.high},
                        {"confidence", interval.confidence},
                        {"rounds", comparison.on_ms.size()},
                        {"ratio_spread", measure::relative_spread(comparison.ratios())},
                        {"samples_on_ms", comparison.on_ms},
                        {"samples_off_ms", comparison.off_ms}};
  if (!comparison.on_submit_ms.empty()) row["on_submit_ms"] = measure::median(comparison.on_submit_ms);
  if (!comparison.off_submit_ms.empty()) row["off_submit_ms"] = measure::median(comparison.off_submit_ms);
  if (comparison.on_bytes) row["on_bytes"] = *comparison.on_bytes;
  if (comparison.off_bytes) row["off_bytes"] = *comparison.off_bytes;
  return row;
}

}  // namespace driftwood::cli
