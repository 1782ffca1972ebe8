// Times of candidates, taken in turns, so that a device that becomes warmer or slower does so for all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/device.h"

namespace driftwood::tuning {

/// What runs, and how often the work that is timed is in it.
struct Runner {
  gpu::Recording* recording = nullptr;
  std::size_t runs = 1;
};

/// What is counted: time on the clock or, on a CPU that others use too, the time of its processors that this process
/// had, divided by their number.
enum class TimeOf : std::uint8_t { Clock, Processors };

/// Milliseconds since some moment.
double milliseconds(TimeOf time, const gpu::DeviceFacts& facts);

struct RaceSettings {
  TimeOf time = TimeOf::Clock;
  std::size_t rounds = 5;
  double sample_ms = 3;      // at least, of a sample: launches queue up behind one another
  double drop_beyond = 1.3;  // of the fastest: not measured on after the second round
};

/// Median time of one run of each, microseconds.
double median(std::vector<double> values);

/// Samples of each runner in microseconds of a run, in the order of rounds; those that were dropped have fewer.
std::vector<std::vector<double>> race(gpu::Device& device, std::span<const Runner> runners,
                                      const RaceSettings& settings);

/// How much faster b is than a by their samples of the same rounds: the median of a / b, and how far the halves of the
/// rounds about it lie from it.
struct Ratio {
  double median = 1, spread = 0;
};
Ratio ratio(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace driftwood::tuning
