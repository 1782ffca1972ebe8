// sample-token: which token follows, and what the next run finds.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/half.h"
#include "conformance/case.h"

namespace driftwood::conformance {
namespace {

struct Sampling {
  std::uint32_t vocabulary = 1;
  std::uint32_t top_k = 1;
  float temperature = 0.7F;
  std::uint32_t top_p_keeps = 0;  // tokens; 0: all
  std::uint32_t min_p_keeps = 0;
  std::uint32_t chosen = 0;  // of those kept
  std::uint32_t window = 0;
  bool has_ties = false, has_non_finite = false;
};

constexpr std::uint32_t places = 8, draws = 4;
constexpr float penalty = 1.5F, no_token = 4294967040.0F;

graph::Tensor given(Draft& draft, const std::string& name, const Shape& shape, std::vector<float> values) {
  draft.problem.contents[name] = std::move(values);
  return draft.builder.input(name, shape);
}

graph::Tensor kept(Draft& draft, const std::string& name, const Shape& shape, std::vector<float> values) {
  draft.problem.contents[name] = std::move(values);
  return draft.builder.state(name, shape, DataType::U32);
}

// What is before the run in `history`: tokens among which the best ones are, in the places that the window looks at and
// in others.
std::vector<float> history_of(const std::vector<std::uint32_t>& order, std::uint32_t position, std::uint32_t window) {
  std::vector<float> values(std::size_t{2} * places, 0);
  for (std::uint32_t age = 0; age < places; ++age) {
    const std::uint32_t place = (position + places - age % places) % places;
    const bool is_seen = age < window;
    const std::size_t rank = is_seen ? 3 * age : 1 + 3 * age;
    values[std::size_t{2} * place] =
        age <= position && rank < order.size() ? static_cast<float>(order[rank]) : no_token;
  }
  return values;
}

std::vector<std::uint32_t> ordered(const std::vector<float>& logits) {
  std::vector<std::uint32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const bool a_counts = std::isfinite(logits[a]), b_counts = std::isfinite(logits[b]);
    if (a_counts != b_counts) return a_counts;
    return a_counts && logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  });
  return order;
}

// Halfway from the sum of `count` weights to the next, as a part of them all: far from where rounding decides.
float between(const std::vector<double>& weights, std::size_t count) {
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double sum = std::accumulate(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(count), 0.0);
  return static_cast<float>((sum + weights[count] / 2) / all);
}

void sample_token(Draft& draft, const Sampling& sampling) {
  draft.problem.arithmetic = no_arithmetic;
  draft.problem.dispatches = 2;
  Field logits = draft.input("logits", {.c = sampling.vocabulary});
  std::vector<float>& values = logits.values;
  if (sampling.has_ties) {
    const float largest = *std::ranges::max_element(values);
    for (std::size_t i = 3; i < values.size(); i += 7) values[i] = largest;
  }
  if (sampling.has_non_finite) {
    values[values.size() / 2] = std::numeric_limits<float>::quiet_NaN();
    values.back() = std::numeric_limits<float>::infinity();
  }
  draft.problem.contents["logits"] = values;

  const std::uint32_t position = draft.setting.position;
  std::vector<float> history = history_of(ordered(values), position, sampling.window);
  for (std::uint32_t age = 0; age < sampling.window; ++age) {
    const float id = history[std::size_t{2} * ((position + places - age) % places)];
    if (id == no_token) continue;
    float& value = values[static_cast<std::size_t>(id)];
    value = value > 0 ? value / penalty : value * penalty;
  }
  const std::vector<std::uint32_t> order = ordered(values);
  std::vector<double> plain, warm;
  for (std::size_t i = 0; i < std::min<std::size_t>(sampling.top_k, order.size()); ++i) {
    const double below = double{values[order[i]]} - values[order[0]];
    plain.push_back(std::exp(below));
    warm.push_back(std::exp(below / sampling.temperature));
  }
  float top_p = 1, min_p = 0;
  if (sampling.top_p_keeps != 0) top_p = between(plain, sampling.top_p_keeps - 1);
  if (sampling.min_p_keeps != 0)
    min_p = static_cast<float>((plain[sampling.min_p_keeps - 1] + plain[sampling.min_p_keeps]) / 2);
  for (const std::uint32_t keeps : {sampling.top_p_keeps, sampling.min_p_keeps})
    if (keeps != 0) warm.resize(std::min<std::size_t>(warm.size(), keeps));
  const std::uint32_t id = order[sampling.chosen];
  std::vector<float> numbers(draws, 0.999F);  // those that are not to be used
  numbers[(position + 1) % draws] = between(warm, sampling.chosen);

  const Shape history_shape{.w = places, .c = 2};
  draft.builder.sample_token(logits.tensor,
                             given(draft, "settings", {.c = 4}, {sampling.temperature, top_p, min_p, penalty}),
                             given(draft, "uniforms", {.w = draws, .c = 1}, numbers),
                             {kept(draft, "history", history_shape, history), kept(draft, "next_id", {.c = 1}, {12345}),
                              kept(draft, "run", {.c = 4}, {1, static_cast<float>(position), 7, 9})},
                             {.top_k = sampling.top_k, .window = sampling.window});
  draft.state("history", history_shape, [&](const Index& at) {
    if (at.w != (position + 1) % places) return Wanted{.is_written = false};
    return exactly(at.c == 0 ? id : (sampling.has_non_finite ? 1 : 0));
  });
  draft.state("next_id", {.c = 1}, [&](const Index&) { return exactly(id); });
  draft.state("run", {.c = 4}, [&](const Index& at) {
    const std::uint32_t words[] = {1, position + 1, 7, 9};
    return exactly(words[at.c]);
  });
}

}  // namespace

