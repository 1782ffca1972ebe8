// linear and gated-linear, by the kernels for wide registers and by those for many lanes.
#include <fmt/format.h>

#include "conformance/case.h"

namespace driftwood::conformance {
namespace {

Wanted product(const Field& weights, const Field& x, const Index& at) {
  Wanted sum;
  for (std::uint32_t c = 0; c < weights.shape.c; ++c) {
    const double term = weights.at(at.c, c) * x.at(at.b, at.h, at.w, c);
    sum.value += term;
    sum.magnitude += std::abs(term);
  }
  return sum;
}

struct Matrix {
  std::uint32_t rows, columns;
};

// A weight takes a few steps to decode.
Arithmetic product_of(std::uint32_t columns) { return {.sum = double(columns), .steps = 8}; }
Arithmetic norm_product_of(std::uint32_t columns) {
  return {.sum = 2.0 * columns, .steps = 12, .inverse_roots = 1, .divisions = 1};
}
Arithmetic gated_product_of(std::uint32_t columns, bool has_norm) {
  Arithmetic arithmetic = has_norm ? norm_product_of(columns) : product_of(columns);
  arithmetic.steps += 4;
  ++arithmetic.exponentials;
  ++arithmetic.divisions;
  return arithmetic;
}

void linear(Draft& draft, const Matrix& matrix, const Shape& positions, bool has_bias, Tail tail) {
  draft.problem.arithmetic = product_of(matrix.columns);
  Shape shape = positions;
  shape.c = matrix.columns;
  const Field x = draft.input("x", shape);
  const Field weights = draft.weights("w", matrix.rows, matrix.columns);
  const Field bias = draft.constant("bias", {.c = matrix.rows});
  std::optional<graph::Tensor> added;
  if (has_bias) added = bias.tensor;
  draft.output(
      "y", draft.builder.linear(x.tensor, weights.tensor, added),
      [&](const Index& at) {
        Wanted sum = product(weights, x, at);
        if (has_bias) sum = {sum.value + bias.at(0, at.c), sum.magnitude + std::abs(bias.at(0, at.c))};
        return sum;
      },
      tail);
}

void gated_linear(Draft& draft, const Matrix& matrix, const Shape& positions, bool has_biases,
                  graph::ElementOp activation, Tail tail) {
  draft.problem.arithmetic = gated_product_of(matrix.columns, false);
  Shape shape = positions;
  shape.c = matrix.columns;
  const Field x = draft.input("x", shape);
  const Field gate = draft.weights("gate", matrix.rows, matrix.columns);
  const Field up = draft.weights("up", matrix.rows, matrix.columns);
  const Field gate_bias = draft.constant("gate_bias", {.c = matrix.rows});
  const Field up_bias = draft.constant("up_bias", {.c = matrix.rows});
  const graph::Tensor y = has_biases ? draft.builder.gated_linear(x.tensor, gate.tensor, gate_bias.tensor, up.tensor,
                                                                  up_bias.tensor, activation)
                                     : draft.builder.gated_linear(x.tensor, gate.tensor, up.tensor, activation);
  const auto side = [&](const Field& weights, const Field& bias, const Index& at) {
    const Wanted sum = product(weights, x, at);
    if (!has_biases) return sum;
    return Wanted{sum.value + bias.at(0, at.c), sum.magnitude + std::abs(bias.at(0, at.c))};
  };
  draft.output(
      "y", y,
      [&](const Index& at) {
        const Wanted g = side(gate, gate_bias, at), u = side(up, up_bias, at);
        const double active =
            activation == graph::ElementOp::Silu ? g.value / (1 + std::exp(-g.value)) : std::max(g.value, 0.0);
        return Wanted{active * u.value, 1.1 * g.magnitude * std::abs(u.value) + std::abs(active) * u.magnitude};
      },
      tail);
}

// An RMS norm and a product of few tokens, which one kernel does.
struct Norm {
  static constexpr float epsilon = 1e-2F;
  Norm(Draft& draft, const Matrix& matrix, std::uint32_t rows)
      : x(draft.input("x", {.w = rows, .c = matrix.columns})),
        gamma(draft.constant("gamma", {.c = matrix.columns})),
        normed(draft.builder.rms_norm(x.tensor, gamma.tensor, epsilon)) {}

