// rope, and what it shares with the fused rope-qkv.
#include <fmt/format.h>

#include "conformance/rope.h"

namespace driftwood::conformance {

std::vector<float> rope_frequencies(std::uint32_t rotary) {
  std::vector<float> frequencies;
  for (std::uint32_t i = 0; i < rotary / 2; ++i) {
    frequencies.push_back(static_cast<float>(std::pow(10.0, -2.0 * i / rotary)));
  }
  return frequencies;
}

Wanted turned(const graph::Rope& rope, const Field& x, std::uint32_t token, std::uint32_t base, std::uint32_t c,
              std::uint32_t position) {
  const double value = x.at(token, base + c);
  if (c >= rope.rotary) return exactly(value);
  const bool adjacent = rope.pairing == graph::RopePairing::Adjacent;
  const std::uint32_t half = rope.rotary / 2;
  const std::uint32_t pair = adjacent ? c / 2 : c % half;
  const bool is_first = adjacent ? c % 2 == 0 : c < half;
  const std::uint32_t partner = adjacent ? c ^ 1U : (is_first ? c + half : c - half);
  const double other = x.at(token, base + partner) * (is_first ? -1 : 1);
  // The angle in f32, as kernels have it.
  const double angle = static_cast<float>(position) * rope_frequencies(rope.rotary)[pair];
  return {rope.magnitude * (value * std::cos(angle) + other * std::sin(angle)),
          rope.magnitude * (std::abs(value) + std::abs(other))};
}

namespace {

void rope(Draft& draft, const graph::Rope& rope, std::uint32_t heads, Tail tail) {
  draft.problem.arithmetic.sines = 1;
  const Field x = draft.input("x", {.w = draft.setting.max_tokens, .c = heads * rope.head_size});
  const graph::Tensor frequencies = draft.builder.vector("frequencies", rope_frequencies(rope.rotary));
  draft.output(
      "y", draft.builder.rope(x.tensor, frequencies, rope),
      [&](const Index& at) {
        const std::uint32_t c = at.c % rope.head_size;
        return turned(rope, x, at.w, at.c - c, c, draft.setting.position + at.w);
      },
      tail);
}

}  // namespace

std::vector<Case> rope_cases() {
  std::vector<Case> cases;
  const auto add = [&](const Setting& setting, const graph::Rope& each, std::uint32_t heads, Tail tail,
                       bool everywhere) {
    cases.push_back({.operation = "rope",
                     .name = fmt::format("{} heads of {}, {} turn, {}, magnitude {} {}", heads, each.head_size,
                                         each.rotary, graph::to_string(each.pairing), each.magnitude, to_string(tail)),
                     .setting = setting,
                     .packed = {},
                     .make = [=](Draft& draft) { rope(draft, each, heads, tail); },
                     .everywhere = everywhere});
  };
  for (const graph::RopePairing pairing : {graph::RopePairing::Halves, graph::RopePairing::Adjacent}) {
    for (const auto& [head_size, rotary] : rope_extents) {
      for (const std::uint32_t heads : {1U, 3U}) {
        for (const float magnitude : {1.0F, 1.25F}) {
          add({.max_tokens = 5, .tokens = 3, .position = 11},
              {.head_size = head_size, .rotary = rotary, .pairing = pairing, .magnitude = magnitude}, heads, Tail::None,
              heads == 3 && magnitude != 1 && head_size == 5);
        }
      }
    }
    for (const StorageKind storage : every_storage) {
      for (const DataType type : activation_types) {
        for (const Tail tail : {Tail::None, Tail::SiluResidual}) {
          add({.storage = storage, .activation = type, .max_tokens = 4, .tokens = 2, .position = 7},
              {.head_size = 6, .rotary = 6, .pairing = pairing}, 3, tail,
              type == DataType::F16 && tail != Tail::None && pairing == graph::RopePairing::Halves);
        }
      }
    }
  }
  return cases;
}

}  // namespace driftwood::conformance