std::vector<Case> sample_token_cases() {
  std::vector<Case> cases;
  const auto add = [&](const Setting& setting, const Sampling& sampling, bool everywhere) {
    cases.push_back(
        {.operation = "sample-token",
         .name = fmt::format("{} of {} tokens{}{}{}{}{}, the one in place {}", sampling.top_k, sampling.vocabulary,
                             sampling.top_p_keeps != 0 ? " top-p" : "", sampling.min_p_keeps != 0 ? " min-p" : "",
                             sampling.window != 0 ? " penalty" : "", sampling.has_ties ? " ties" : "",
                             sampling.has_non_finite ? " not finite" : "", sampling.chosen),
         .setting = setting,
         .packed = {},
         .make = [=](Draft& draft) { sample_token(draft, sampling); },
         .everywhere = everywhere});
  };
  for (const std::uint32_t vocabulary : {1U, 2U, 3U, 5U, 30U, 131U, 514U, 1027U}) {
    add({.position = vocabulary}, {.vocabulary = vocabulary}, vocabulary == 1027);
    add({.position = 2}, {.vocabulary = vocabulary, .has_ties = true}, false);
    add({.position = 5}, {.vocabulary = vocabulary, .top_k = 40, .chosen = vocabulary / 3 % 40}, false);
    add({.position = 6},
        {.vocabulary = vocabulary, .top_k = 7, .chosen = std::min(vocabulary, 7U) - 1, .has_ties = true}, false);
  }
  // More parts than one holds of entries, and several slices an invocation.
  add({.position = 9}, {.vocabulary = 33001, .has_ties = true}, false);
  add({.position = 9}, {.vocabulary = 5003, .top_k = 64, .chosen = 63}, false);
  const Sampling all{.vocabulary = 1027, .top_k = 40, .top_p_keeps = 30, .min_p_keeps = 20, .chosen = 11, .window = 5};
  add({.position = 11}, all, true);
  Sampling one = all;
  one.min_p_keeps = 0;
  add({.position = 3}, one, false);
  one.top_p_keeps = 0;
  one.min_p_keeps = 1;
  one.chosen = 0;
  add({.position = 30}, one, false);
  for (const std::uint32_t top_k : {1U, 5U}) {
    add({.position = 1}, {.vocabulary = 321, .top_k = top_k, .window = 8}, false);
    add({.position = 7}, {.vocabulary = 321, .top_k = top_k, .has_non_finite = true}, false);
  }
  for (const StorageKind storage : every_storage) {
    for (const DataType type : activation_types) {
      add({.storage = storage, .activation = type, .position = 4}, {.vocabulary = 67, .top_k = 5, .chosen = 2}, false);
    }
  }
  return cases;
}

}  // namespace driftwood::conformance
