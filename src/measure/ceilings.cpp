#include "measure/ceilings.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/checked.h"
#include "base/error.h"
#include "base/log.h"
#include "base/stopwatch.h"
#include "measure/ceiling_kernels.h"

namespace driftwood::measure {
namespace {

constexpr int version = 3;                                             // of the kernels and of how they are timed
constexpr std::uint64_t most_stream_bytes = std::uint64_t{256} << 20;  // beyond caches of GPUs and CPUs
constexpr double long_enough_ms = 6;                                   // that a launch and a wait do not count
constexpr double slow_ms = 100;  // a device that emulates another: two rounds will do
constexpr double spin_ms = 12;   // and that the host needs to queue hundreds of launches
constexpr int rounds = 10;       // of which the fastest counts: others may use the machine too

/// The fastest of some runs, each from an idle device to the end of the work.
double best_ms(gpu::Device& device, gpu::Recording& recording) {
  double best = 0;
  for (int round = 0; round < rounds; ++round) {
    device.finish();
    const Stopwatch watch;
    device.submit(recording);
    device.finish();
    const double time = watch.milliseconds();
    if (round == 0 || time < best) best = time;
    if (round > 0 && time > slow_ms) break;
  }
  return best;
}

class Measurement {
 public:
  explicit Measurement(gpu::Device& device) : device_(device), settings_(device.allocate({.bytes = 16})) { turns(1); }

  Ceilings all() {
    Ceilings found;
    stream(found);
    found.float_gflops = arithmetic(CeilingKernel::Floats);
    found.half_gflops = arithmetic(CeilingKernel::Halves);
    found.integer_gflops = arithmetic(CeilingKernel::Integers);
    found.matrix_gflops = std::max(arithmetic(CeilingKernel::Matrices), arithmetic(CeilingKernel::Pipeline));
    found.event_excess_ns = event_excess();
    return found;
  }

 private:
  void turns(std::uint32_t count) {
    const std::uint32_t words[4] = {count, std::bit_cast<std::uint32_t>(0.999F), std::bit_cast<std::uint32_t>(0.5F),
                                    0x01ff0203U};
    device_.write(*settings_, 0, std::as_bytes(std::span(words)));
  }

  void stream(Ceilings& found) {
    const gpu::DeviceFacts& facts = device_.facts();
    std::uint64_t bytes = most_stream_bytes;
    if (facts.global_memory != 0) bytes = std::min(bytes, facts.global_memory / 16);
    if (facts.max_allocation != 0) bytes = std::min(bytes, facts.max_allocation / 2);
    if (facts.max_binding != 0) bytes = std::min(bytes, facts.max_binding);
    const CeilingWork fill = make(CeilingKernel::Fill, device_);
    const std::uint64_t groups = std::clamp<std::uint64_t>(bytes / fill.bytes_written, 1, facts.max_workgroup_count[0]);
    bytes = groups * fill.bytes_written;
    const auto x = device_.allocate({.bytes = bytes}), y = device_.allocate({.bytes = bytes});
    const auto rate = [&](const CeilingWork& work, const gpu::Binding& from, const gpu::Binding& to) {
      const gpu::Dispatch one{work.kernel, {from, to}, {static_cast<std::uint32_t>(groups), 1, 1}, "stream"};
      std::vector<gpu::Dispatch> dispatches;
      const double moved = static_cast<double>((work.bytes_read + work.bytes_written) * groups);
      while (true) {
        dispatches.resize(std::max<std::size_t>(2 * dispatches.size(), 1), one);
        const auto recording = device_.record(dispatches);
        const double time = best_ms(device_, *recording);
        if (time >= long_enough_ms || dispatches.size() >= 256) {
          return moved * static_cast<double>(dispatches.size()) / time / 1e6;
        }
      }
    };
    // What a kernel does not use it does not bind: the fill has no x.
    for (const auto& memory : {x, y}) {
      const auto filling =
          device_.record({{fill.kernel, {{memory}}, {static_cast<std::uint32_t>(groups), 1, 1}, "fill"}});
      device_.submit(*filling);
    }
    found.read_gb_per_s = rate(make(CeilingKernel::Read, device_), {x}, {y});
    found.copy_gb_per_s = rate(make(CeilingKernel::Copy, device_), {x}, {y});
  }

  /// Without a limit where a driver does not take the kernel: a profile can do without.
  double arithmetic(CeilingKernel kernel) {
    if (!has(kernel, device_.facts())) return 0;
    try {
      return rate_of(kernel);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::DeviceLost) throw;
      log(LogLevel::Warning, fmt::format("The arithmetic of the device '{}' in {} cannot be measured: {}",
                                         device_.facts().id, to_string(kernel), error.message()));
      return 0;
    }
  }

  double rate_of(CeilingKernel kernel) {
    const gpu::DeviceFacts& facts = device_.facts();
    const CeilingWork work = make(kernel, device_);
    // All units busy, and waves of work that end together do not matter.
    const std::uint32_t groups = facts.is_cpu ? 4 * facts.compute_units : 32 * std::max(facts.compute_units, 8U);
    const auto results = device_.allocate({.bytes = work.result_bytes * groups});
    const auto recording = device_.record({{work.kernel, {{settings_}, {results}}, {groups, 1, 1}, "arithmetic"}});
    std::uint32_t count = 4;
    while (true) {
      turns(count);
      const double time = best_ms(device_, *recording);
      if (time >= long_enough_ms || count >= 1U << 24) {
        if (!is_plausible(*results, to_string(kernel))) return 0;
        return work.flops_per_turn * count * groups / time / 1e6;
      }
      count *= time < long_enough_ms / 8 ? 8 : 2;
    }
  }

