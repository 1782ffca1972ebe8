// What a launch costs on an OpenCL device: chains of dependent kernels, submitted at once and waited for.
//
//   launch_bench [DEVICE] [REPEATS]
//
// Prints microseconds a kernel (median, fastest and slowest of the repeats) for several grids and for kernels that do
// nothing, some 4 us and some 40 us of work a workgroup on one core; `host` is the part that the submitting thread
// needs. On a device of several cores compare a row with work * workgroups / cores.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.h"
#include "gpu/opencl/opencl_device.h"

namespace {

using namespace driftwood;
using namespace driftwood::gpu;
using Clock = std::chrono::steady_clock;

constexpr std::size_t launches = 300;
constexpr std::uint32_t workgroup = 64;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

std::shared_ptr<Kernel> make_kernel(opencl::OpenClDevice& device, int iterations) {
  const std::string source = fmt::format(
      "__kernel __attribute__((reqd_work_group_size({}, 1, 1))) void run(__global float* x) {{\n"
      "  float a = x[get_global_id(0)];\n"
      "  for (int i = 0; i < {}; ++i) a = a * 0.999f + 0.001f;\n"
      "  x[get_global_id(0)] = a + 1.0f;\n}}\n",
      workgroup, iterations);
  gpu::Parameter parameter;
  parameter.name = "x";
  return device.compile_source(source, "run", "launch", {{parameter}, {}, {workgroup, 1, 1}});
}

void measure(opencl::OpenClDevice& device, int iterations, std::uint32_t workgroups, int repeats) {
  const auto kernel = make_kernel(device, iterations);
  const auto memory = device.allocate({.bytes = std::uint64_t{workgroups} * workgroup * sizeof(float)});
  device.fill_zero(*memory, 0, memory->descriptor().bytes);
  std::vector<Dispatch> dispatches(launches);
  for (Dispatch& dispatch : dispatches) dispatch = {kernel, {{memory}}, {workgroups, 1, 1}, "launch"};
  const auto recording = device.record(std::move(dispatches));
  device.submit(*recording);
  device.finish();
  std::vector<double> total, host;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const auto start = Clock::now();
    device.submit(*recording);
    host.push_back(microseconds_since(start) / launches);
    device.finish();
    total.push_back(microseconds_since(start) / launches);
  }
  std::sort(total.begin(), total.end());
  std::sort(host.begin(), host.end());
  fmt::print("{:>10} {:>10} {:>10.2f} {:>10.2f} {:>10.2f} {:>10.2f}\n", iterations, workgroups, total[total.size() / 2],
             total.front(), total.back(), host[host.size() / 2]);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string wanted = argc > 1 ? argv[1] : "opencl:0";
    const int repeats = argc > 2 ? std::max(1, std::atoi(argv[2])) : 30;
    for (const opencl::FoundDevice& found : opencl::enumerate().devices) {
      if (found.id != wanted) continue;
      const auto start = Clock::now();
      opencl::OpenClDevice device(found);
      fmt::print("{} {} ({} compute units), opened in {:.1f} ms\n", found.id, found.name, device.facts().compute_units,
                 microseconds_since(start) / 1000.0);
      fmt::print("{:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "iterations", "groups", "us/kernel", "fastest",
                 "slowest", "host");
      for (const int iterations : {0, 100, 1000}) {
        for (const std::uint32_t workgroups : {1u, 2u, 4u, 8u, 16u, 32u, 64u, 128u}) {
          if (iterations * workgroups > 32000) continue;  // seconds of work that say nothing about launches
          measure(device, iterations, workgroups, repeats);
        }
      }
      return 0;
    }
    fmt::print(stderr, "launch_bench: error: There is no device '{}'.\n", wanted);
    return 2;
  } catch (const Error& error) {
    fmt::print(stderr, "launch_bench: error: {}\n", error.what());
    return 1;
  }
}
