// Where the time of a model goes: the dispatches of its runs with their event times corrected, summed by kernel and
// held against what the device can do at best.
//
//   measure::Stage prefill{.name = "prefill of 512 tokens"};
//   prefill.steps.push_back(measure::profile_step(program, parameters, ceilings, 3));
//   for (const measure::KernelLine& line : measure::by_kernel(prefill, ceilings)) ...
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/program.h"
#include "measure/ceilings.h"

namespace driftwood::measure {

/// One submission of a program.
struct Step {
  std::string name = {};
  double submit_ms = 0;                                 // that the host needs to submit it, without waiting
  double wall_ms = 0;                                   // from submission to the end of the work, not profiled
  std::vector<graph::DispatchProfile> dispatches = {};  // times corrected
};

struct Stage {
  std::string name;
  std::vector<Step> steps = {};

  double kernels_ms() const;
  double submit_ms() const;
  double wall_ms() const;
};

/// Runs a program with these parameters: `repeats` times profiled, of which each dispatch keeps its median, and as
/// often by the clock, of which the fastest counts. Its inputs must be written.
Step profile_step(graph::Program& program, const graph::Parameters& parameters, const std::optional<Ceilings>& ceilings,
                  std::uint32_t repeats);

/// What bounds a kernel on the roofline.
enum class Bound : std::uint8_t { Memory, Arithmetic };

/// Sums of the dispatches of one kernel.
struct KernelLine {
  std::string kernel;
  std::size_t calls = 0;
  double nanoseconds = 0, bytes = 0, flops = 0;
  double least_nanoseconds = 0;   // by the limits of the device; 0 where they are not known
  double moving_nanoseconds = 0;  // of these, what moving the bytes takes
  graph::Arithmetic arithmetic = graph::Arithmetic::Floats;
  double share = 0;  // of the time of all kernels

  double gb_per_s() const { return nanoseconds > 0 ? bytes / nanoseconds : 0; }
  double gflops() const { return nanoseconds > 0 ? flops / nanoseconds : 0; }
  /// Part of the measured time that the limit asks for: 1 is as fast as can be. Over 1: bytes that a cache had.
  std::optional<double> share_of_limit() const;
  Bound bound() const { return moving_nanoseconds >= least_nanoseconds ? Bound::Memory : Bound::Arithmetic; }
};

/// Longest first.
std::vector<KernelLine> by_kernel(const Stage& stage, const std::optional<Ceilings>& ceilings);

/// Of one dispatch; nothing where limits are not known or the time is zero.
std::optional<double> share_of_limit(const graph::DispatchProfile& dispatch, const std::optional<Ceilings>& ceilings);

}  // namespace driftwood::measure
