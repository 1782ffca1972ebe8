#include "cli/profile_output.h"

#include <fmt/format.h>

#include <algorithm>

namespace driftwood::cli {
namespace {

std::string percent(std::optional<double> part) { return part ? fmt::format("{:.1f}%", 100 * *part) : "-"; }

std::string rate(double value) { return value > 0 ? fmt::format("{:.1f}", value) : "-"; }

std::string limit_name(const measure::KernelLine& line) {
  if (!line.share_of_limit()) return "-";
  return line.bound() == measure::Bound::Memory ? "memory" : std::string(graph::to_string(line.arithmetic));
}

}  // namespace

void print_limits(const std::optional<measure::Ceilings>& ceilings) {
  if (!ceilings) {
    fmt::print("limits: not measured of this device; event times as they are\n");
    return;
  }
  fmt::print("limits, measured: read {:.1f} GB/s, copy {:.1f} GB/s; f32 {:.4g} GFLOP/s", ceilings->read_gb_per_s,
             ceilings->copy_gb_per_s, ceilings->float_gflops);
  if (ceilings->half_gflops > 0) fmt::print(", f16 {:.4g}", ceilings->half_gflops);
  if (ceilings->integer_gflops > 0) fmt::print(", int8 {:.4g}", ceilings->integer_gflops);
  if (ceilings->matrix_gflops > 0) fmt::print(", matrix units {:.4g}", ceilings->matrix_gflops);
  fmt::print("\nevent times: {:.2f} us subtracted of each, what an empty kernel's is longer than its launch takes\n",
             ceilings->event_excess_ns / 1e3);
}

nlohmann::json limits_json(const std::optional<measure::Ceilings>& ceilings) {
  if (!ceilings) return nullptr;
  return {{"read_gb_per_s", ceilings->read_gb_per_s},          {"copy_gb_per_s", ceilings->copy_gb_per_s},
          {"f32_gflop_per_s", ceilings->float_gflops},         {"f16_gflop_per_s", ceilings->half_gflops},
          {"int8_gflop_per_s", ceilings->integer_gflops},      {"matrix_gflop_per_s", ceilings->matrix_gflops},
          {"event_excess_us", ceilings->event_excess_ns / 1e3}};
}

void print_stage(const measure::Stage& stage, const std::optional<measure::Ceilings>& ceilings) {
  fmt::print("{}: {:.3f} ms in kernels, {:.3f} ms on the clock without profiling, {:.3f} of them to submit\n",
             stage.name, stage.kernels_ms(), stage.wall_ms(), stage.submit_ms());
  fmt::print("{:<28}{:>7}{:>12}{:>10}{:>12}{:>9}{:>10}  {}\n", "kernel", "calls", "ms", "GB/s", "GFLOP/s", "share",
             "of limit", "limit");
  for (const measure::KernelLine& line : measure::by_kernel(stage, ceilings)) {
    fmt::print("{:<28}{:>7}{:>12.3f}{:>10}{:>12}{:>8.1f}%{:>10}  {}\n", line.kernel, line.calls, line.nanoseconds / 1e6,
               rate(line.gb_per_s()), rate(line.gflops()), 100 * line.share, percent(line.share_of_limit()),
               limit_name(line));
  }
}

nlohmann::json stage_json(const measure::Stage& stage, const std::optional<measure::Ceilings>& ceilings) {
  nlohmann::json rows = nlohmann::json::array();
  for (const measure::KernelLine& line : measure::by_kernel(stage, ceilings)) {
    const auto limit = line.share_of_limit();
    rows.push_back({{"kernel", line.kernel},
                    {"calls", line.calls},
                    {"ms", line.nanoseconds / 1e6},
                    {"bytes", line.bytes},
                    {"flops", line.flops},
                    {"gb_per_s", line.gb_per_s()},
                    {"gflop_per_s", line.gflops()},
                    {"share", line.share},
                    {"share_of_limit", limit ? nlohmann::json(*limit) : nlohmann::json(nullptr)},
                    {"limit", limit ? nlohmann::json(limit_name(line)) : nlohmann::json(nullptr)},
                    {"arithmetic", graph::to_string(line.arithmetic)}});
  }
  return {{"stage", stage.name},        {"runs", stage.steps.size()},     {"kernels_ms", stage.kernels_ms()},
          {"wall_ms", stage.wall_ms()}, {"submit_ms", stage.submit_ms()}, {"kernels", std::move(rows)}};
}

void print_slowest(const measure::Stage& stage, const std::optional<measure::Ceilings>& ceilings, std::size_t count) {
  if (stage.steps.empty() || count == 0) return;
  std::vector<graph::DispatchProfile> dispatches = stage.steps.front().dispatches;
  std::ranges::sort(dispatches, [](const auto& a, const auto& b) { return a.nanoseconds > b.nanoseconds; });
  dispatches.resize(std::min(dispatches.size(), count));
  for (const graph::DispatchProfile& dispatch : dispatches) {
    const double time = dispatch.nanoseconds;
    fmt::print("{:<28}{:>7}{:>12.3f}{:>10}{:>12}{:>9}{:>10}  {}\n", dispatch.kernel, "", time / 1e6,
               rate(time > 0 ? dispatch.bytes / time : 0), rate(time > 0 ? dispatch.flops / time : 0), "",
               percent(measure::share_of_limit(dispatch, ceilings)), dispatch.label);
  }
}

}  // namespace driftwood::cli
