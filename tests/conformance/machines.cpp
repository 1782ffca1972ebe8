#include "conformance/machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string_view>

#include "base/error.h"
#include "conformance/claiming_device.h"
#include "gpu/reference/reference_device.h"
#include "kernels/source.h"
#include "support/devices.h"

namespace driftwood::test {

using namespace conformance;

std::string to_string(const Machine& machine) { return fmt::format("{} as {}", machine.device, machine.family); }
void PrintTo(const Machine& machine, std::ostream* stream) { *stream << to_string(machine); }

std::vector<Machine> machines() {
  static const std::vector<Machine> list = [] {
    std::vector<Machine> found = {{"reference", "cpu"}, {"reference", "gpu"}, {"reference", "small_gpu"}};
    std::vector<std::string> ids = {"opencl:0", "webgpu:0", "webgpu:1", "metal-cpu"};
    prepare_webgpu();
    for (const gpu::DeviceListing& listing : gpu::list_devices()) {
      const std::string& id = listing.facts.id;
      if (!listing.failure.empty() || id == "reference") continue;
      if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
    }
    for (const std::string& id : ids) {
      if (id.starts_with("opencl")) found.push_back({id, "cpu"});
      found.push_back({id, "gpu"});
    }
    return found;
  }();
  return list;
}

namespace {

gpu::ReferenceOptions reference_options(const std::string& family) {
  gpu::ReferenceOptions options{.is_cpu = family == "cpu"};
  if (family == "small_gpu") {
    options.max_workgroup_size = 64;
    options.max_workgroup_extent = {64, 64, 64};
    options.local_memory = 16 << 10;
    options.has_f16_arithmetic = false;
    options.subgroup_size = 0;
    options.has_packed_dot = false;
    options.buffer_alignment = 128;
  }
  return options;
}

}  // namespace

const Subject* subject(const Machine& machine) {
  struct Opened {
    std::unique_ptr<gpu::Device> device;
    std::unique_ptr<Subject> subject;
  };
  static auto& opened = *new std::map<Machine, Opened>;
  const auto [place, is_new] = opened.try_emplace(machine);
  Opened& entry = place->second;
  if (is_new) {
    if (machine.is_reference()) {
      entry.device = gpu::make_reference_device(reference_options(machine.family));
    } else if (gpu::Device* const device = test::device(machine.device)) {
      entry.device = std::make_unique<ClaimingDevice>(*device, machine.family == "cpu");
    }
    if (entry.device) {
      entry.subject = std::make_unique<Subject>(
          Subject{*entry.device, std::make_shared<graph::KernelCache>(*entry.device, kernels::source)});
    }
  }
  return entry.subject.get();
}

bool runs_everything() {
  const char* const wish = std::getenv("DRIFTWOOD_CONFORMANCE");
  return wish != nullptr && std::string_view(wish) == "all";
}

namespace {

// Every case, or those of this process's share.
std::vector<Case> share_of_cases() {
  std::vector<Case> cases = all_cases();
  const char* const given = std::getenv("DRIFTWOOD_CONFORMANCE_SHARE");
  if (given == nullptr) return cases;
  std::size_t share = 0, shares = 0;
  if (std::sscanf(given, "%zu/%zu", &share, &shares) != 2 || share >= shares) {
    throw InvalidInput(fmt::format("The share '{}' is none; 0/4 to 3/4 are the four of four.", given));
  }
  std::vector<Case> own;
  for (std::size_t i = share; i < cases.size(); i += shares) own.push_back(std::move(cases[i]));
  return own;
}

}  // namespace

const std::vector<Case>& cases_of(const Machine& machine) {
  static const std::vector<Case> all = share_of_cases();
  if (runs_everything() || (machine.is_reference() && machine.family != "small_gpu")) return all;
  static std::map<Machine, std::vector<Case>> samples;
  const auto [place, is_new] = samples.try_emplace(machine);
  if (is_new) {
    const gpu::DeviceFacts& facts = subject(machine)->device.facts();
    // The family that is not the device's own is there to be right, not to be chosen.
    const bool is_own = machine.is_reference() || test::device(machine.device)->facts().is_cpu == facts.is_cpu;
    place->second = covering_sample(all, facts, is_own ? Coverage::Kinds : Coverage::Kernels);
  }
  return place->second;
}

unsigned seed() {
  const char* const given = std::getenv("DRIFTWOOD_TEST_SEED");
  return given == nullptr ? 20250500 : static_cast<unsigned>(std::strtoul(given, nullptr, 10));
}

}  // namespace driftwood::test
