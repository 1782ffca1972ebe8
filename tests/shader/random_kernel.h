// Random kernels for differential tests: the same seed gives the same text.
//
// A kernel reads `floats`, `ints` and `uints` (one vec4 a row) and each invocation writes one row a result to `out_i`,
// `out_u` or `out_f`. Float arithmetic is kept exact: inputs are small multiples of 1/8 and the generator bounds how
// many bits sums and products can need, so that no rounding (nor its absence in a fused multiply-add) can differ, and
// comparisons and floor() are safe. Functions that devices compute inexactly stand at the root alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace driftwood::test {

struct RandomKernel {
  std::string source;
  std::uint32_t int_results = 0;    // rows of vec4i an invocation writes
  std::uint32_t uint_results = 0;   // of vec4u
  std::uint32_t float_results = 0;  // of vec4f
  std::vector<std::string> int_expressions, uint_expressions, float_expressions;
  std::vector<float> float_tolerances;  // in units in the last place, one a row
};

constexpr std::uint32_t random_kernel_invocations = 16;

/// `count` independent expressions.
RandomKernel random_expressions(std::uint32_t seed, std::uint32_t count);

/// Nested control flow over integer variables and an array, with functions.
RandomKernel random_control_flow(std::uint32_t seed);

}  // namespace driftwood::test
