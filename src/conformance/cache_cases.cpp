// head-layout, cache-write and rope-qkv: what lies between the projections and attention.
#include <fmt/format.h>

#include "conformance/rope.h"

namespace driftwood::conformance {
namespace {

struct Heads {
  std::uint32_t heads, kv_heads, head_size;
};

void head_layout(Draft& draft, const Heads& heads, Tail tail) {
  draft.problem.arithmetic = no_arithmetic;
  const Field q = draft.input("q", {.w = draft.setting.max_tokens, .c = heads.heads * heads.head_size});
  const std::uint32_t group = heads.heads / heads.kv_heads;
  draft.output(
      "y", draft.builder.head_layout(q.tensor, heads.kv_heads, heads.head_size),
      [&](const Index& at) {
        const std::uint32_t head = at.h * group + at.w % group;
        return exactly(q.at(at.w / group, head * heads.head_size + at.c));
      },
      tail);
}

// The token that is written to a place of the cache, or nothing.
std::optional<std::uint32_t> token_at(const Setting& setting, std::uint32_t place, std::uint32_t places, bool ring) {
  for (std::uint32_t t = 0; t < setting.tokens; ++t) {
    const std::uint32_t position = setting.position + t;
    if ((ring ? position % places : position) == place) return t;
  }
  return std::nullopt;
}

void cache_write(Draft& draft, const Shape& cache_shape, bool ring) {
  draft.problem.arithmetic = no_arithmetic;
  const Field x = draft.input("x", {.w = draft.setting.max_tokens, .c = cache_shape.h * cache_shape.c});
  const Field cache = draft.cache("cache", cache_shape, cache_shape.w);
  draft.builder.cache_write(x.tensor, cache.tensor, ring);
  draft.state("cache", cache_shape, [&](const Index& at) {
    const auto token = token_at(draft.setting, at.w, cache_shape.w, ring);
    if (!token) return Wanted{.is_written = false};
    return exactly(x.at(*token, at.h * cache_shape.c + at.c));
  });
}

// x with every head normed; values and magnitudes, which turned() reads as it reads a field.
Field normed(const graph::RopeQkv& fused, Field x, std::uint32_t base, std::uint32_t heads, const Field& gamma) {
  const std::uint32_t size = fused.rope.head_size;
  for (std::uint32_t token = 0; token < x.shape.w; ++token) {
    for (std::uint32_t head = 0; head < heads; ++head) {
      float* const channels = &x.values[std::size_t{token} * x.shape.c + base + std::size_t{head} * size];
      double squares = 0;
      for (std::uint32_t c = 0; c < size; ++c) squares += double{channels[c]} * channels[c];
      const double scale = 1 / std::sqrt(squares / size + fused.epsilon);
      for (std::uint32_t c = 0; c < size; ++c) channels[c] = static_cast<float>(channels[c] * scale * gamma.at(0, c));
    }
  }
  return x;
}

void rope_qkv(Draft& draft, const graph::RopeQkv& fused, std::uint32_t places) {
  // A norm of heads, a turn, a scale, the unit of a block.
  draft.problem.arithmetic = {.sum = fused.normed ? double(fused.rope.head_size) : 1,
                              .steps = 8,
                              .sines = 1,
                              .inverse_roots = fused.normed ? 1.0 : 0.0,
                              .divisions = 1};
  const Setting& setting = draft.setting;
  const std::uint32_t size = fused.rope.head_size, q_channels = fused.q_channels(), kv_channels = fused.kv_channels();
  std::vector<Field> x;
  if (fused.merged) {
    x.assign(3, draft.input("qkv", {.w = setting.max_tokens, .c = q_channels + 2 * kv_channels}));
  } else {
    x.push_back(draft.input("q", {.w = setting.max_tokens, .c = q_channels}));
    x.push_back(draft.input("k", {.w = setting.max_tokens, .c = kv_channels}));
    x.push_back(draft.input("v", {.w = setting.max_tokens, .c = kv_channels}));
  }
  const std::uint32_t k_base = fused.merged ? q_channels : 0, v_base = fused.merged ? q_channels + kv_channels : 0;
  const Shape cache{.h = fused.kv_heads, .w = places, .c = size};
  const Field k_cache = draft.cache("k_cache", cache, places), v_cache = draft.cache("v_cache", cache, places);
  std::vector<graph::Tensor> projections;
  for (std::size_t i = 0; i < (fused.merged ? 1 : 3); ++i) projections.push_back(x[i].tensor);
  const graph::Tensor frequencies = draft.builder.vector("frequencies", rope_frequencies(fused.rope.rotary));
  std::optional<std::pair<graph::Tensor, graph::Tensor>> factors;
  if (fused.normed) {
    const Field q_gamma = draft.constant("q_gamma", {.c = size}), k_gamma = draft.constant("k_gamma", {.c = size});
    x[0] = normed(fused, x[0], 0, fused.heads, q_gamma);
    x[1] = normed(fused, x[1], k_base, fused.kv_heads, k_gamma);
    factors = {q_gamma.tensor, k_gamma.tensor};
  }
  const auto made = draft.builder.rope_qkv(projections, frequencies, k_cache.tensor, v_cache.tensor, fused, factors);

  const std::uint32_t group = fused.heads / fused.kv_heads;
  draft.output("q_out", made[0], [&](const Index& at) {
    const std::uint32_t token = at.w / group, head = at.h * group + at.w % group;
    return turned(fused.rope, x[0], token, head * size, at.c, setting.position + token);
  });
  draft.state("k_cache", cache, [&](const Index& at) {
    const auto token = token_at(setting, at.w, places, fused.ring);
    if (!token) return Wanted{.is_written = false};
    return turned(fused.rope, x[1], *token, k_base + at.h * size, at.c, setting.position + *token);
  });
  draft.state("v_cache", cache, [&](const Index& at) {
    const auto token = token_at(setting, at.w, places, fused.ring);
    if (!token) return Wanted{.is_written = false};
    return exactly(x[2].at(*token, v_base + at.h * size + at.c));
  });
}

void add_rope_qkv(std::vector<Case>& cases) {
  const auto add = [&](const Setting& setting, const graph::RopeQkv& fused, std::uint32_t places, bool everywhere) {
    cases.push_back({.operation = "rope-qkv",
                     .name = fmt::format("{}, {} places", graph::attributes(fused), places),
                     .setting = setting,
                     .packed = "caches",
                     .make = [=](Draft& draft) { rope_qkv(draft, fused, places); },
                     .everywhere = everywhere});
  };
  for (const graph::RopePairing pairing : {graph::RopePairing::Halves, graph::RopePairing::Adjacent}) {
    for (const auto& [size, rotary] : rope_extents) {
      for (const bool merged : {false, true}) {
        for (const bool ring : {false, true}) {
          for (const auto& [heads, kv_heads] : {std::pair{3U, 3U}, {6U, 2U}, {4U, 1U}}) {
            for (const float magnitude : {1.0F, 0.75F}) {
              const graph::Rope rope{.head_size = size, .rotary = rotary, .pairing = pairing, .magnitude = magnitude};
              const bool is_chosen = heads == 6 && merged && ring && rotary != 4 && (size == 16 || size == 6);
              add({.packed = DataType::F16, .max_tokens = 4, .tokens = 3, .position = ring ? 17U : 5U},
                  {.rope = rope, .heads = heads, .kv_heads = kv_heads, .merged = merged, .ring = ring}, 9,
                  is_chosen && (magnitude == 1) == (size == 16));
            }
          }
        }
      }
    }
    // Normed heads, and caches of 8-bit blocks: whole blocks, parts of one, heads off the slices.
    for (const auto& [size, rotary] : {RopeExtents{64, 64}, {24, 16}, {22, 22}, {40, 32}, {7, 6}}) {
      for (const bool is_normed : {false, true}) {
        for (const DataType cache : {DataType::F32, DataType::Q8_0}) {
          for (const bool merged : {false, true}) {
            const graph::RopeQkv fused{.rope = {.head_size = size, .rotary = rotary, .pairing = pairing},
                                       .heads = 4,
                                       .kv_heads = 2,
                                       .merged = merged,
                                       .ring = merged,
                                       .normed = is_normed,
                                       .epsilon = 1e-6F};
            const bool is_chosen = merged && pairing == graph::RopePairing::Halves && (size == 22 || size == 40);
            add({.packed = cache, .max_tokens = 3, .tokens = 2, .position = merged ? 13U : 4U}, fused, 7,
                is_chosen && (is_normed || cache == DataType::Q8_0) &&
                    is_normed == (cache == DataType::F32 || size == 40));
          }
        }
      }
    }
    for (const StorageKind storage : every_storage) {
      for (const DataType type : activation_types) {
        const graph::RopeQkv fused{
            .rope = {.head_size = 8, .rotary = 8, .pairing = pairing}, .heads = 4, .kv_heads = 2, .normed = true};
        add({.storage = storage, .activation = type, .packed = DataType::Q8_0, .max_tokens = 3, .tokens = 2}, fused, 4,
            false);
        for (const DataType cache : activation_types) {
          for (const auto& [size, merged] : {std::pair{8U, false}, {10U, true}}) {
            const Setting setting{
                .storage = storage, .activation = type, .packed = cache, .max_tokens = 4, .tokens = 3, .position = 2};
            const graph::Rope rope{.head_size = size, .rotary = 8, .pairing = pairing};
            add(setting, {.rope = rope, .heads = 4, .kv_heads = 2, .merged = merged}, 6,
                type == cache && type == DataType::F16 && size == 8 && pairing == graph::RopePairing::Halves);
          }
        }
      }
    }
  }
}

}  // namespace

std::vector<Case> cache_cases() {
  std::vector<Case> cases;
  constexpr Heads shapes[] = {{3, 3, 1}, {4, 2, 3}, {6, 2, 5}, {4, 1, 8}, {2, 2, 30}, {9, 3, 64}, {2, 1, 66}};
  for (const StorageKind storage : every_storage) {
    for (const DataType type : activation_types) {
      for (const Heads& heads : shapes) {
        const bool is_chosen = heads.head_size == 5 || heads.head_size == 8;
        for (const Tail tail : {Tail::None, Tail::SiluResidual}) {
          cases.push_back({.operation = "head-layout",
                           .name = fmt::format("{} heads on {} of {} {}", heads.heads, heads.kv_heads, heads.head_size,
                                               to_string(tail)),
                           .setting = {.storage = storage, .activation = type, .max_tokens = 5, .tokens = 3},
                           .packed = {},
                           .make = [=](Draft& draft) { head_layout(draft, heads, tail); },
                           .everywhere = heads.head_size == 5 && tail != Tail::None && type == DataType::F16});
        }
        for (const DataType cache : activation_types) {
          for (const bool ring : {false, true}) {
            const Shape shape{.h = heads.kv_heads, .w = 7, .c = heads.head_size};
            cases.push_back({.operation = "cache-write",
                             .name = fmt::format("{}{}", to_string(shape), ring ? " ring" : ""),
                             .setting = {.storage = storage,
                                         .activation = type,
                                         .packed = cache,
                                         .max_tokens = 5,
                                         .tokens = 4,
                                         .position = ring ? 19U : 3U},
                             .packed = "caches",
                             .make = [=](Draft& draft) { cache_write(draft, shape, ring); },
                             .everywhere = is_chosen && ring && type == cache && storage == StorageKind::Buffer});
          }
        }
      }
    }
  }
  constexpr DataType blocks[] = {DataType::Q8_0};
  for (const Setting& way : every_way({.max_tokens = 3, .tokens = 2, .position = 1}, blocks)) {
    const Shape shape{.h = 2, .w = 4, .c = 7};
    cases.push_back({.operation = "cache-write",
                     .name = to_string(shape),
                     .setting = way,
                     .packed = "caches",
                     .make = [=](Draft& draft) { cache_write(draft, shape, false); }});
  }
  for (const bool ring : {false, true}) {
    for (const std::uint32_t size : {1U, 22U, 24U, 32U, 66U}) {
      for (const DataType type : activation_types) {
        const Shape shape{.h = 2, .w = 7, .c = size};
        const auto storage = type == DataType::F16 ? StorageKind::Texture2D : StorageKind::Buffer;
        cases.push_back({.operation = "cache-write",
                         .name = fmt::format("{}{}", to_string(shape), ring ? " ring" : ""),
                         .setting = {.storage = storage,
                                     .activation = type,
                                     .packed = DataType::Q8_0,
                                     .max_tokens = 5,
                                     .tokens = 4,
                                     .position = ring ? 19U : 3U},
                         .packed = "caches",
                         .make = [=](Draft& draft) { cache_write(draft, shape, ring); },
                         .everywhere = ring && (size == 22 || size == 66) && (size == 66) == (type == DataType::F32)});
      }
    }
  }
  add_rope_qkv(cases);
  return cases;
}

}  // namespace driftwood::conformance
