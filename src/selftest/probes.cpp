#include "selftest/probes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "gpu/device_probe.h"

namespace driftwood::selftest {
namespace {

using Words = std::vector<std::uint32_t>;

// An empty text where the subgroups are what the facts say.
std::string fault_of_subgroups(gpu::Device& device) {
  const gpu::DeviceFacts& facts = device.facts();
  // Two subgroups, where a workgroup can hold them: that the invocations of each follow one another is part of it.
  const std::uint32_t most = std::min(facts.max_workgroup_size, facts.max_workgroup_extent[0]);
  const std::uint32_t size = facts.subgroup_size;
  const std::uint32_t lanes = std::max(2 * size <= most ? 2 * size : size, gpu::fewest_probe_lanes);
  const Words written = gpu::run_probe(device, gpu::subgroup_probe(lanes));
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
      const Words written = gpu::run_probe(device, gpu::packed_dot_probe(false));
      return wrong_unless(gpu::dots_are_right(written, false), "dot products of packed bytes give wrong numbers");
    });
  }
  if (facts.has_subgroups && facts.subgroup_size > 1) add("subgroups", [&] { return fault_of_subgroups(device); });
  if (facts.has_f16_arithmetic) {
    add("f16-arithmetic", [&] {
      const Words written = gpu::run_probe(device, gpu::half_probe());
      return wrong_unless(gpu::halves_are_right(written), "arithmetic on halves gives wrong numbers");
    });
  }
  if (facts.has_matrices) {
    add("matrices", [&] {
      const Words written = gpu::run_probe(device, gpu::matrix_probe());
      return wrong_unless(gpu::matrices_are_right(written), "products of matrices come out wrong");
    });
  }
  if (gpu::runs_pipeline(facts)) {
    add("pipeline", [&] {
      const Words written =
          gpu::run_probe(device, gpu::pipeline_probe(static_cast<std::uint32_t>(facts.pipeline_memory)));
      return wrong_unless(gpu::pipeline_is_right(written), "products of a workgroup come out wrong");
    });
  }
  return findings;
}

}  // namespace driftwood::selftest
