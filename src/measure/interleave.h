// Two ways to do the same, timed in turns: A B, B A, A B ..., so that what else the machine does meets both.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "measure/statistics.h"

namespace driftwood::measure {

/// A technique and what it is compared with, timed.
struct Comparison {
  std::string technique;                        // "fuse-gated"
  std::string stage;                            // "decode"
  std::string on, off;                          // the settings compared, in words
  std::vector<double> on_ms = {}, off_ms = {};  // of each round, of one run
  /// Until the host had submitted a run; of processes none. Nearly as long as the run: the device waits for the host.
  std::vector<double> on_submit_ms = {}, off_submit_ms = {};
  std::optional<std::uint64_t> on_bytes = {}, off_bytes = {};  // where memory is what the technique is for
  std::string remark = {};

  /// What was timed was so many runs.
  void divide_times(double runs);
  /// off / on of each round, whose two times are neighbours on the clock.
  std::vector<double> ratios() const;
  /// The median of these: over 1, the technique gains.
  double ratio() const { return median(ratios()); }
  Interval interval() const { return median_interval(ratios()); }
};

/// Wall: as a user waits. Processor: the time that this process spends on all its threads, for devices that are the CPU
/// on a machine that others use too; what other processes do then counts little.
enum class Clock : std::uint8_t { Wall, Processor };

struct TurnSettings {
  std::uint32_t repeats = 10;
  Clock clock = Clock::Wall;
  double least_ms = 20;      // of a measurement: runs that take less are repeated in it
  double most_seconds = 60;  // of a comparison: after three rounds no more begin
  /// Called after each round: rounds done, rounds in all.
  std::function<void(std::size_t, std::size_t)> progress = {};
};

/// Submits one run and returns without waiting.
using Work = std::function<void()>;

/// Times both on a device, after a warm-up of each: fills on_ms and off_ms.
void time_in_turns(gpu::Device& device, const Work& on, const Work& off, const TurnSettings& settings,
                   Comparison& comparison);

/// The same of processes that are started and end in it, once a measurement and not warmed up.
void time_processes_in_turns(const Work& on, const Work& off, const TurnSettings& settings, Comparison& comparison);

}  // namespace driftwood::measure
