#include "selftest/probes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "base/error.h"
#include "shader/compile.h"

namespace driftwood::selftest {
namespace {

// Each reads `given` and writes `made`, `rows` words for each of its invocations.
constexpr const char* subgroups_source = R"(
override lanes: u32;
@group(0) @binding(0) var<storage, read> given: array<u32>;
@group(0) @binding(1) var<storage, read_write> made: array<u32>;

@compute @workgroup_size(lanes)
fn probe(@builtin(local_invocation_index) k: u32, @builtin(subgroup_invocation_id) lane: u32,
         @builtin(subgroup_size) size: u32) {
  let value = f32(given[k]);
  made[k] = size;
  made[lanes + k] = lane;
  made[2u * lanes + k] = u32(subgroupAdd(value));
  made[3u * lanes + k] = u32(subgroupMax(value));
  made[4u * lanes + k] = u32(subgroupShuffleXor(value, 1u));
}
)";

constexpr const char* halves_source = R"(
override lanes: u32;
@group(0) @binding(0) var<storage, read> given: array<u32>;
@group(0) @binding(1) var<storage, read_write> made: array<u32>;

@compute @workgroup_size(lanes)
fn probe(@builtin(local_invocation_index) k: u32) {
  let number = given[k] & 15u;  // so that the sum has no more than the eleven bits of a half
  let a = vec4<f16>(f16(number), f16(number + 1u), 3.0h, 0.5h);
  let b = a * 2.0h - vec4<f16>(1.0h);
  made[k] = u32(dot(a, b));
}
)";

constexpr const char* packed_source = R"(
override lanes: u32;
@group(0) @binding(0) var<storage, read> given: array<u32>;
@group(0) @binding(1) var<storage, read_write> made: array<u32>;

@compute @workgroup_size(lanes)
fn probe(@builtin(local_invocation_index) k: u32) {
  made[k] = u32(dot4I8Packed(given[k] * 0x9E3779B9u, ~given[k] * 0x85EBCA6Bu));
}
)";

struct Probe {
  std::string_view feature;
  const char* source;
  std::uint32_t lanes;
  std::vector<std::string> what;  // of each word of an invocation
  std::vector<std::uint32_t> wanted;
};

std::uint32_t given_at(std::uint32_t k) { return k * 7 % 31; }

Probe subgroup_probe(const gpu::DeviceFacts& facts) {
  const std::uint32_t size = facts.subgroup_size;
  // Two subgroups, where a workgroup can hold them: that the invocations of each follow one another is part of it.
  const std::uint32_t most = std::min(facts.max_workgroup_size, facts.max_workgroup_extent[0]);
  Probe probe{.feature = "subgroups",
              .source = subgroups_source,
              .lanes = 2 * size <= most ? 2 * size : size,
              .what = {"the size of a subgroup", "the place in the subgroup", "the sum over the subgroup",
                       "the maximum over the subgroup", "the value of the neighbour in the subgroup"},
              .wanted = {}};
  probe.wanted.resize(std::size_t{5} * probe.lanes);
  for (std::uint32_t k = 0; k < probe.lanes; ++k) {
    std::uint32_t sum = 0, largest = 0;
    for (std::uint32_t j = k / size * size; j < (k / size + 1) * size; ++j) {
      sum += given_at(j);
      largest = std::max(largest, given_at(j));
    }
    const std::uint32_t all[] = {size, k % size, sum, largest, given_at(k ^ 1)};
    for (std::size_t row = 0; row < std::size(all); ++row) probe.wanted[row * probe.lanes + k] = all[row];
  }
  return probe;
}

Probe half_probe() {
  Probe probe{
      .feature = "f16-arithmetic", .source = halves_source, .lanes = 32, .what = {"a dot product"}, .wanted = {}};
  for (std::uint32_t k = 0; k < probe.lanes; ++k) {
    const std::uint32_t a = given_at(k) & 15, b = a + 1;
    probe.wanted.push_back(a * (2 * a) - a + b * (2 * b) - b + 15);
  }
  return probe;
}

Probe packed_probe() {
  Probe probe{.feature = "packed-dot", .source = packed_source, .lanes = 32, .what = {"a dot product"}, .wanted = {}};
  for (std::uint32_t k = 0; k < probe.lanes; ++k) {
    const std::uint32_t a = given_at(k) * 0x9E3779B9U, b = ~given_at(k) * 0x85EBCA6BU;
    std::int32_t sum = 0;
    for (int byte = 0; byte < 4; ++byte) {
      sum += static_cast<std::int8_t>(a >> (8 * byte)) * static_cast<std::int8_t>(b >> (8 * byte));
    }
    probe.wanted.push_back(static_cast<std::uint32_t>(sum));
  }
  return probe;
}

std::vector<std::uint32_t> run(gpu::Device& device, const Probe& probe) {
  const gpu::DeviceFacts& facts = device.facts();
  const shader::TargetTraits traits{.has_f16_arithmetic = facts.has_f16_arithmetic,
                                    .has_subgroups = facts.has_subgroups,
                                    .has_packed_dot = facts.has_packed_dot,
                                    .has_matrices = facts.has_matrices,
                                    .subgroup_size = facts.subgroup_size};
  const auto sources = [&](std::string_view) { return shader::SourceFile{"probe.wgsl", probe.source}; };
  shader::Specialization specialization;
  specialization.overrides["lanes"] = probe.lanes;
  const shader::Module module = shader::compile(sources, "package::probe", specialization, traits);
  std::vector<std::uint32_t> given(probe.lanes), made(probe.wanted.size(), 0xA5A5A5A5);
  for (std::uint32_t k = 0; k < probe.lanes; ++k) given[k] = given_at(k);
  const auto input = device.allocate({.bytes = 4 * given.size()}), output = device.allocate({.bytes = 4 * made.size()});
  device.write(*input, 0, std::as_bytes(std::span(given)));
  device.write(*output, 0, std::as_bytes(std::span(made)));
  std::vector<gpu::Dispatch> dispatches(1);
  dispatches[0] = {.kernel = device.compile(module, "probe"),
                   .bindings = {{.memory = input}, {.memory = output}},
                   .label = fmt::format("probe of {}", probe.feature)};
  const auto recording = device.record(std::move(dispatches));
  device.submit(*recording);
  device.read(*output, 0, std::as_writable_bytes(std::span(made)));
  return made;
}

std::string fault_of(gpu::Device& device, const Probe& probe) {
  try {
    const std::vector<std::uint32_t> made = run(device, probe);
    const auto differing = std::ranges::mismatch(made, probe.wanted);
    if (differing.in1 == made.end()) return {};
    const auto place = static_cast<std::size_t>(differing.in1 - made.begin());
    return fmt::format("{} is {} in invocation {}, but {} is expected", probe.what[place / probe.lanes],
                       static_cast<std::int32_t>(*differing.in1), place % probe.lanes,
                       static_cast<std::int32_t>(*differing.in2));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::DeviceLost) throw;
    return error.message();
  }
}

}  // namespace

std::vector<ProbeFinding> probe_features(gpu::Device& device) {
  const gpu::DeviceFacts& facts = device.facts();
  std::vector<Probe> probes;
  if (facts.has_packed_dot) probes.push_back(packed_probe());
  if (facts.has_subgroups && facts.subgroup_size > 1) probes.push_back(subgroup_probe(facts));
  if (facts.has_f16_arithmetic) probes.push_back(half_probe());
  std::vector<ProbeFinding> findings;
  for (const Probe& probe : probes) findings.push_back({std::string(probe.feature), fault_of(device, probe)});
  return findings;
}

}  // namespace driftwood::selftest
