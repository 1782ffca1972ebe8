#include "measure/profile.h"

#include <algorithm>
#include <map>

#include "base/stopwatch.h"
#include "measure/statistics.h"

namespace driftwood::measure {
namespace {

template <class Value>
double sum_of(const std::vector<Step>& steps, Value value) {
  double sum = 0;
  for (const Step& step : steps) sum += value(step);
  return sum;
}

}  // namespace

double Stage::kernels_ms() const {
  return sum_of(steps, [](const Step& step) {
    double sum = 0;
    for (const graph::DispatchProfile& dispatch : step.dispatches) sum += dispatch.nanoseconds;
    return sum / 1e6;
  });
}

double Stage::submit_ms() const {
  return sum_of(steps, [](const Step& step) { return step.submit_ms; });
}

double Stage::wall_ms() const {
  return sum_of(steps, [](const Step& step) { return step.wall_ms; });
}

Step profile_step(graph::Program& program, const graph::Parameters& parameters, const std::optional<Ceilings>& ceilings,
                  std::uint32_t repeats) {
  Step step;
  for (std::uint32_t i = 0; i < repeats; ++i) {
    program.device().finish();
    const Stopwatch watch;
    program.run(parameters);
    const double submitted = watch.milliseconds();
    program.device().finish();
    const double done = watch.milliseconds();
    if (i == 0 || submitted < step.submit_ms) step.submit_ms = submitted;
    if (i == 0 || done < step.wall_ms) step.wall_ms = done;
  }
  std::vector<std::vector<double>> times;
  for (std::uint32_t i = 0; i < repeats; ++i) {
    step.dispatches = program.run_profiled(parameters);
    times.resize(step.dispatches.size());
    for (std::size_t d = 0; d < times.size(); ++d) times[d].push_back(step.dispatches[d].nanoseconds);
  }
  for (std::size_t d = 0; d < times.size(); ++d) {
    const double time = median(std::move(times[d]));
    step.dispatches[d].nanoseconds = ceilings ? ceilings->corrected(time) : time;
  }
  return step;
}

std::optional<double> KernelLine::share_of_limit() const {
  if (least_nanoseconds <= 0 || nanoseconds <= 0) return std::nullopt;
  return least_nanoseconds / nanoseconds;
}

std::vector<KernelLine> by_kernel(const Stage& stage, const std::optional<Ceilings>& ceilings) {
  std::map<std::string_view, KernelLine> lines;
  double total = 0;
  for (const Step& step : stage.steps) {
    for (const graph::DispatchProfile& dispatch : step.dispatches) {
      KernelLine& line = lines[dispatch.kernel];
      line.calls += 1;
      line.nanoseconds += dispatch.nanoseconds;
      line.bytes += dispatch.bytes;
      line.flops += dispatch.flops;
      line.arithmetic = std::max(line.arithmetic, dispatch.arithmetic);
      if (ceilings) {
        line.least_nanoseconds += ceilings->least_nanoseconds(dispatch.bytes, dispatch.flops, dispatch.arithmetic);
        line.moving_nanoseconds += ceilings->least_nanoseconds(dispatch.bytes, 0, dispatch.arithmetic);
      }
      total += dispatch.nanoseconds;
    }
  }
  std::vector<KernelLine> sorted;
  for (auto& [name, line] : lines) {
    line.kernel = name;
    line.share = total > 0 ? line.nanoseconds / total : 0;
    sorted.push_back(std::move(line));
  }
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.nanoseconds > b.nanoseconds; });
  return sorted;
}

std::optional<double> share_of_limit(const graph::DispatchProfile& dispatch, const std::optional<Ceilings>& ceilings) {
  if (!ceilings || dispatch.nanoseconds <= 0) return std::nullopt;
  const double least = ceilings->least_nanoseconds(dispatch.bytes, dispatch.flops, dispatch.arithmetic);
  if (least <= 0) return std::nullopt;
  return least / dispatch.nanoseconds;
}

}  // namespace driftwood::measure
