// quantize-tokens, integer-linear and integer-gated-linear: integers are exact, so that a result differs from a plain
// computation by the rounding of f32 alone.
#include <fmt/format.h>

#include <cstring>

#include "base/half.h"
#include "conformance/case.h"

namespace driftwood::conformance {
namespace {

/// What a token's channels become, in the arithmetic of the kernels.
struct Integers {
  std::vector<float> values;  // as Field has them
  std::vector<float> scales;  // of each 32 of a row
  std::vector<float> sums;    // of the integers of these
  std::uint32_t channels;

  std::size_t chunk(std::uint32_t w, std::uint32_t c) const {
    return std::size_t{w} * graph::integer_chunks(channels) + c / 32;
  }
  /// What the integer of a channel stands for, in single precision as kernels have it.
  float at(std::uint32_t w, std::uint32_t c) const {
    return values[std::size_t{w} * channels + c] * scales[chunk(w, c)];
  }
};

Integers integers_of(const Field& x, std::uint32_t active) {
  Integers integers{.values = std::vector<float>(x.values.size()), .scales = {}, .sums = {}, .channels = x.shape.c};
  for (std::uint32_t w = 0; w < active; ++w) {
    for (std::uint32_t first = 0; first < x.shape.c; first += 32) {
      const std::uint32_t end = std::min(first + 32, x.shape.c);
      float largest = 0, sum = 0;
      for (std::uint32_t c = first; c < end; ++c) {
        largest = std::max(largest, std::abs(static_cast<float>(x.at(w, c))));
      }
      const float inverse = largest < 1e-30F ? 0 : 127.0F / largest;
      for (std::uint32_t c = first; c < end; ++c) {
        float& value = integers.values[std::size_t{w} * x.shape.c + c];
        value = std::nearbyint(static_cast<float>(x.at(w, c)) * inverse);
        sum += value;
      }
      integers.scales.push_back(largest < 1e-30F ? 0.0F : largest / 127.0F);
      integers.sums.push_back(sum);
    }
  }
  return integers;
}

/// Tokens of all magnitudes, a token of zeroes and one of almost nothing among them; no value lies near the middle of
/// two integers, where devices may round either way.
Field tokens(Draft& draft, const Shape& shape) {
  Field x = draft.input("x", shape);
  const bool is_half = draft.setting.activation == DataType::F16;
  const std::vector<float> magnitudes = is_half ? std::vector<float>{1.5F, 0.0F, 8.0F, 0.02F}
                                                : std::vector<float>{1.5F, 0.0F, 1e16F, 1e-33F, 1e-20F, 37.0F};
  std::uniform_int_distribution<int> whole(-126, 126);
  std::uniform_real_distribution<float> part(-0.3F, 0.3F);
  for (std::uint32_t w = 0; w < draft.active_rows(shape); ++w) {
    const float magnitude = magnitudes[w % magnitudes.size()];
    for (std::uint32_t c = 0; c < shape.c; ++c) {
      float& value = x.values[std::size_t{w} * shape.c + c];
      value = magnitude * (static_cast<float>(whole(draft.random())) + part(draft.random())) / 127.0F;
      // Every 32 channels have their largest at the same place; the last of a row may be fewer.
      const std::uint32_t first = c / 32 * 32;
      if (c == first + std::min(32U, shape.c - first) / 2) value = w % 2 == 0 ? magnitude : -magnitude;
      if (is_half) value = half_to_float(float_to_half(value));
    }
  }
  draft.problem.contents["x"] = x.values;
  return x;
}

/// A matrix whose second row is nothing but zeroes.
Field matrix(Draft& draft, const std::string& name, std::uint32_t rows, std::uint32_t columns) {
  Field weights = draft.weights(name, rows, columns);
  if (rows > 1) {
    std::vector<std::byte>& bytes = draft.problem.weights[name];
    const std::size_t row = bytes.size() / rows;
    std::memset(bytes.data() + row, 0, row);
    std::fill_n(weights.values.begin() + columns, columns, 0.0F);
  }
  return weights;
}

Wanted product(const Field& weights, const Integers& x, const Index& at) {
  Wanted sum;
  for (std::uint32_t c = 0; c < weights.shape.c; ++c) {
    const double term = weights.at(at.c, c) * x.at(at.w, c);
    sum.value += term;
    sum.magnitude += std::abs(term);
  }
  return sum;
}

using Form = graph::IntegerInput;

std::vector<graph::Tensor> input_of(Draft& draft, const Field& x, Form form) {
  if (form == Form::Fused) return {x.tensor};
  draft.problem.dispatches = 2;
  std::vector<graph::Tensor> integers = draft.builder.quantize_tokens(x.tensor, true);
  // As the pass stores them: in buffers.
  draft.adjust = [](graph::Graph& graph) {
    for (const graph::Node& node : graph.nodes()) {
      if (node.as<graph::QuantizeTokens>() == nullptr) continue;
      for (const graph::ValueId id : node.outputs) {
        graph::Value& value = graph.value(id);
        value.descriptor = TensorDescriptor{
            .shape = value.shape, .data_type = value.data_type, .layout = *find_layout("dhwbcc4", StorageKind::Buffer)};
      }
    }
  };
  return integers;
}

struct Matrix {
  std::uint32_t rows, columns;
};

void linear(Draft& draft, const Matrix& size, std::uint32_t rows, Form form, bool has_bias, Tail tail) {
  // Integers are summed without error, 32 columns at a time.
  draft.problem.arithmetic = {.sum = double(size.columns) / 32, .steps = 16, .divisions = 1};
  const Field x = tokens(draft, {.w = rows, .c = size.columns});
  const Integers integers = integers_of(x, draft.active_rows(x.shape));
  const Field weights = matrix(draft, "w", size.rows, size.columns);
  const Field bias = draft.constant("bias", {.c = size.rows});
  std::optional<graph::Tensor> added;
  if (has_bias) added = bias.tensor;
  draft.output(
      "y", draft.builder.integer_linear(input_of(draft, x, form), weights.tensor, added),
      [&](const Index& at) {
        Wanted sum = product(weights, integers, at);
        if (has_bias) sum = {sum.value + bias.at(0, at.c), sum.magnitude + std::abs(bias.at(0, at.c))};
        return sum;
      },
      tail);
}

void gated_linear(Draft& draft, const Matrix& size, std::uint32_t rows, Form form, bool has_biases, Tail tail) {
  // Integers are summed without error, 32 columns at a time.
  draft.problem.arithmetic = {.sum = double(size.columns) / 32, .steps = 16, .divisions = 1};
  const Field x = tokens(draft, {.w = rows, .c = size.columns});
  const Integers integers = integers_of(x, draft.active_rows(x.shape));
  const Field gate = matrix(draft, "gate", size.rows, size.columns);
  const Field up = matrix(draft, "up", size.rows, size.columns);
  const Field gate_bias = draft.constant("gate_bias", {.c = size.rows});
  const Field up_bias = draft.constant("up_bias", {.c = size.rows});
  std::vector<graph::Tensor> biases;
  if (has_biases) biases = {gate_bias.tensor, up_bias.tensor};
  const auto side = [&](const Field& weights, const Field& bias, const Index& at) {
    const Wanted sum = product(weights, integers, at);
    if (!has_biases) return sum;
    return Wanted{sum.value + bias.at(0, at.c), sum.magnitude + std::abs(bias.at(0, at.c))};
  };
  draft.output(
      "y",
      draft.builder.integer_gated_linear(input_of(draft, x, form), gate.tensor, up.tensor, graph::ElementOp::Relu,
                                         biases),
      [&](const Index& at) {
        const Wanted g = side(gate, gate_bias, at), u = side(up, up_bias, at);
        const double active = std::max(g.value, 0.0);
        return Wanted{active * u.value, g.magnitude * std::abs(u.value) + active * u.magnitude};
      },
      tail);
}

constexpr DataType integer_formats[] = {DataType::Q8_0, DataType::Q4_0, DataType::Q4_1, DataType::Q5_0,
                                        DataType::Q5_1, DataType::I8C,  DataType::I4C};

// The cases of both operations: what differs is the problem that `make` sets.
using Make = void (*)(Draft&, const Matrix&, std::uint32_t, Form, bool, Tail);

std::vector<Case> product_cases(const std::string& operation, Make make) {
  std::vector<Case> cases;
  const auto add = [&](const Setting& setting, const Matrix& size, std::uint32_t rows, Form form, bool has_bias,
                       Tail tail, bool everywhere) {
    cases.push_back({.operation = operation,
                     .name = fmt::format("{} x {} of {} rows {}{} {}", size.rows, size.columns, rows,
                                         graph::to_string(form), has_bias ? " bias" : "", to_string(tail)),
                     .setting = setting,
                     .packed = "weights",
                     .make = [=](Draft& draft) { make(draft, size, rows, form, has_bias, tail); },
                     .everywhere = everywhere});
  };
  for (const DataType format : integer_formats) {
    const bool is_chosen = format == DataType::Q8_0 || format == DataType::Q4_1 || format == DataType::I4C;
    // One token, its integers made by the kernel; one to a workgroup, some, more than a tile.
    add({.packed = format}, {35, 96}, 1, Form::Fused, true, Tail::SiluResidual, true);
    add({.packed = format}, {5, 32}, 1, Form::Fused, false, Tail::None, false);
    add({.packed = format, .max_tokens = 7, .tokens = 6}, {30, 64}, 7, Form::Packed, true, Tail::Residual, is_chosen);
    add({.packed = format, .max_tokens = 9, .tokens = 9, .position = 3}, {66, 32}, 9, Form::Packed, false, Tail::None,
        false);
    add({.packed = format, .max_tokens = 17, .tokens = 17}, {66, 160}, 17, Form::Packed, true, Tail::Silu, is_chosen);
    add({.packed = format, .max_tokens = 40, .tokens = 37}, {5, 96}, 40, Form::Packed, false, Tail::Residual, false);
    add({.packed = format, .max_tokens = 3, .tokens = 2}, {30, 64}, 3, Form::Packed, true, Tail::SiluResidual, false);
  }
  for (const Setting& way : every_way({}, integer_formats)) {
    if (way.packed != DataType::Q8_0) add(way, {7, 32}, 1, Form::Fused, true, Tail::None, false);
  }
  // What else is stored in images, and rows that are not the tokens.
  for (const StorageKind storage : every_storage) {
    for (const DataType type : activation_types) {
      const bool everywhere = type == DataType::F16 && storage == StorageKind::Texture2D;
      add({.storage = storage, .activation = type, .packed = DataType::Q8_0}, {30, 64}, 1, Form::Fused, true,
          Tail::Residual, everywhere);
      add({.storage = storage, .activation = type, .packed = DataType::Q8_0, .max_tokens = 3, .tokens = 2}, {30, 64}, 3,
          Form::Packed, true, Tail::Residual, everywhere);
      add({.storage = storage, .activation = type, .packed = DataType::Q8_0, .max_tokens = 20, .tokens = 18}, {30, 64},
          20, Form::Packed, false, Tail::Silu, false);
    }
  }
  add({.packed = DataType::Q8_0, .max_tokens = 3, .tokens = 2}, {6, 32}, 6, Form::Packed, false, Tail::None, false);
  add({.packed = DataType::Q8_0}, {6, 32}, 5, Form::Packed, false, Tail::None, false);
  return cases;
}

}  // namespace

std::vector<Case> quantize_tokens_cases() {
  std::vector<Case> cases;
  const auto add_form = [&](const Setting& setting, std::uint32_t channels, bool everywhere, bool packed) {
    cases.push_back(
        {.operation = "quantize-tokens",
         .name = fmt::format("{} channels{}", channels, packed ? " packed" : ""),
         .setting = setting,
         .packed = "",
         .make =
             [=](Draft& draft) {
               draft.problem.arithmetic.divisions = 1;
               const Field x = tokens(draft, {.w = setting.max_tokens, .c = channels});
               const Integers integers = integers_of(x, setting.tokens);
               if (!packed) {
                 const graph::Tensor rounded = draft.builder.quantize_tokens(x.tensor, false)[0];
                 draft.output("rounded", rounded, [&](const Index& at) { return exactly(integers.at(at.w, at.c)); });
                 return;
               }
               const std::vector<graph::Tensor> made = draft.builder.quantize_tokens(x.tensor, true);
               draft.output("scales", made[1],
                            [&](const Index& at) { return exactly(integers.scales[integers.chunk(at.w, 32 * at.c)]); });
               draft.output("sums", made[2], [&](const Index& at) {
                 const std::size_t chunk = integers.chunk(at.w, 32 * at.c);
                 return exactly(integers.scales[chunk] * integers.sums[chunk]);
               });
             },
         .everywhere = everywhere});
  };
  const auto add = [&](const Setting& setting, std::uint32_t channels, bool everywhere) {
    for (const bool packed : {false, true}) add_form(setting, channels, everywhere, packed);
  };
  for (const std::uint32_t channels : {1U, 2U, 3U, 4U, 5U, 30U, 66U, 300U, 1100U}) {
    add({.max_tokens = 7, .tokens = 6}, channels, channels == 5 || channels == 66);
    add({}, channels, channels == 300);
  }
  for (const StorageKind storage : every_storage) {
    for (const DataType type : activation_types) {
      add({.storage = storage, .activation = type, .max_tokens = 5, .tokens = 4}, 18, type == DataType::F16);
    }
  }
  return cases;
}

std::vector<Case> integer_linear_cases() { return product_cases("integer-linear", linear); }
std::vector<Case> integer_gated_linear_cases() { return product_cases("integer-gated-linear", gated_linear); }

}  // namespace driftwood::conformance
