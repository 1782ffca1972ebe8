#include "selftest/probes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>

#include "base/error.h"
#include "gpu/probe_kernels.h"

namespace driftwood::selftest {
namespace {

using Words = std::vector<std::uint32_t>;

// What the kernel wrote, run by one workgroup.
Words run(gpu::Device& device, const gpu::ProbeKernel& probe, std::string_view feature) {
  Words written(probe.outputs, 0xDEADBEEF);  // which no right answer holds
  std::vector<gpu::Binding> bindings;
  for (const Words* words : {&probe.input, static_cast<const Words*>(&written)}) {
    if (words->empty()) continue;
    const auto memory = device.allocate({.bytes = 4 * words->size()});
    device.write(*memory, 0, std::as_bytes(std::span(*words)));
    bindings.push_back({.memory = memory});
  }
  const auto output = bindings.back().memory;
  std::vector<gpu::Dispatch> dispatches(1);
  dispatches[0] = {.kernel = device.compile(probe.module, "probe"),
                   .bindings = std::move(bindings),
                   .label = fmt::format("probe of {}", feature)};
  const auto recording = device.record(std::move(dispatches));
  device.submit(*recording);
  device.read(*output, 0, std::as_writable_bytes(std::span(written)));
  return written;
}

// An empty text where the subgroups are what the facts say.
std::string fault_of_subgroups(gpu::Device& device) {
  const gpu::DeviceFacts& facts = device.facts();
  // Two subgroups, where a workgroup can hold them: that the invocations of each follow one another is part of it.
  const std::uint32_t most = std::min(facts.max_workgroup_size, facts.max_workgroup_extent[0]);
  const std::uint32_t size = facts.subgroup_size;
  const std::uint32_t lanes = std::max(2 * size <= most ? 2 * size : size, gpu::fewest_probe_lanes);
  const Words written = run(device, gpu::subgroup_probe(lanes), "subgroups");
  if (written.front() != size) {
    return fmt::format("the size of a subgroup is {}, but {} is expected", written.front(), size);
  }
  const bool is_right = gpu::probed_subgroup_size(written, lanes).has_value();
  return is_right ? std::string() : "operations on subgroups give wrong numbers";
}

std::string fault_of(const std::function<std::string()>& probe) {
  try {
    return probe();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::DeviceLost) throw;
    return error.message();
  }
}

}  // namespace

std::vector<ProbeFinding> probe_features(gpu::Device& device) {
  const gpu::DeviceFacts& facts = device.facts();
  std::vector<ProbeFinding> findings;
  const auto add = [&](const char* feature, const std::function<std::string()>& probe) {
    findings.push_back({feature, fault_of(probe)});
  };
  const auto wrong_unless = [](bool is_right, const char* what) {
    return is_right ? std::string() : std::string(what);
  };
  if (facts.has_packed_dot) {
    add("packed-dot", [&] {
      const Words written = run(device, gpu::packed_dot_probe(false), "packed-dot");
      return wrong_unless(gpu::dots_are_right(written, false), "dot products of packed bytes give wrong numbers");
    });
  }
  if (facts.has_subgroups && facts.subgroup_size > 1) add("subgroups", [&] { return fault_of_subgroups(device); });
  if (facts.has_f16_arithmetic) {
    add("f16-arithmetic", [&] {
      const Words written = run(device, gpu::half_probe(), "f16-arithmetic");
      return wrong_unless(gpu::halves_are_right(written), "arithmetic on halves gives wrong numbers");
    });
  }
  return findings;
}

}  // namespace driftwood::selftest
