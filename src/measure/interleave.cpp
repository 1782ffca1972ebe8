#include "measure/interleave.h"

#include <algorithm>
#include <cmath>

#include "base/stopwatch.h"

namespace driftwood::measure {
namespace {

double milliseconds(gpu::Device& device, const Work& work, std::size_t runs) {
  device.finish();
  const Stopwatch watch;
  for (std::size_t i = 0; i < runs; ++i) work();
  device.finish();
  return watch.milliseconds() / static_cast<double>(runs);
}

template <class Time>
void take_turns(const TurnSettings& settings, Comparison& comparison, Time time) {
  for (std::uint32_t round = 0; round < settings.repeats; ++round) {
    const bool on_first = round % 2 == 0;
    for (const bool is_on : {on_first, !on_first})
      (is_on ? comparison.on_ms : comparison.off_ms).push_back(time(is_on));
    if (settings.progress) settings.progress(round + 1, settings.repeats);
  }
}

}  // namespace

std::vector<double> Comparison::ratios() const {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(on_ms.size(), off_ms.size()); ++i) {
    ratios.push_back(on_ms[i] > 0 ? off_ms[i] / on_ms[i] : 0);
  }
  return ratios;
}

void time_in_turns(gpu::Device& device, const Work& on, const Work& off, const TurnSettings& settings,
                   Comparison& comparison) {
  std::size_t runs = 1;
  for (const Work& work : {on, off}) {
    milliseconds(device, work, 1);
    const double once = std::max(milliseconds(device, work, 1), 1e-3);
    // Many short runs queue up, which a driver has limits for.
    const double wanted = std::clamp(std::ceil(settings.least_ms / once), 1.0, 1000.0);
    runs = std::max(runs, static_cast<std::size_t>(wanted));
  }
  take_turns(settings, comparison, [&](bool is_on) { return milliseconds(device, is_on ? on : off, runs); });
}

void time_in_turns(const Work& on, const Work& off, const TurnSettings& settings, Comparison& comparison) {
  take_turns(settings, comparison, [&](bool is_on) {
    const Stopwatch watch;
    is_on ? on() : off();
    return watch.milliseconds();
  });
}

}  // namespace driftwood::measure
