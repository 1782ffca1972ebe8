// What the interpreter checks while it runs, and the limits it runs under.
#pragma once

#include <cstdint>

namespace driftwood::shader {

struct InterpreterOptions {
  std::uint32_t subgroup_size = 32;  // a power of two, at least 1
  /// Checks of the sanitizer. Without bounds checks an index is clamped to its range, as WGSL allows; without the
  /// unwritten check such memory reads as it is (workgroup memory as zero).
  bool check_bounds = true;
  bool check_unwritten = true;
  bool check_races = true;
  bool check_barriers = true;
  bool check_overflow = true;
  /// WGSL promises that workgroup memory starts as zeroes, at the price of writing them. A kernel that reads such a
  /// zero by other means than an atomic is reported all the same, unless this is set.
  bool allow_workgroup_zeroes = false;
  /// Loop iterations of one workgroup, all loops together, before it is taken to run for ever.
  std::uint64_t max_loop_iterations = 100'000'000;

  /// As fast as it goes: no check but the loop limit.
  static InterpreterOptions unchecked() {
    return {.check_bounds = false,
            .check_unwritten = false,
            .check_races = false,
            .check_barriers = false,
            .check_overflow = false};
  }
};

}  // namespace driftwood::shader
