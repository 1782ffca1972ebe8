// Small kernels that find out what a device really has: written in the kernel language, printed in the language that
// is to be tried, run, and held to arithmetic. A device that claims something and computes something else has none.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "shader/ir.h"

namespace driftwood::gpu {

/// Binding 0 (if the kernel has two) is read, the last is written, all of u32.
struct ProbeKernel {
  shader::Module module;
  std::vector<std::uint32_t> input = {};
  std::size_t outputs = 0;  // words written
};

/// Every operation on subgroups, by one workgroup of `lanes` invocations, a power of two.
constexpr std::uint32_t fewest_probe_lanes = 16;
ProbeKernel subgroup_probe(std::uint32_t lanes);
/// The size of the subgroups where all that the probe of so many lanes wrote is right and all subgroups are of one
/// size; nothing else.
std::optional<std::uint32_t> probed_subgroup_size(std::span<const std::uint32_t> written, std::uint32_t lanes);

/// Dot products of four bytes in a word: signed, unsigned, and (if `mixed`) unsigned by signed.
ProbeKernel packed_dot_probe(bool mixed);
bool dots_are_right(std::span<const std::uint32_t> written, bool mixed);

/// Arithmetic on halves, where every result is exact, and their conversions.
ProbeKernel half_probe();
bool halves_are_right(std::span<const std::uint32_t> written);

/// Products of two matrices by a subgroup of 32, added up; exact.
ProbeKernel matrix_probe();
bool matrices_are_right(std::span<const std::uint32_t> written);
/// A product of a workgroup of 128 whose factors went through stages, in `memory` bytes of workgroup memory, which is
/// more than the product needs.
ProbeKernel pipeline_probe(std::uint32_t memory);
bool pipeline_is_right(std::span<const std::uint32_t> written);

}  // namespace driftwood::gpu
