// qkv-linear: the merged projections of one token, turned and stored as they are made.
#include <fmt/format.h>

#include "conformance/rope.h"

namespace driftwood::conformance {
namespace {

struct Projections {
  graph::RopeQkv heads;
  std::uint32_t columns = 32, places = 5;
  bool has_bias = false, has_norm = false;
};

constexpr float epsilon = 1e-2F;

// What each row of the matrix gives.
std::vector<Wanted> products(const Field& x, const Field& weights, const Field* bias, const Field* gamma) {
  double squares = 0;
  for (std::uint32_t c = 0; c < x.shape.c; ++c) squares += x.at(0, c) * x.at(0, c);
  const double factor = gamma == nullptr ? 1 : 1 / std::sqrt(squares / x.shape.c + epsilon);
  std::vector<Wanted> rows(weights.shape.w);
  for (std::uint32_t r = 0; r < weights.shape.w; ++r) {
    for (std::uint32_t c = 0; c < x.shape.c; ++c) {
      const double term = weights.at(r, c) * x.at(0, c) * factor * (gamma == nullptr ? 1 : gamma->at(0, c));
      rows[r] = {rows[r].value + term, rows[r].magnitude + std::abs(term)};
    }
    if (bias != nullptr) rows[r] = {rows[r].value + bias->at(0, r), rows[r].magnitude + std::abs(bias->at(0, r))};
  }
  return rows;
}

// Channel c of the head that begins at row `base`, turned.
Wanted turned(const graph::Rope& rope, const std::vector<Wanted>& rows, std::uint32_t base, std::uint32_t c,
              std::uint32_t position) {
  const Wanted& own = rows[base + c];
  if (c >= rope.rotary) return own;
  const Wanted& other = rows[base + (c ^ 1U)];
  // The angle in f32, as kernels have it.
  const double angle = static_cast<float>(position) * rope_frequencies(rope.rotary)[c / 2];
  const double sine = c % 2 == 0 ? -std::sin(angle) : std::sin(angle);
  return {rope.magnitude * (own.value * std::cos(angle) + other.value * sine),
          rope.magnitude * (own.magnitude + other.magnitude)};
}

void qkv_linear(Draft& draft, const Projections& made) {
  draft.problem.arithmetic = {.sum = 2.0 * made.columns,
                              .steps = 16,
                              .sines = 1,
                              .inverse_roots = made.has_norm ? 1.0 : 0.0,
                              .divisions = made.has_norm ? 1.0 : 0.0};
  const graph::RopeQkv& fused = made.heads;
  const std::uint32_t size = fused.rope.head_size, position = draft.setting.position;
  const std::uint32_t k_base = fused.q_channels(), v_base = k_base + fused.kv_channels();
  const std::uint32_t rows = v_base + fused.kv_channels();
  const Field x = draft.input("x", {.c = made.columns});
  const Field weights = draft.weights("w", rows, made.columns);
  const Field bias = draft.constant("bias", {.c = rows}), gamma = draft.constant("gamma", {.c = made.columns});
  const Shape cache{.h = fused.kv_heads, .w = made.places, .c = size};
  const Field k_cache = draft.cache("k_cache", cache, made.places),
              v_cache = draft.cache("v_cache", cache, made.places);
  graph::Builder& b = draft.builder;
  const graph::Tensor input = made.has_norm ? b.rms_norm(x.tensor, gamma.tensor, epsilon) : x.tensor;
  const graph::Tensor qkv =
      b.linear(input, weights.tensor, made.has_bias ? std::optional<graph::Tensor>(bias.tensor) : std::nullopt);
  const graph::Tensor frequencies = b.vector("frequencies", rope_frequencies(fused.rope.rotary));
  const auto results = b.rope_qkv({qkv}, frequencies, k_cache.tensor, v_cache.tensor, fused);

  const std::vector<Wanted> wanted =
      products(x, weights, made.has_bias ? &bias : nullptr, made.has_norm ? &gamma : nullptr);
  const std::uint32_t group = fused.heads / fused.kv_heads;
  const std::uint32_t place = fused.ring ? position % made.places : position;
  draft.output("q_out", results[0], [&](const Index& at) {
    return turned(fused.rope, wanted, (at.h * group + at.w) * size, at.c, position);
  });
  draft.state("k_cache", cache, [&](const Index& at) {
    if (at.w != place) return Wanted{.is_written = false};
    return turned(fused.rope, wanted, k_base + at.h * size, at.c, position);
  });
  draft.state("v_cache", cache, [&](const Index& at) {
    return at.w == place ? wanted[v_base + at.h * size + at.c] : Wanted{.is_written = false};
  });
}

graph::RopeQkv heads_of(std::uint32_t heads, std::uint32_t kv_heads, std::uint32_t size, std::uint32_t rotary,
                        bool ring, float magnitude = 1) {
  const graph::Rope rope{
      .head_size = size, .rotary = rotary, .pairing = graph::RopePairing::Adjacent, .magnitude = magnitude};
  return {.rope = rope, .heads = heads, .kv_heads = kv_heads, .merged = true, .ring = ring};
}

}  // namespace

std::vector<Case> qkv_linear_cases() {
  std::vector<Case> cases;
  const auto add = [&](const Setting& setting, const Projections& made, bool everywhere) {
    cases.push_back({.operation = "qkv-linear",
                     .name = fmt::format("{}, {} columns, {} places, {} caches{}{}", graph::attributes(made.heads),
                                         made.columns, made.places, to_string(setting.cache_type()),
                                         made.has_bias ? ", bias" : "", made.has_norm ? ", norm" : ""),
                     .setting = setting,
                     .packed = "weights",
                     .make = [=](Draft& draft) { qkv_linear(draft, made); },
                     .everywhere = everywhere});
  };
  // Every format, with and without a norm and a bias.
  for (const DataType format : formats) {
    const std::uint32_t block = std::max<std::uint32_t>(info(format).block_length, 32);
    const bool is_chosen = format == DataType::Q4_0 || format == DataType::Q4_1;
    add({.packed = format, .caches = DataType::F16, .position = 13},
        {.heads = heads_of(4, 2, 8, 8, true), .columns = 2 * block, .has_norm = true}, is_chosen);
    add({.packed = format, .caches = DataType::F32, .position = 3},
        {.heads = heads_of(3, 1, 16, 12, false), .columns = block, .has_bias = true}, false);
  }
  // Heads that are no whole group of rows, groups of queries, channels that pass through, odd columns.
  for (const std::uint32_t size : {4U, 16U, 24U, 44U}) {
    for (const std::uint32_t rotary : {4U, 16U, 24U}) {
      if (rotary > size) continue;
      for (const auto& [heads, kv_heads] : {std::pair{1U, 1U}, {6U, 2U}, {6U, 3U}, {4U, 1U}}) {
        for (const bool ring : {false, true}) {
          const bool is_biased = heads == 6, is_normed = kv_heads == 1;
          add({.packed = DataType::F16, .caches = ring ? DataType::F16 : DataType::F32, .position = ring ? 23U : 6U},
              {.heads = heads_of(heads, kv_heads, size, rotary, ring, ring ? 1.25F : 1.0F),
               .columns = heads == 1 ? 30U : 37U,
               .places = 7,
               .has_bias = is_biased,
               .has_norm = is_normed},
              size == 24 && rotary == 16 && ring && heads == 6);
        }
      }
    }
  }
  // Enough rows that a workgroup does several groups of them, columns that many invocations share.
  add({.packed = DataType::F16, .caches = DataType::F16, .position = 2},
      {.heads = heads_of(8, 4, 64, 64, false), .columns = 36, .has_bias = true, .has_norm = true}, false);
  add({.packed = DataType::Q8_0, .caches = DataType::F16, .position = 4},
      {.heads = heads_of(2, 1, 16, 16, false), .columns = 2080, .has_norm = true}, true);
  for (const Setting& way : every_way({.caches = DataType::F16, .position = 2}, formats)) {
    if (way.packed == DataType::Q8_0) continue;  // below, with caches of either type
    const std::uint32_t block = std::max<std::uint32_t>(info(way.packed).block_length, 32);
    add(way, {.heads = heads_of(1, 1, 12, 8, false), .columns = block}, false);
  }
  for (const StorageKind storage : every_storage) {
    for (const DataType type : activation_types) {
      add({.storage = storage, .activation = type, .packed = DataType::Q8_0, .caches = type, .position = 1},
          {.heads = heads_of(4, 2, 12, 8, false), .has_bias = true, .has_norm = true},
          type == DataType::F16 && storage == StorageKind::Texture2D);
    }
  }
  return cases;
}

}  // namespace driftwood::conformance