  /// A driver that fails without saying so would have done the work in no time: that is no limit then.
  bool is_plausible(const gpu::Memory& results, std::string_view kernel) {
    float first[4] = {};
    device_.read(results, 0, std::as_writable_bytes(std::span(first)));
    if (first[0] != 0 && std::isfinite(first[0])) return true;
    log(LogLevel::Warning, fmt::format("The device '{}' gave {} where its arithmetic in {} is measured; no limit of it "
                                       "is known.",
                                       device_.facts().id, first[0], kernel));
    return false;
  }

  double event_excess() {
    constexpr std::size_t launches = 256;
    const CeilingWork empty = make(CeilingKernel::Empty, device_), spin = make(CeilingKernel::Floats, device_);
    const auto results = device_.allocate({.bytes = std::max<std::uint64_t>(empty.result_bytes, spin.result_bytes)});
    const auto chain = [&](std::size_t count, bool waits) {
      std::vector<gpu::Dispatch> dispatches;
      if (waits) dispatches.push_back({spin.kernel, {{settings_}, {results}}, {1, 1, 1}, "spin"});
      dispatches.resize(dispatches.size() + count, {empty.kernel, {{settings_}, {results}}, {1, 1, 1}, "empty"});
      return device_.record(std::move(dispatches));
    };
    // Launches are queued while a kernel runs for longer than the host needs for them.
    std::uint32_t count = 1024;
    while (count < 1U << 26) {
      turns(count);
      if (best_ms(device_, *chain(0, true)) >= spin_ms) break;
      count *= 2;
    }
    const double each = (best_ms(device_, *chain(launches, true)) - best_ms(device_, *chain(0, true))) * 1e6 / launches;
    const auto profiled = chain(launches, false);
    device_.submit_profiled(*profiled);  // makes what is made at first use
    std::vector<double> events = device_.submit_profiled(*profiled);
    std::ranges::nth_element(events, events.begin() + launches / 2);
    return std::max(0.0, events[launches / 2] - std::max(0.0, each));
  }

  gpu::Device& device_;
  std::shared_ptr<gpu::Memory> settings_;
};

std::string key_of(const gpu::DeviceFacts& facts) {
  return fmt::format("ceilings {}\n{}\n{}\n{}\n{} {} {} {} {} {}\n", version, facts.name, facts.api, facts.driver,
                     facts.max_workgroup_size, facts.max_allocation, facts.max_binding, facts.has_f16_arithmetic,
                     facts.has_packed_dot || facts.has_wide_dot,
                     facts.has_matrices ? (gpu::runs_pipeline(facts) ? 2 : 1) : 0);
}

}  // namespace

double Ceilings::gflops(graph::Arithmetic arithmetic) const {
  double found = 0;
  switch (arithmetic) {
    case graph::Arithmetic::Floats: break;
    case graph::Arithmetic::Halves: found = half_gflops; break;
    case graph::Arithmetic::Integers: found = integer_gflops; break;
    case graph::Arithmetic::Matrices: found = matrix_gflops; break;
  }
  return std::max(found, float_gflops);
}

double Ceilings::least_nanoseconds(double bytes, double flops, graph::Arithmetic arithmetic) const {
  const double moving = bandwidth() > 0 ? bytes / bandwidth() : 0;
  const double most = gflops(arithmetic);
  return std::max(moving, most > 0 ? flops / most : 0);
}

Ceilings measure_ceilings(gpu::Device& device) {
  try {
    return Measurement(device).all();
  } catch (Error& error) {
    error.add_context(fmt::format("While measuring what the device '{}' can do at best.", device.facts().id));
    throw;
  }
}

std::optional<Ceilings> ceilings(gpu::Device& device, bool again, const gpu::ProgramCache& cache) {
  const gpu::DeviceFacts& facts = device.facts();
  if (facts.device_class == gpu::DeviceClass::Reference) return std::nullopt;
  const std::string key = key_of(facts);
  if (!again) {
    if (const auto kept = cache.load(key)) {
      const std::string text(reinterpret_cast<const char*>(kept->data()), kept->size());
      if (const auto known = ceilings_from_text(text)) return known;
    }
  }
  const Ceilings found = measure_ceilings(device);
  const std::string text = to_text(found);
  cache.store(key, std::as_bytes(std::span(text)));
  return found;
}

std::string to_text(const Ceilings& ceilings) {
  return nlohmann::json({ceilings.read_gb_per_s, ceilings.copy_gb_per_s, ceilings.float_gflops, ceilings.half_gflops,
                         ceilings.integer_gflops, ceilings.matrix_gflops, ceilings.event_excess_ns})
      .dump();
}

std::optional<Ceilings> ceilings_from_text(const std::string& text) {
  const auto numbers = nlohmann::json::parse(text, nullptr, false);
  if (!numbers.is_array() || numbers.size() != 7) return std::nullopt;
  for (const auto& number : numbers) {
    if (!number.is_number() || number.get<double>() < 0) return std::nullopt;
  }
  return Ceilings{numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6]};
}

}  // namespace driftwood::measure
