// A profile that was not measured, for tests of what is made from one.
#pragma once

#include <vector>

#include "measure/profile.h"

namespace driftwood::measure {

inline Ceilings some_ceilings() {
  return {.read_gb_per_s = 100,
          .copy_gb_per_s = 80,
          .float_gflops = 1000,
          .half_gflops = 2000,
          .integer_gflops = 0,
          .matrix_gflops = 10000,
          .event_excess_ns = 4000};
}

inline std::vector<Stage> some_stages() {
  using graph::Arithmetic;
  Step prefill{.submit_ms = 0.5, .wall_ms = 1.25};
  prefill.dispatches = {
      {.label = "block \"0\"",
       .kernel = "linear-matrix",
       .nanoseconds = 1e6,
       .bytes = 1e7,
       .flops = 5e9,
       .arithmetic = Arithmetic::Matrices},
      {.label = "<norm> & more", .kernel = "rms-norm", .nanoseconds = 20000.4, .bytes = 1e6, .flops = 1e6},
      {.label = "copy", .kernel = "cache-write", .nanoseconds = 0, .bytes = 1e5, .flops = 0}};
  Step token{.name = "token 1", .submit_ms = 0.1, .wall_ms = 0.05};
  token.dispatches = {{.label = "a", .kernel = "linear-rows", .nanoseconds = 200000.7, .bytes = 1e7, .flops = 2e7},
                      {.label = "b", .kernel = "linear-rows", .nanoseconds = 100000.2, .bytes = 1e7, .flops = 2e7}};
  Step other = token;
  other.name = "token 2";
  return {{.name = "prefill of 2 tokens", .steps = {prefill}}, {.name = "decode of 2 tokens", .steps = {token, other}}};
}

}  // namespace driftwood::measure
