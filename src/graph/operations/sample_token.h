// The token that follows one, chosen from its logits on the device, where the next run looks for it:
// (logits {C = vocabulary}, settings {C = 4: temperature, top-p, min-p, repetition penalty}, uniforms {W, C = 1},
// history {W = places, C = 2}, next id {C = 1}, run {C = 4}) -> (history, next id, run), the same memory.
//
// `run` is laid out as Parameters: position p is that of the token which the logits follow, and becomes p + 1. Place
// (p + 1) modulo the places of the history gets the chosen id, and 1 where some logit is not finite, else 0. The rule
// is that of llm/sampler.h with the number uniforms[(p + 1) modulo their count], in [0, 1), for the draw.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/operations/operand.h"

namespace driftwood::graph {

struct SampleToken {
  static constexpr std::string_view name = "sample-token";
  static constexpr std::uint32_t max_top_k = 64;
  std::uint32_t top_k = 1;   // 1 to max_top_k: the likeliest tokens that are drawn from
  std::uint32_t window = 0;  // last tokens that the repetition penalty looks at; 0: none
  bool operator==(const SampleToken&) const = default;
  auto operator<=>(const SampleToken&) const = default;
};

std::vector<Shape> output_shapes(const SampleToken& operation, std::span<const Operand> inputs);

}  // namespace driftwood::graph
