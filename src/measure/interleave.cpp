#include "measure/interleave.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>

#include "base/stopwatch.h"

namespace driftwood::measure {
namespace {

/// Milliseconds of processors since this process began, its own or those of its children that have ended.
double processor_ms(int whose) {
  ::rusage usage{};
  ::getrusage(whose, &usage);
  const auto of = [](const ::timeval& time) {
    return 1e3 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e3;
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

template <class Call>
double milliseconds(Clock clock, int whose, Call call) {
  const Stopwatch watch;
  const double before = processor_ms(whose);
  call();
  return clock == Clock::Wall ? watch.milliseconds() : processor_ms(whose) - before;
}

// Of one run.
struct Timed {
  double ms = 0, submit_ms = 0;
};

Timed time_runs(gpu::Device& device, const Work& work, std::size_t runs, Clock clock) {
  device.finish();
  Timed timed;
  timed.ms = milliseconds(clock, RUSAGE_SELF, [&] {
    timed.submit_ms = milliseconds(clock, RUSAGE_SELF, [&] {
      for (std::size_t i = 0; i < runs; ++i) work();
    });
    device.finish();
  });
  timed.ms /= static_cast<double>(runs);
  timed.submit_ms /= static_cast<double>(runs);
  return timed;
}

template <class Time>
void take_turns(const TurnSettings& settings, Comparison& comparison, Time time) {
  constexpr std::uint32_t fewest_rounds = 3;
  const Stopwatch watch;
  for (std::uint32_t round = 0; round < settings.repeats; ++round) {
    if (round >= fewest_rounds && watch.seconds() > settings.most_seconds) {
      if (settings.progress) settings.progress(settings.repeats, settings.repeats);
      return;
    }
    const bool on_first = round % 2 == 0;
    for (const bool is_on : {on_first, !on_first}) {
      const Timed timed = time(is_on);
      (is_on ? comparison.on_ms : comparison.off_ms).push_back(timed.ms);
      if (timed.submit_ms > 0) (is_on ? comparison.on_submit_ms : comparison.off_submit_ms).push_back(timed.submit_ms);
    }
    if (settings.progress) settings.progress(round + 1, settings.repeats);
  }
}

}  // namespace

void Comparison::divide_times(double runs) {
  for (auto* times : {&on_ms, &off_ms, &on_submit_ms, &off_submit_ms}) {
    for (double& time : *times) time /= runs;
  }
}

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
    double once = time_runs(device, work, 1, settings.clock).ms;
    // What takes long is as fast the first time; what is made at first use counts in what does not.
    if (once < 1000) once = std::max(time_runs(device, work, 1, settings.clock).ms, 1e-3);
    // Many short runs queue up, which a driver has limits for.
    const double wanted = std::clamp(std::ceil(settings.least_ms / once), 1.0, 1000.0);
    runs = std::max(runs, static_cast<std::size_t>(wanted));
  }
  take_turns(settings, comparison,
             [&](bool is_on) { return time_runs(device, is_on ? on : off, runs, settings.clock); });
}

void time_processes_in_turns(const Work& on, const Work& off, const TurnSettings& settings, Comparison& comparison) {
  take_turns(settings, comparison, [&](bool is_on) {
    return Timed{milliseconds(settings.clock, RUSAGE_CHILDREN, [&] { is_on ? on() : off(); })};
  });
}

}  // namespace driftwood::measure