  Wanted product(const Field& weights, const Index& at) const {
    double squares = 0;
    Wanted sum;
    for (std::uint32_t c = 0; c < x.shape.c; ++c) {
      const double value = x.at(at.w, c), term = weights.at(at.c, c) * gamma.at(0, c) * value;
      squares += value * value;
      sum = {sum.value + term, sum.magnitude + std::abs(term)};
    }
    const double factor = 1 / std::sqrt(squares / x.shape.c + epsilon);
    return {sum.value * factor, sum.magnitude * factor};
  }

  Field x, gamma;
  graph::Tensor normed;
};

void norm_linear(Draft& draft, const Matrix& matrix, std::uint32_t tokens, bool has_bias, Tail tail) {
  draft.problem.arithmetic = norm_product_of(matrix.columns);
  const Norm norm(draft, matrix, tokens);
  const Field weights = draft.weights("w", matrix.rows, matrix.columns);
  const Field bias = draft.constant("bias", {.c = matrix.rows});
  std::optional<graph::Tensor> added;
  if (has_bias) added = bias.tensor;
  draft.output(
      "y", draft.builder.linear(norm.normed, weights.tensor, added),
      [&](const Index& at) {
        const Wanted sum = norm.product(weights, at);
        if (!has_bias) return sum;
        return Wanted{sum.value + bias.at(0, at.c), sum.magnitude + std::abs(bias.at(0, at.c))};
      },
      tail);
}

void norm_gated_linear(Draft& draft, const Matrix& matrix, std::uint32_t tokens, bool has_biases, Tail tail) {
  draft.problem.arithmetic = gated_product_of(matrix.columns, true);
  const Norm norm(draft, matrix, tokens);
  const Field gate = draft.weights("gate", matrix.rows, matrix.columns);
  const Field up = draft.weights("up", matrix.rows, matrix.columns);
  const Field bias = draft.constant("bias", {.c = matrix.rows});
  graph::Builder& b = draft.builder;
  const graph::Tensor y =
      has_biases ? b.gated_linear(norm.normed, gate.tensor, bias.tensor, up.tensor, bias.tensor, graph::ElementOp::Silu)
                 : b.gated_linear(norm.normed, gate.tensor, up.tensor, graph::ElementOp::Silu);
  const auto side = [&](const Field& weights, const Index& at) {
    const Wanted sum = norm.product(weights, at);
    if (!has_biases) return sum;
    return Wanted{sum.value + bias.at(0, at.c), sum.magnitude + std::abs(bias.at(0, at.c))};
  };
  draft.output(
      "y", y,
      [&](const Index& at) {
        const Wanted g = side(gate, at), u = side(up, at);
        const double active = g.value / (1 + std::exp(-g.value));
        return Wanted{active * u.value, 1.1 * g.magnitude * std::abs(u.value) + std::abs(active) * u.magnitude};
      },
      tail);
}

constexpr DataType formats_everywhere[] = {DataType::F32,  DataType::F16,  DataType::Q4_0, DataType::Q4_1,
                                           DataType::Q8_0, DataType::Q4_K, DataType::Q6_K};

bool is_everywhere(DataType format) {
  return std::find(std::begin(formats_everywhere), std::end(formats_everywhere), format) !=
         std::end(formats_everywhere);
}

// Every format; edges of rows and columns; as many columns as many invocations share, more than workgroup memory holds;
// bias, epilogue, storages.
void add_norm_cases(std::vector<Case>& cases, bool is_gated) {
  const auto add = [&](const Setting& setting, const Matrix& matrix, std::uint32_t tokens, bool has_bias, Tail tail,
                       bool everywhere) {
    const std::string name = fmt::format("{} x {} of {} positions after a norm{} {}", matrix.rows, matrix.columns,
                                         tokens, has_bias ? " bias" : "", to_string(tail));
    const auto make = is_gated ? norm_gated_linear : norm_linear;
    cases.push_back({.operation = is_gated ? "gated-linear" : "linear",
                     .name = name,
                     .setting = setting,
                     .packed = "weights",
                     .make = [=](Draft& draft) { make(draft, matrix, tokens, has_bias, tail); },
                     .everywhere = everywhere});
  };
  for (const DataType format : formats) {
    const std::uint32_t block = std::max<std::uint32_t>(info(format).block_length, 32);
    add({.packed = format}, {37, 3 * block}, 1, false, Tail::Residual, format == DataType::Q4_0);
    add({.packed = format, .max_tokens = 4, .tokens = 3}, {5, block}, 4, true, Tail::None, format == DataType::Q4_1);
  }
  for (const std::uint32_t tokens : {1U, 2U, 3U, 4U}) {
    for (const std::uint32_t columns : edge_channels) {
      add({.max_tokens = tokens, .tokens = tokens}, {tokens == 2 ? 66U : 5U, columns}, tokens, false, Tail::None,
          tokens == 2 && columns == 30);
    }
  }
  add({.packed = DataType::F16}, {5, 2100}, 1, false, Tail::Residual, true);
  add({.max_tokens = 4, .tokens = 3}, {3, 4410}, 4, false, Tail::None, !is_gated);
  add({.packed = DataType::F16}, {520, 36}, 1, true, Tail::SiluResidual, false);
  add({.max_tokens = 3, .tokens = 2}, {6, 36}, 2, false, Tail::Residual, false);
  for (const StorageKind storage : every_storage) {
    for (const DataType type : activation_types) {
      const Setting setting{.storage = storage, .activation = type, .packed = DataType::Q4_0};
      add(setting, {30, 64}, 1, true, Tail::SiluResidual, type == DataType::F16 && storage == StorageKind::Texture2D);
    }
  }
}

}  // namespace

std::vector<Case> linear_cases() {
  std::vector<Case> cases;
  const auto add_image = [&](const Setting& setting, const Matrix& matrix, const Shape& positions, bool has_bias,
                             Tail tail, bool everywhere) {
    cases.push_back({.operation = "linear",
                     .name = fmt::format("{} x {} of {} positions{} {}", matrix.rows, matrix.columns,
                                         to_string(positions), has_bias ? " bias" : "", to_string(tail)),
                     .setting = setting,
                     .packed = "weights",
                     .make = [=](Draft& draft) { linear(draft, matrix, positions, has_bias, tail); },
                     .everywhere = everywhere});
  };
  const auto add = [&](const Setting& setting, const Matrix& matrix, std::uint32_t tokens, bool has_bias, Tail tail,
                       bool everywhere) { add_image(setting, matrix, {.w = tokens}, has_bias, tail, everywhere); };
  // Every format, at the edges of tiles, rows and columns.
  for (const DataType format : formats) {
    const std::uint32_t block = std::max<std::uint32_t>(info(format).block_length, 32);
    for (const std::uint32_t most : {1U, 2U, 7U, 8U, 9U, 17U}) {
      const Setting setting{.packed = format, .max_tokens = most, .tokens = most};
      add(setting, {most == 8 ? 66U : 5U, block}, most, false, Tail::None,
          most == 8 && (format == DataType::Q4_0 || format == DataType::Q6_K));
    }
    add({.packed = format, .max_tokens = 17, .tokens = 9, .position = 3}, {30, 3 * block}, 17, true, Tail::None, false);
    add({.packed = format, .max_tokens = 1, .tokens = 1}, {35, 2 * block}, 1, true, Tail::SiluResidual,
        is_everywhere(format));
  }
  // Odd numbers of columns and rows.
  for (const DataType format : {DataType::F32, DataType::F16}) {
    for (const std::uint32_t columns : edge_channels) {
      for (const std::uint32_t rows : edge_channels) {
        add({.packed = format, .max_tokens = 3, .tokens = 2}, {rows, columns}, 3, rows == 5, Tail::None,
            rows == 5 && columns == 30 && format == DataType::F16);
      }
    }
  }
  // Every storage and epilogue.
  for (const StorageKind storage : every_storage) {
    for (const DataType type : activation_types) {
      for (const DataType format : formats) {
        const std::uint32_t columns = std::max<std::uint32_t>(info(format).block_length, 64);
        const bool is_chosen = format == DataType::F32 || format == DataType::Q4_0;
        for (const bool has_bias : {false, true}) {
          for (const Tail tail : {Tail::None, Tail::Silu, Tail::Residual, Tail::SiluResidual}) {
            if (!is_chosen && (!has_bias || tail != Tail::SiluResidual)) continue;
            const Setting setting{
                .storage = storage, .activation = type, .packed = format, .max_tokens = 3, .tokens = 2, .position = 2};
            const bool everywhere = format == DataType::Q4_0 && has_bias && tail == Tail::SiluResidual &&
                                    (type == DataType::F16 || storage == StorageKind::Buffer);
            add(setting, {30, columns}, 3, has_bias, tail, everywhere);
          }
        }
      }
    }
  }
  // Rows that are not the tokens: several a token, none of them, a graph without tokens.
  add({.max_tokens = 3, .tokens = 2}, {6, 36}, 6, false, Tail::Residual, false);
  add({.max_tokens = 8, .tokens = 2}, {6, 36}, 1, false, Tail::Residual, false);
  add({.max_tokens = 8, .tokens = 2}, {6, 36}, 3, false, Tail::None, false);
  add({}, {6, 36}, 5, false, Tail::Silu, false);
  // Positions of images, and of several texts.
  for (const DataType format : formats) {
    const std::uint32_t block = std::max<std::uint32_t>(info(format).block_length, 32);
    add_image({.packed = format}, {35, 2 * block}, {.b = 2, .h = 3, .w = 5}, true, Tail::SiluResidual,
              format == DataType::F16);
  }
  for (const StorageKind storage : every_storage) {
    for (const DataType type : activation_types) {
      const Setting setting{.storage = storage, .activation = type, .packed = DataType::F16};
      add_image(setting, {22, 37}, {.b = 2, .h = 3, .w = 7}, true, Tail::Residual, type == DataType::F16);
    }
  }
  add_image({.packed = DataType::F16, .max_tokens = 9, .tokens = 7}, {18, 36}, {.b = 2, .w = 9}, true, Tail::Silu,
            true);
  add_image({.max_tokens = 40, .tokens = 33}, {70, 36}, {.w = 40}, true, Tail::None, false);
  // What goes through the pipeline of a workgroup: whole steps of 64 columns, rows and tokens of parts of tiles.
  for (const DataType format : {DataType::Q4_0, DataType::Q8_0, DataType::F16}) {
    add({.activation = DataType::F16, .packed = format, .max_tokens = 40, .tokens = 33}, {150, 128}, 40, true,
        format == DataType::Q8_0 ? Tail::SiluResidual : Tail::Residual, true);
  }
  for (const DataType format :
       {DataType::Q4_1, DataType::Q4_K, DataType::Q5_K, DataType::Q6_K, DataType::I8C, DataType::I4C}) {
    add({.activation = DataType::F16, .packed = format, .max_tokens = 40, .tokens = 33}, {70, 512}, 40, true,
        Tail::Residual, format == DataType::Q4_K || format == DataType::Q6_K);
  }
  // Its widest tiles, which the rules take for many more rows.
  static const graph::NodeChoice widest{.kernel = "linear-pipeline", .values = {{"tokens", 256}}};
  for (const DataType format : {DataType::Q4_0, DataType::F16}) {
    add({.activation = DataType::F16, .packed = format, .max_tokens = 260, .tokens = 250, .choice = &widest}, {36, 64},
        260, true, Tail::None, true);
  }
  add_norm_cases(cases, false);
  return cases;
}

std::vector<Case> gated_linear_cases() {
  std::vector<Case> cases;
  const auto add_image = [&](const Setting& setting, const Matrix& matrix, const Shape& positions, bool has_biases,
                             graph::ElementOp activation, Tail tail, bool everywhere) {
    cases.push_back(
        {.operation = "gated-linear",
         .name = fmt::format("{} x {} of {} positions{}, {} {}", matrix.rows, matrix.columns, to_string(positions),
                             has_biases ? " biases" : "", graph::info(activation).name, to_string(tail)),
         .setting = setting,
         .packed = "weights",
         .make = [=](Draft& draft) { gated_linear(draft, matrix, positions, has_biases, activation, tail); },
         .everywhere = everywhere});
  };
  const auto add = [&](const Setting& setting, const Matrix& matrix, std::uint32_t tokens, graph::ElementOp activation,
                       Tail tail, bool everywhere) {
    add_image(setting, matrix, {.w = tokens}, false, activation, tail, everywhere);
  };
  using enum graph::ElementOp;
  for (const DataType format : formats) {
    const std::uint32_t block = std::max<std::uint32_t>(info(format).block_length, 32);
    for (const std::uint32_t most : {1U, 2U, 7U, 8U, 9U, 17U}) {
      add({.packed = format, .max_tokens = most, .tokens = most}, {most == 8 ? 66U : 5U, block}, most, Silu, Tail::None,
          false);
    }
    add({.packed = format, .max_tokens = 9, .tokens = 8, .position = 3}, {35, 2 * block}, 9, Relu, Tail::Residual,
        format == DataType::Q4_1 || format == DataType::Q6_K);
  }
  for (const DataType format : {DataType::F32, DataType::F16}) {
    for (const std::uint32_t columns : edge_channels) {
      for (const std::uint32_t rows : edge_channels) {
        add({.packed = format, .max_tokens = 3, .tokens = 2}, {rows, columns}, 3, Silu, Tail::None,
            rows == 5 && columns == 66 && format == DataType::F32);
      }
    }
  }
  for (const StorageKind storage : every_storage) {
    for (const DataType type : activation_types) {
      for (const DataType format : formats) {
        const std::uint32_t columns = std::max<std::uint32_t>(info(format).block_length, 64);
        const Setting setting{.storage = storage, .activation = type, .packed = format, .max_tokens = 3, .tokens = 2};
        const bool everywhere = format == DataType::Q8_0 && type == DataType::F16;
        add(setting, {30, columns}, 3, Silu, Tail::SiluResidual, everywhere);
      }
    }
  }
  add({.max_tokens = 3, .tokens = 2}, {6, 36}, 6, Silu, Tail::Residual, false);
  add({.activation = DataType::F16, .packed = DataType::Q4_0, .max_tokens = 40, .tokens = 33}, {70, 128}, 40, Silu,
      Tail::None, true);
  add({}, {6, 36}, 5, Silu, Tail::None, false);
  for (const DataType format : formats) {
    const std::uint32_t block = std::max<std::uint32_t>(info(format).block_length, 32);
    const Setting setting{.packed = format};
    add_image(setting, {35, 2 * block}, {.b = 2, .h = 3, .w = 5}, true, Relu, Tail::Residual, format == DataType::F16);
    add_image(setting, {35, block}, {.w = 3}, true, Silu, Tail::None, format == DataType::F16);
  }
  for (const StorageKind storage : every_storage) {
    for (const DataType type : activation_types) {
      const Setting setting{.storage = storage, .activation = type, .packed = DataType::F16};
      add_image(setting, {22, 37}, {.b = 2, .h = 3, .w = 7}, true, Silu, Tail::Silu,
                type == DataType::F16 && (storage == StorageKind::Buffer || storage == StorageKind::Texture2D));
    }
  }
  add_image({.packed = DataType::F16, .max_tokens = 9, .tokens = 7}, {18, 36}, {.b = 2, .w = 9}, false, Silu,
            Tail::None, false);
  add_image({.max_tokens = 40, .tokens = 33}, {70, 36}, {.w = 40}, true, Silu, Tail::None, false);
  add_norm_cases(cases, true);
  return cases;
}

}  // namespace driftwood::conformance
