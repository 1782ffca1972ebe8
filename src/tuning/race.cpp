#include "tuning/race.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

namespace driftwood::tuning {
namespace {

double sample(gpu::Device& device, const Runner& runner, std::size_t repeats, TimeOf time) {
  const double begin = milliseconds(time, device.facts());
  for (std::size_t i = 0; i < repeats; ++i) device.submit(*runner.recording);
  device.finish();
  const double all = milliseconds(time, device.facts()) - begin;
  return all * 1000 / static_cast<double>(repeats * runner.runs);
}

}  // namespace

double milliseconds(TimeOf time, const gpu::DeviceFacts& facts) {
  if (time == TimeOf::Clock) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  return static_cast<double>(std::clock()) * 1000 / CLOCKS_PER_SEC / std::max(facts.compute_units, 1U);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

std::vector<std::vector<double>> race(gpu::Device& device, std::span<const Runner> runners,
                                      const RaceSettings& settings) {
  std::vector<std::vector<double>> samples(runners.size());
  std::vector<std::size_t> repeats(runners.size(), 1);
  constexpr std::size_t most_repeats = 200;
  double fastest = 0;
  for (std::size_t i = 0; i < runners.size(); ++i) {
    // The first run may still compile, or find the device asleep.
    sample(device, runners[i], 1, settings.time);
    const double once = sample(device, runners[i], 1, settings.time) * static_cast<double>(runners[i].runs);
    repeats[i] = static_cast<std::size_t>(
        std::clamp(std::ceil(settings.sample_ms * 1000 / std::max(once, 1.0)), 1.0, static_cast<double>(most_repeats)));
  }
  for (std::size_t round = 0; round < settings.rounds; ++round) {
    for (std::size_t i = 0; i < runners.size(); ++i) {
      const bool is_dropped = round >= 2 && median(samples[i]) > settings.drop_beyond * fastest;
      if (!is_dropped) samples[i].push_back(sample(device, runners[i], repeats[i], settings.time));
    }
    for (const std::vector<double>& own : samples) {
      if (const double time = median(own); fastest == 0 || time < fastest) fastest = time;
    }
  }
  return samples;
}

Ratio ratio(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) ratios.push_back(a[i] / b[i]);
  if (ratios.empty()) return {};
  Ratio result{.median = median(ratios)};
  for (double& value : ratios) value = std::abs(value - result.median);
  result.spread = median(ratios);
  return result;
}

}  // namespace driftwood::tuning
