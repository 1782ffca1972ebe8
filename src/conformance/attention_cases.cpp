// attention, and the merge of heads that are no whole slices.
#include <fmt/format.h>

#include "conformance/case.h"

namespace driftwood::conformance {
namespace {

struct Extents {
  std::uint32_t kv_heads, head_size, places;
};

void attention(Draft& draft, const graph::Attention& operation, const Extents& extents, Tail tail) {
  // Scores, and sums over the positions of a cache.
  draft.problem.arithmetic = {.sum = double(extents.head_size) + draft.setting.position + draft.setting.tokens,
                              .steps = 12,
                              .exponentials = operation.softcap > 0 ? 4.0 : 2.0,
                              .divisions = 2};
  const Setting& setting = draft.setting;
  const std::uint32_t kv_heads = extents.kv_heads, size = extents.head_size, places = extents.places;
  const std::uint32_t group = operation.heads / kv_heads;
  const std::uint32_t filled = setting.position + setting.tokens;
  const Field q = draft.input("q", {.h = kv_heads, .w = setting.max_tokens * group, .c = size});
  const Shape cache{.h = kv_heads, .w = places, .c = size};
  const Field k = draft.cache("k_cache", cache, filled), v = draft.cache("v_cache", cache, filled);
  const auto rule = [&](const Index& at) {
    const std::uint32_t head = at.c / size, kv_head = head / group, row = at.w * group + head % group;
    const std::uint32_t position = setting.position + at.w;
    const std::uint32_t end = operation.causal ? position + 1 : filled;
    const std::uint32_t begin =
        operation.window > 0 && position + 1 > operation.window ? position + 1 - operation.window : 0;
    const auto place = [&](std::uint32_t j) { return operation.ring ? j % places : j; };
    std::vector<double> scores;
    double largest = -1e300, sharpness = 1;
    for (std::uint32_t j = begin; j < end; ++j) {
      double score = 0, terms = 0;
      for (std::uint32_t c = 0; c < size; ++c) {
        const double term = operation.scale * q.at(0, kv_head, row, c) * k.at(0, kv_head, place(j), c);
        score += term;
        terms += std::abs(term);
      }
      if (operation.softcap > 0) score = operation.softcap * std::tanh(score / operation.softcap);
      scores.push_back(score);
      largest = std::max(largest, score);
      sharpness = std::max(sharpness, terms);  // an error of a score is one of its exponential
    }
    double total = 0, sum = 0, magnitude = 0;
    for (std::uint32_t j = begin; j < end; ++j) {
      const double weight = std::exp(scores[j - begin] - largest), value = v.at(0, kv_head, place(j), at.c % size);
      total += weight;
      sum += weight * value;
      magnitude += weight * std::abs(value);
    }
    return Wanted{sum / total, magnitude / total * sharpness};
  };
  if (size % 4 != 0) draft.problem.dispatches = 2;
  draft.output("y", draft.builder.attention(q.tensor, k.tensor, v.tensor, operation), rule, tail);
}

}  // namespace

std::vector<Case> attention_cases() {
  std::vector<Case> cases;
  const auto add = [&](const Setting& setting, const graph::Attention& operation, const Extents& extents, Tail tail,
                       bool everywhere) {
    cases.push_back({.operation = "attention",
                     .name = fmt::format("{}, {} KV heads of {}, {} places {}", graph::attributes(operation),
                                         extents.kv_heads, extents.head_size, extents.places, to_string(tail)),
                     .setting = setting,
                     .packed = "caches",
                     .make = [=](Draft& draft) { attention(draft, operation, extents, tail); },
                     .everywhere = everywhere});
  };
  const Setting prefill{.packed = DataType::F16, .max_tokens = 4, .tokens = 3, .position = 5};
  const Setting decode{.packed = DataType::F16, .max_tokens = 1, .tokens = 1, .position = 10};
  for (const Setting& setting : {prefill, decode}) {
    const bool is_prefill = setting.max_tokens > 1;
    for (const std::uint32_t size : {1U, 3U, 4U, 5U, 12U, 16U, 30U, 64U, 66U}) {
      for (const auto& [heads, kv_heads] : {std::pair{2U, 2U}, {6U, 2U}, {3U, 1U}}) {
        const Extents extents{kv_heads, size, 12};
        graph::Attention operation{.heads = heads, .scale = 0.5F};
        const bool is_chosen = is_prefill && heads == 6 && (size == 5 || size == 12);
        add(setting, operation, extents, Tail::None, is_chosen);
        if (heads != 6) continue;
        operation.causal = false;
        add(setting, operation, extents, Tail::None, false);
        operation = {.heads = heads, .scale = 0.5F, .window = 4};
        add(setting, operation, extents, Tail::None, false);
        operation.softcap = 2;
        add(setting, operation, extents, Tail::None, is_chosen);
        operation = {.heads = heads, .scale = 0.5F, .causal = false, .window = 3, .softcap = 1.5F};
        add(setting, operation, extents, Tail::SiluResidual, false);
      }
    }
    // A ring of eight places that went round twice.
    for (const std::uint32_t size : {5U, 16U}) {
      Setting later = setting;
      later.position = 18;
      for (const float softcap : {0.0F, 3.0F}) {
        add(later, {.heads = 4, .scale = 0.3F, .window = 5, .softcap = softcap, .ring = true}, {2, size, 8}, Tail::None,
            size == 16 && softcap == 0 && is_prefill);
      }
    }
  }
  // Caches of 8-bit blocks, as a ring too.
  for (const Setting& setting : {prefill, decode}) {
    for (const std::uint32_t size : {5U, 16U, 22U, 24U, 66U}) {
      Setting quantized = setting;
      quantized.packed = DataType::Q8_0;
      add(quantized, {.heads = 6, .scale = 0.4F}, {2, size, 12}, Tail::Residual, setting.max_tokens > 1 && size == 22);
      quantized.position = 18;
      add(quantized, {.heads = 4, .scale = 0.3F, .window = 5, .ring = true}, {2, size, 8}, Tail::None,
          setting.max_tokens == 1 && size == 66);
    }
  }
  constexpr DataType blocks[] = {DataType::Q8_0};
  for (const Setting& way : every_way({.max_tokens = 3, .tokens = 2, .position = 4}, blocks)) {
    for (const std::uint32_t size : {7U, 8U}) {
      add(way, {.heads = 4, .scale = 0.5F}, {2, size, 9}, Tail::Residual, false);
    }
  }
  // More positions than a block, and more slices than a workgroup has invocations.
  add({.packed = DataType::F16, .max_tokens = 2, .tokens = 2, .position = 97}, {.heads = 2, .scale = 0.4F}, {1, 8, 128},
      Tail::None, true);
  add({.packed = DataType::F32, .max_tokens = 2, .tokens = 1, .position = 150},
      {.heads = 1, .scale = 0.4F, .window = 70}, {1, 7, 160}, Tail::None, false);
  add({.packed = DataType::F32, .max_tokens = 1, .tokens = 1, .position = 3}, {.heads = 1, .scale = 0.1F}, {1, 264, 6},
      Tail::Silu, false);
  // Many tokens, in tiles of up to 64 rows of queries, on ordinary units and on matrix units, and sixteen rows at a
  // time.
  const auto many = [](DataType cache, std::uint32_t tokens, std::uint32_t position) {
    return Setting{.packed = cache, .max_tokens = 33, .tokens = tokens, .position = position};
  };
  for (const DataType cache : activation_types) {
    const bool is_f16 = cache == DataType::F16;
    for (const std::uint32_t size : {4U, 12U, 16U, 22U, 24U, 64U, 256U}) {
      const float scale = 1 / std::sqrt(float(size));
      // Rows of one tile and a bit; a second run of tokens; the first alone.
      add(many(cache, 23, 0), {.heads = 3, .scale = scale}, {1, size, 40}, Tail::None, is_f16 && size == 64);
      if (size > 64) continue;
      add(many(cache, 9, 31), {.heads = 4, .scale = scale}, {2, size, 40}, Tail::Residual, false);
      add(many(cache, 1, 0), {.heads = 2, .scale = scale}, {2, size, 33}, Tail::None, false);
    }
    // Around a window, and in a ring of the window and a run of tokens.
    for (const std::uint32_t tokens : {7U, 8U, 9U, 19U}) {
      graph::Attention operation{.heads = 4, .scale = 0.3F, .window = 8};
      add(many(cache, tokens, 0), operation, {1, 16, 40}, Tail::None, tokens == 19 && !is_f16);
      operation.ring = true;
      add(many(cache, tokens, 47), operation, {1, 16, 40}, Tail::None, tokens == 19 && is_f16);
      operation.softcap = 1.5F;
      add(many(cache, tokens, 71), operation, {2, 16, 40}, Tail::None, tokens == 9 && is_f16);
    }
    // Every key is seen by every query, or those of a window and all that follow.
    add(many(cache, 20, 70), {.heads = 3, .scale = 0.2F, .causal = false}, {1, 20, 96}, Tail::None, false);
    add(many(cache, 20, 70), {.heads = 3, .scale = 0.2F, .causal = false, .window = 9}, {1, 20, 96}, Tail::None, false);
    // A window that is shorter than a step of keys, far from the start.
    add(many(cache, 33, 150), {.heads = 2, .scale = 0.4F, .window = 70}, {1, 8, 190}, Tail::Silu, is_f16);
  }
  // Two steps of 64 keys, for more rows of queries than 64.
  add({.packed = DataType::F16, .max_tokens = 18, .tokens = 17, .position = 60}, {.heads = 4, .scale = 0.1F},
      {1, 128, 80}, Tail::Residual, false);
  add({.packed = DataType::F16, .max_tokens = 18, .tokens = 17, .position = 400}, {.heads = 3, .scale = 0.1F},
      {1, 128, 420}, Tail::None, false);
  // A ring whose first key that is seen lies within a tile, and one that many tiles are left out before; blocks too.
  for (const DataType cache : {DataType::F16, DataType::Q8_0}) {
    add(many(cache, 30, 300), {.heads = 3, .scale = 0.3F, .window = 150, .ring = true}, {1, 20, 182}, Tail::None,
        false);
    add(many(cache, 33, 300), {.heads = 2, .scale = 0.3F, .window = 40, .softcap = 2}, {1, 36, 340}, Tail::Silu, false);
  }
  for (const std::uint32_t size : {12U, 24U, 64U}) {
    add(many(DataType::Q8_0, 21, 19), {.heads = 3, .scale = 0.2F}, {1, size, 40}, Tail::None, size == 24);
    add({.packed = DataType::Q8_0, .max_tokens = 2, .tokens = 2, .position = 90},
        {.heads = 6, .scale = 0.2F, .window = 80, .ring = true}, {2, size, 96}, Tail::None, size == 64);
  }
  // Few tokens over a cache that is divided into parts: one row and many, every part in use and some.
  for (const std::uint32_t tokens : {1U, 2U, 5U, 16U}) {
    for (const std::uint32_t size : {4U, 16U, 24U, 64U}) {
      for (const std::uint32_t position : {0U, 33U, 140U}) {
        if (position + tokens > 150 && size > 16) continue;
        const Setting setting{
            .packed = DataType::F16, .max_tokens = tokens, .tokens = std::max(1U, tokens - 1), .position = position};
        add(setting, {.heads = 3, .scale = 0.3F}, {1, size, 160}, Tail::None,
            size == 64 && tokens == 5 && position == 33);
        add(setting, {.heads = 4, .scale = 0.3F, .window = 40, .softcap = 2, .ring = true}, {2, size, 60},
            tokens == 5 ? Tail::SiluResidual : Tail::None, size == 16 && tokens == 2 && position == 140);
      }
    }
  }
  // Heads that are whole eights of channels, and no power of two of them.
  for (const std::uint32_t size : {96U, 104U, 128U}) {
    for (const std::uint32_t position : {20U, 118U}) {
      const Setting setting{.packed = DataType::F16, .max_tokens = 1, .tokens = 1, .position = position};
      add(setting, {.heads = 6, .scale = 0.1F}, {2, size, 120}, Tail::Residual, size == 96 && position == 118);
      add(setting, {.heads = 3, .scale = 0.1F, .window = 25, .softcap = 2, .ring = true}, {1, size, 25}, Tail::None,
          false);
    }
  }
  add({.packed = DataType::F16, .max_tokens = 1, .position = 50}, {.heads = 4, .scale = 0.06F}, {1, 256, 64},
      Tail::None, true);
  add({.packed = DataType::F32, .max_tokens = 3, .tokens = 3, .position = 60},
      {.heads = 3, .scale = 0.2F, .causal = false, .window = 30}, {1, 20, 64}, Tail::None, false);
  for (const StorageKind storage : every_storage) {
    for (const DataType type : activation_types) {
      for (const DataType cache : activation_types) {
        for (const std::uint32_t size : {6U, 8U}) {
          for (const Tail tail : {Tail::None, Tail::SiluResidual}) {
            const Setting setting{
                .storage = storage, .activation = type, .packed = cache, .max_tokens = 3, .tokens = 2, .position = 4};
            add(setting, {.heads = 4, .scale = 0.5F}, {2, size, 9}, tail,
                type == DataType::F16 && cache == DataType::F32 && tail != Tail::None &&
                    size == (storage == StorageKind::Texture2D ? 6 : 8));
          }
        }
      }
    }
  }
  return cases;
}

}  // namespace driftwood::conformance
