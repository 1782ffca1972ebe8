// multi-head-attention: attention without a cache.
#include <fmt/format.h>

#include "conformance/case.h"

namespace driftwood::conformance {
namespace {

struct Extents {
  Shape q;                   // its channels are those of all heads
  Shape k = {.w = 0};        // w 0: as q
  float low = -2, high = 2;  // of q and k
};

void multi_head_attention(Draft& draft, const graph::MultiHeadAttention& operation, const Extents& extents, Tail tail) {
  const Shape& positions = extents.k.w == 0 ? extents.q : extents.k;
  draft.problem.arithmetic = {.sum = double(extents.q.c) / operation.heads + double(positions.h) * positions.w,
                              .steps = 12,
                              .exponentials = 2,
                              .divisions = 1};
  const Setting& setting = draft.setting;
  Shape keys = extents.k.w == 0 ? extents.q : extents.k;
  keys.b = extents.q.b;
  keys.c = extents.q.c;
  const std::uint32_t size = keys.c / operation.heads;
  const Field q = draft.input("q", extents.q, extents.low, extents.high);
  const Field k = draft.input("k", keys, extents.low, extents.high), v = draft.input("v", keys);
  const bool has_tokens = setting.max_tokens > 1 && keys.h == 1;
  const std::uint32_t count = has_tokens ? draft.active_rows(keys) : keys.h * keys.w;

  // The weights of a row and head, which all its channels share.
  std::map<std::array<std::uint32_t, 4>, std::pair<std::vector<double>, double>> known;
  const auto weights = [&](const Index& at, std::uint32_t head) -> const auto& {
    auto& [scores, sharpness] = known[{at.b, at.h, at.w, head}];
    if (!scores.empty()) return known[{at.b, at.h, at.w, head}];
    const std::uint32_t end = operation.causal ? at.h * extents.q.w + at.w + 1 : count;
    double largest = -1e300, total = 0;
    sharpness = 1;
    for (std::uint32_t j = 0; j < end; ++j) {
      double score = 0, terms = 0;
      for (std::uint32_t c = head * size; c < (head + 1) * size; ++c) {
        const double term = operation.scale * q.at(at.b, at.h, at.w, c) * k.at(at.b, j / keys.w, j % keys.w, c);
        score += term;
        terms += std::abs(term);
      }
      scores.push_back(score);
      largest = std::max(largest, score);
      sharpness = std::max(sharpness, terms);  // an error of a score is one of its exponential
    }
    for (double& score : scores) total += score = std::exp(score - largest);
    for (double& score : scores) score /= total;
    return known[{at.b, at.h, at.w, head}];
  };
  const auto rule = [&](const Index& at) {
    const auto& [row, sharpness] = weights(at, at.c / size);
    Wanted wanted;
    for (std::uint32_t j = 0; j < row.size(); ++j) {
      const double value = v.at(at.b, j / keys.w, j % keys.w, at.c);
      wanted.value += row[j] * value;
      wanted.magnitude += row[j] * std::abs(value);
    }
    wanted.magnitude *= sharpness;
    return wanted;
  };
  draft.output("y", draft.builder.multi_head_attention(q.tensor, k.tensor, v.tensor, operation), rule, tail);
}

}  // namespace

std::vector<Case> multi_head_attention_cases() {
  std::vector<Case> cases;
  const auto add = [&](const Setting& setting, const graph::MultiHeadAttention& operation, const Extents& extents,
                       Tail tail, bool everywhere) {
    cases.push_back({.operation = "multi-head-attention",
                     .name = fmt::format("{}, {} with {} up to {} {}", graph::attributes(operation),
                                         to_string(extents.q), to_string(extents.k), extents.high, to_string(tail)),
                     .setting = setting,
                     .packed = {},
                     .make = [=](Draft& draft) { multi_head_attention(draft, operation, extents, tail); },
                     .everywhere = everywhere});
  };
  // Heads of one slice, of odd numbers of slices, and of those that are found in practice.
  for (const std::uint32_t size : {4U, 8U, 12U, 20U, 40U, 64U, 68U, 80U, 160U}) {
    const Shape q{.b = 2, .h = 3, .w = 7, .c = 2 * size};
    const float scale = 1 / std::sqrt(float(size));
    add({}, {.heads = 2, .scale = scale}, {.q = q}, Tail::None, size == 80);
    add({}, {.heads = 2, .scale = scale, .causal = true}, {.q = q}, Tail::None, size == 64);
    add({}, {.heads = 2, .scale = scale}, {.q = q, .k = {.h = 1, .w = 45}}, Tail::None, false);
  }
  // The same on matrix units, which take steps of up to 64 keys and hold heads of up to 192 channels.
  const Setting halves{.activation = DataType::F16};
  for (const std::uint32_t size : {4U, 12U, 20U, 40U, 64U, 80U, 160U, 196U}) {
    const Shape q{.b = 2, .h = 5, .w = 15, .c = 2 * size};
    const float scale = 1 / std::sqrt(float(size));
    add(halves, {.heads = 2, .scale = scale}, {.q = q}, Tail::None, false);
    add(halves, {.heads = 2, .scale = scale, .causal = true}, {.q = q}, Tail::None, false);
    add(halves, {.heads = 2, .scale = scale}, {.q = q, .k = {.h = 1, .w = 45}}, Tail::Silu, false);
    add(halves, {.heads = 2, .scale = 1}, {.q = {.h = 2, .w = 9, .c = 2 * size}, .k = {.w = 150}, .low = -5, .high = 5},
        Tail::None, false);
    add(halves, {.heads = 2, .scale = -1}, {.q = {.w = 7, .c = 2 * size}, .k = {.w = 99}, .low = 15, .high = 17},
        Tail::None, false);
  }
  // Enough queries and keys for every compute unit of a GPU.
  add(halves, {.heads = 4, .scale = 0.5F}, {.q = {.h = 16, .w = 16, .c = 16}}, Tail::Silu, false);
  // Several workgroups of queries and tiles of keys, the last of which are not full; channels in two parts.
  add(halves, {.heads = 1, .scale = 0.2F}, {.q = {.h = 13, .w = 17, .c = 20}, .k = {.h = 3, .w = 97}}, Tail::None,
      false);
  add(halves, {.heads = 1, .scale = 0.2F, .causal = true}, {.q = {.h = 3, .w = 71, .c = 44}}, Tail::Residual, false);
  add(halves, {.heads = 1, .scale = 0.05F}, {.q = {.b = 2, .h = 7, .w = 13, .c = 512}}, Tail::None, false);
  add(halves, {.heads = 1, .scale = 0.05F}, {.q = {.w = 129, .c = 260}, .k = {.w = 131}}, Tail::None, false);
  add({}, {.heads = 1, .scale = 0.04F}, {.q = {.h = 5, .w = 9, .c = 512}}, Tail::None, true);
  add({}, {.heads = 1, .scale = 0.04F}, {.q = {.h = 2, .w = 3, .c = 260}}, Tail::None, false);
  // Several tiles of queries and of keys; one query; more queries than keys.
  add({}, {.heads = 2, .scale = 0.2F}, {.q = {.h = 9, .w = 17, .c = 80}}, Tail::None, true);
  add({}, {.heads = 1, .scale = 0.2F, .causal = true}, {.q = {.w = 150, .c = 40}}, Tail::None, true);
  add({}, {.heads = 1, .scale = 0.2F, .causal = true}, {.q = {.w = 133, .c = 12}}, Tail::None, false);
  add({}, {.heads = 3, .scale = 0.2F}, {.q = {.c = 48}, .k = {.h = 7, .w = 11}}, Tail::None, false);
  add({}, {.heads = 2, .scale = 0.2F}, {.q = {.h = 8, .w = 9, .c = 16}, .k = {.w = 1}}, Tail::None, false);
  // Scores of thousands: no exponential overflows, and none that counts is lost.
  for (const std::uint32_t size : {12U, 40U}) {
    add({}, {.heads = 2, .scale = 1}, {.q = {.h = 5, .w = 9, .c = 2 * size}, .low = -30, .high = 30}, Tail::None,
        size == 40);
    add({}, {.heads = 2, .scale = 1}, {.q = {.h = 5, .w = 9, .c = 2 * size}, .low = 15, .high = 17}, Tail::None, false);
    add({}, {.heads = 2, .scale = -1}, {.q = {.h = 5, .w = 9, .c = 2 * size}, .low = 15, .high = 17}, Tail::None,
        false);
  }
  for (const StorageKind storage : every_storage) {
    for (const DataType type : activation_types) {
      const Setting image{.storage = storage, .activation = type};
      const Shape q{.b = 2, .h = 3, .w = 5, .c = 40};
      add(image, {.heads = 2, .scale = 0.3F}, {.q = q}, Tail::None, false);
      add(image, {.heads = 2, .scale = 0.3F}, {.q = q, .k = {.w = 13}}, Tail::SiluResidual,
          type == DataType::F16 && storage != StorageKind::ImageBuffer);
      const Setting text{.storage = storage, .activation = type, .max_tokens = 8, .tokens = 5};
      for (const bool causal : {false, true}) {
        add(text, {.heads = 2, .scale = 0.3F, .causal = causal}, {.q = {.w = 8, .c = 24}}, Tail::Residual, false);
      }
    }
  }
  for (const std::uint32_t tokens : {1U, 2U, 4U}) {
    const Setting setting{.max_tokens = 4, .tokens = tokens};
    add(setting, {.heads = 1, .scale = 0.3F, .causal = true}, {.q = {.w = 8, .c = 8}}, Tail::None, false);
    add(setting, {.heads = 1, .scale = 0.3F}, {.q = {.w = 4, .c = 8}, .k = {.w = 7}}, Tail::None, false);
  }
  return cases;
}

}  // namespace driftwood::conformance
