// layer-norm.
#include <fmt/format.h>

#include "conformance/case.h"

namespace driftwood::conformance {
namespace {

constexpr float epsilon = 1e-5F;

void layer_norm(Draft& draft, const Shape& shape, float centre, Tail tail) {
  draft.problem.arithmetic = {.sum = double(shape.c), .steps = 12, .inverse_roots = 1, .divisions = 2};
  const Field x = draft.input("x", shape, centre - 2, centre + 2);
  const Field gamma = draft.constant("gamma", {.c = shape.c}), beta = draft.constant("beta", {.c = shape.c});
  draft.output(
      "y", draft.builder.layer_norm(x.tensor, gamma.tensor, beta.tensor, epsilon),
      [&](const Index& at) {
        const auto value = [&](std::uint32_t c) { return x.at(at.b, at.h, at.w, c); };
        double mean = 0, squares = 0;
        for (std::uint32_t c = 0; c < shape.c; ++c) mean += value(c) / shape.c;
        for (std::uint32_t c = 0; c < shape.c; ++c) squares += (value(c) - mean) * (value(c) - mean);
        const double factor = gamma.at(0, at.c) / std::sqrt(squares / shape.c + epsilon);
        const double difference = value(at.c) - mean, term = beta.at(0, at.c);
        // The mean itself is rounded, to about a millionth of it.
        return Wanted{difference * factor + term,
                      (std::abs(difference) + std::abs(mean) / 4) * std::abs(factor) + std::abs(term)};
      },
      tail);
}

}  // namespace

std::vector<Case> layer_norm_cases() {
  std::vector<Case> cases;
  const auto add = [&](const Setting& setting, const Shape& shape, float centre, Tail tail, bool everywhere) {
    cases.push_back({.operation = "layer-norm",
                     .name = fmt::format("{} about {} {}", to_string(shape), centre, to_string(tail)),
                     .setting = setting,
                     .packed = {},
                     .make = [=](Draft& draft) { layer_norm(draft, shape, centre, tail); },
                     .everywhere = everywhere});
  };
  for (const StorageKind storage : every_storage) {
    for (const DataType type : activation_types) {
      const Setting text{.storage = storage, .activation = type, .max_tokens = 8, .tokens = 3};
      const Setting image{.storage = storage, .activation = type};
      for (const std::uint32_t channels : edge_channels) {
        add(text, {.w = 8, .c = channels}, 0, Tail::None, false);
        add(image, {.b = 2, .h = 3, .w = 5, .c = channels}, 0, Tail::SiluResidual,
            channels == 30 && (storage == StorageKind::Buffer ? type == DataType::F32 : type == DataType::F16));
      }
      add(image, {.b = 2, .h = 2, .w = 3, .c = 40}, 100, Tail::Residual, false);
    }
  }
  // A large mean; more slices than a subgroup has invocations, and more than it keeps in registers.
  for (const std::uint32_t channels : {5U, 66U, 320U}) {
    add({}, {.h = 2, .w = 3, .c = channels}, 1000, Tail::None, channels == 320);
  }
  for (const std::uint32_t channels : {258U, 1030U, 2052U}) add({}, {.w = 2, .c = channels}, 1, Tail::None, false);
  for (const std::uint32_t tokens : {1U, 2U, 4U}) {
    const Setting setting{.max_tokens = 4, .tokens = tokens};
    add(setting, {.w = 12, .c = 6}, 0, Tail::None, false);  // three rows a token
    add(setting, {.w = 3, .c = 6}, 0, Tail::Silu, false);   // no token axis
  }
  return cases;
}

}  // namespace driftwood::conformance
