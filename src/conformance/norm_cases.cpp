// rms-norm, add-rms-norm and head-norm.
#include <fmt/format.h>

#include "conformance/case.h"

namespace driftwood::conformance {
namespace {

constexpr float epsilon = 1e-5F;

template <class Value>  // of channel c
double inverse_rms(std::uint32_t channels, const Value& value) {
  double squares = 0;
  for (std::uint32_t c = 0; c < channels; ++c) squares += value(c) * value(c);
  return 1 / std::sqrt(squares / channels + epsilon);
}

void rms_norm(Draft& draft, const Shape& shape, Tail tail) {
  draft.problem.arithmetic = {.sum = double(shape.c), .steps = 8, .inverse_roots = 1, .divisions = 1};
  const Field x = draft.input("x", shape);
  const Field gamma = draft.constant("gamma", {.c = shape.c});
  draft.output(
      "y", draft.builder.rms_norm(x.tensor, gamma.tensor, epsilon),
      [&](const Index& at) {
        const double scale = inverse_rms(shape.c, [&](std::uint32_t c) { return x.at(at.b, at.h, at.w, c); });
        return exactly(x.at(at.b, at.h, at.w, at.c) * scale * gamma.at(0, at.c));
      },
      tail);
}

void add_rms_norm(Draft& draft, const Shape& shape) {
  draft.problem.arithmetic = {.sum = double(shape.c), .steps = 8, .inverse_roots = 1, .divisions = 1};
  const Field x = draft.input("x", shape), residual = draft.input("residual", shape);
  const Field gamma = draft.constant("gamma", {.c = shape.c});
  const auto sum = [&](const Index& at, std::uint32_t c) {
    return x.at(at.b, at.h, at.w, c) + residual.at(at.b, at.h, at.w, c);
  };
  const auto magnitude = [&](const Index& at) {
    return std::abs(x.at(at.b, at.h, at.w, at.c)) + std::abs(residual.at(at.b, at.h, at.w, at.c));
  };
  const auto [added, normed] = draft.builder.add_rms_norm(x.tensor, residual.tensor, gamma.tensor, epsilon);
  draft.output("sum", added, [&](const Index& at) { return Wanted{sum(at, at.c), magnitude(at)}; });
  draft.output("y", normed, [&](const Index& at) {
    const double factor = inverse_rms(shape.c, [&](std::uint32_t c) { return sum(at, c); }) * gamma.at(0, at.c);
    return Wanted{sum(at, at.c) * factor, magnitude(at) * std::abs(factor)};
  });
}

void head_norm(Draft& draft, const Shape& shape, std::uint32_t size, Tail tail) {
  draft.problem.arithmetic = {.sum = double(size), .steps = 8, .inverse_roots = 1, .divisions = 1};
  const Field x = draft.input("x", shape);
  const Field gamma = draft.constant("gamma", {.c = size});
  draft.output(
      "y", draft.builder.head_norm(x.tensor, gamma.tensor, size, epsilon),
      [&](const Index& at) {
        const std::uint32_t base = at.c / size * size;
        const double scale = inverse_rms(size, [&](std::uint32_t c) { return x.at(at.b, at.h, at.w, base + c); });
        return exactly(x.at(at.b, at.h, at.w, at.c) * scale * gamma.at(0, at.c - base));
      },
      tail);
}

void add_head_norm(std::vector<Case>& cases) {
  const auto add = [&](const Setting& setting, std::uint32_t heads, std::uint32_t size, std::uint32_t rows, Tail tail,
                       bool everywhere) {
    cases.push_back({.operation = "head-norm",
                     .name = fmt::format("{} heads of {}, {} rows {}", heads, size, rows, to_string(tail)),
                     .setting = setting,
                     .packed = {},
                     .make = [=](Draft& draft) { head_norm(draft, {.w = rows, .c = heads * size}, size, tail); },
                     .everywhere = everywhere});
  };
  for (const std::uint32_t size : {1U, 3U, 4U, 22U, 24U, 64U}) {
    for (const std::uint32_t heads : {1U, 3U, 70U}) {
      add({.max_tokens = 4, .tokens = 3}, heads, size, 4, Tail::None, heads == 3 && (size == 22 || size == 24));
    }
  }
  for (const StorageKind storage : every_storage) {
    for (const DataType type : activation_types) {
      for (const Tail tail : {Tail::None, Tail::SiluResidual}) {
        for (const std::uint32_t size : {6U, 8U}) {
          add({.storage = storage, .activation = type, .max_tokens = 3, .tokens = 2}, 3, size, 3, tail,
              storage == StorageKind::Texture2D && type == DataType::F16 && tail != Tail::None && size == 6);
        }
      }
    }
  }
  add({.max_tokens = 4, .tokens = 2}, 2, 5, 12, Tail::Residual, false);  // three rows a token
  add({}, 2, 5, 3, Tail::None, false);                                   // no token axis
}

}  // namespace

std::vector<Case> norm_cases() {
  std::vector<Case> cases;
  const auto add = [&](const Setting& setting, const Shape& shape, Tail tail, bool everywhere) {
    cases.push_back({.operation = "rms-norm",
                     .name = fmt::format("{} {}", to_string(shape), to_string(tail)),
                     .setting = setting,
                     .packed = {},
                     .make = [=](Draft& draft) { rms_norm(draft, shape, tail); },
                     .everywhere = everywhere});
    if (tail != Tail::None) return;
    cases.push_back({.operation = "add-rms-norm",
                     .name = to_string(shape),
                     .setting = setting,
                     .packed = {},
                     .make = [=](Draft& draft) { add_rms_norm(draft, shape); },
                     .everywhere = everywhere});
  };
  for (const StorageKind storage : every_storage) {
    for (const DataType type : activation_types) {
      const Setting setting{.storage = storage, .activation = type, .max_tokens = 8, .tokens = 3, .position = 5};
      for (const std::uint32_t channels : edge_channels) {
        const bool on_diagonal = channels == 66 && (storage == StorageKind::Buffer || type == DataType::F16);
        add(setting, {.w = 8, .c = channels}, Tail::None, on_diagonal && storage != StorageKind::ImageBuffer);
        for (const Tail tail : {Tail::Silu, Tail::Residual, Tail::SiluResidual}) {
          add(setting, {.w = 8, .c = channels}, tail,
              on_diagonal && tail == Tail::SiluResidual && storage == StorageKind::ImageBuffer);
        }
      }
    }
  }
  // More slices than a workgroup has invocations.
  add({.max_tokens = 2, .tokens = 2}, {.w = 2, .c = 1030}, Tail::None, true);
  for (const std::uint32_t tokens : {1U, 2U, 4U}) {
    const Setting setting{.max_tokens = 4, .tokens = tokens};
    add(setting, {.w = 4, .c = 30}, Tail::Residual, false);
    add(setting, {.w = 12, .c = 6}, Tail::None, false);  // three rows a token
    add(setting, {.w = 3, .c = 6}, Tail::None, false);   // no token axis
  }
  add({}, {.w = 5, .c = 7}, Tail::Silu, false);  // a graph without tokens
  add_head_norm(cases);
  return cases;
}

}  // namespace driftwood::conformance
