// group-statistics: channels over chunks of positions, and the join of chunks and channels; or both at once.
#include <fmt/format.h>

#include "conformance/case.h"

namespace driftwood::conformance {
namespace {

constexpr float epsilon = 1e-5F;

// In two launches what is small enough for one.
const graph::NodeChoice two_launches{.kernel = "group-statistics"};

struct Extents {
  Shape shape;
  std::uint32_t joined = 0;  // channels of the second input, 0: there is none
  std::uint32_t groups = 1;
  float centre = 0;
};

void group_statistics(Draft& draft, const Extents& extents) {
  draft.problem.arithmetic = {
      .sum = double(extents.shape.h) * extents.shape.w * (extents.shape.c + extents.joined) / extents.groups,
      .steps = 12,
      .inverse_roots = 1,
      .divisions = 2};
  const Shape& shape = extents.shape;
  const std::uint32_t joined = extents.joined, groups = extents.groups;
  const float centre = extents.centre;
  const float low = centre - 2, high = centre + 2;
  const Field x = draft.input("x", shape, low, high);
  std::optional<Field> x2;
  if (joined > 0) x2 = draft.input("x2", {.b = shape.b, .h = shape.h, .w = shape.w, .c = joined}, low - 1, high - 1);
  const std::uint32_t channels = shape.c + joined, size = channels / groups;
  const Field gamma = draft.constant("gamma", {.c = channels}), beta = draft.constant("beta", {.c = channels});

  struct Statistics {
    double mean = 0, factor = 0;
    double size = 0;  // mean of the absolute values: what the error of the mean grows with
  };
  std::vector<Statistics> statistics(std::size_t{shape.b} * groups);
  for (std::size_t i = 0; i < statistics.size(); ++i) {
    const auto b = static_cast<std::uint32_t>(i / groups), first = static_cast<std::uint32_t>(i % groups) * size;
    const double count = double(size) * shape.h * shape.w;
    const auto sum = [&](auto&& term) {
      double total = 0;
      for (std::uint32_t h = 0; h < shape.h; ++h) {
        for (std::uint32_t w = 0; w < shape.w; ++w) {
          for (std::uint32_t c = first; c < first + size; ++c)
            total += term(c < shape.c ? x.at(b, h, w, c) : x2->at(b, h, w, c - shape.c));
        }
      }
      return total;
    };
    const double mean = sum([](double value) { return value; }) / count;
    const double variance = sum([&](double value) { return (value - mean) * (value - mean); }) / count;
    const double absolute = sum([](double value) { return std::abs(value); }) / count;
    statistics[i] = {mean, 1 / std::sqrt(variance + epsilon), absolute};
  }

  const auto [scale, shift] =
      draft.builder.group_statistics(x.tensor, gamma.tensor, beta.tensor, {.groups = groups, .epsilon = epsilon},
                                     x2 ? std::optional(x2->tensor) : std::nullopt);
  const auto of = [&](const Index& at) { return statistics[std::size_t{at.b} * groups + at.c / size]; };
  draft.output("scale", scale, [&](const Index& at) { return exactly(of(at).factor * gamma.at(0, at.c)); });
  draft.output("shift", shift, [&](const Index& at) {
    const double factor = of(at).factor * gamma.at(0, at.c);
    return Wanted{beta.at(0, at.c) - of(at).mean * factor, std::abs(beta.at(0, at.c)) + of(at).size * std::abs(factor)};
  });
}

}  // namespace

std::vector<Case> group_statistics_cases() {
  std::vector<Case> cases;
  const auto add = [&](const Setting& setting, const Extents& extents, bool everywhere) {
    const auto& [shape, joined, groups, centre] = extents;
    cases.push_back({.operation = "group-statistics",
                     .name = fmt::format("{}{}, {} groups, about {}", to_string(shape),
                                         joined > 0 ? fmt::format(" with {} channels", joined) : "", groups, centre),
                     .setting = setting,
                     .packed = {},
                     .make = [=](Draft& draft) { group_statistics(draft, extents); },
                     .everywhere = everywhere});
  };
  for (const StorageKind storage : every_storage) {
    for (const DataType type : activation_types) {
      const Setting setting{.storage = storage, .activation = type};
      Setting in_two = setting;
      in_two.choice = &two_launches;
      const Shape small{.b = 2, .h = 3, .w = 5};
      const auto with = [](Shape shape, std::uint32_t channels) {
        shape.c = channels;
        return shape;
      };
      // Groups of one channel, of a part of a slice, across slices, of whole slices.
      for (const auto& [channels, groups] : {std::pair{3U, 3U}, {6U, 3U}, {30U, 3U}, {9U, 1U}, {40U, 4U}, {32U, 4U}}) {
        const Extents extents{.shape = with(small, channels), .groups = groups};
        const bool everywhere = channels == 30 && type == DataType::F16 && storage != StorageKind::ImageBuffer;
        add(setting, extents, everywhere);
        add(in_two, extents, everywhere);
      }
      const bool is_f32_in_image_buffer = storage == StorageKind::ImageBuffer && type == DataType::F32;
      for (const Setting& each : {setting, in_two}) {
        add(each, {.shape = with(small, 8), .joined = 7, .groups = 3}, false);
        add(each, {.shape = with(small, 40), .joined = 20, .groups = 6, .centre = 3}, is_f32_in_image_buffer);
      }
      // Groups of 30, the second over the border of the tensors, the last without another beside it.
      add(setting, {.shape = {.b = 2, .h = 9, .w = 7, .c = 52}, .joined = 38, .groups = 3, .centre = -3},
          storage == StorageKind::Buffer);
    }
  }
  // A mean that is large beside the deviation, in each group and from channel to channel: over several chunks of
  // positions, the last one short, or all of them by one workgroup.
  for (const graph::NodeChoice* const choice : {static_cast<const graph::NodeChoice*>(nullptr), &two_launches}) {
    const Setting f32{.choice = choice}, f16{.activation = DataType::F16, .choice = choice};
    add(f32, {.shape = {.b = 2, .h = 31, .w = 37, .c = 20}, .groups = 2, .centre = 1000}, true);
    add(f32, {.shape = {.h = 67, .w = 41, .c = 12}, .joined = 4, .groups = 4, .centre = -300}, true);
    add(f16, {.shape = {.h = 40, .w = 33, .c = 6}, .groups = 2, .centre = 1000}, false);
    add(f32, {.shape = {.h = 4, .w = 4, .c = 320}, .groups = 32}, false);
    add(f32, {.shape = {.h = 1, .w = 1, .c = 8}, .groups = 2}, false);
  }
  // Sizes of groups, and positions that are no whole number of blocks a row; three groups, so that workgroups of two or
  // four have less to do. The factor of groups without deviation is large.
  for (const DataType type : activation_types) {
    for (const std::uint32_t size : {1U, 3U, 10U, 30U, 40U, 60U, 80U}) {
      for (const auto& [h, w] : {std::pair{1U, 1U}, {1U, 7U}, {7U, 9U}, {15U, 20U}}) {
        const Shape shape{.h = h, .w = w, .c = 3 * size};
        add({.activation = type}, {.shape = shape, .groups = 3, .centre = h * w > 1 ? 50.0F : 20.0F}, false);
      }
    }
  }
  // Both tensors, of as many positions as one workgroup takes, and of more than that.
  add({.activation = DataType::F16},
      {.shape = {.b = 2, .h = 64, .w = 64, .c = 24}, .joined = 16, .groups = 4, .centre = 100}, false);
  add({}, {.shape = {.h = 96, .w = 90, .c = 24}, .joined = 16, .groups = 4, .centre = 100}, false);
  return cases;
}

}  // namespace driftwood::conformance
