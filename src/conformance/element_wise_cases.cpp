// Element-wise operations as kernels of their own.
#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "conformance/case.h"

namespace driftwood::conformance {
namespace {

using graph::ElementOp;

struct Definition {
  ElementOp op;
  bool is_positive;  // of inputs above zero alone
  double (*of)(double a, double b);
};

double gelu_tanh(double a, double) {
  return 0.5 * a * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (a + 0.044715 * a * a * a)));
}

// The constants of scale, offset and clamp.
constexpr float first = -0.75F, second = 1.25F;

constexpr Definition definitions[] = {
    {ElementOp::Add, false, [](double a, double b) { return a + b; }},
    {ElementOp::Subtract, false, [](double a, double b) { return a - b; }},
    {ElementOp::Multiply, false, [](double a, double b) { return a * b; }},
    {ElementOp::Divide, true, [](double a, double b) { return a / b; }},
    {ElementOp::Minimum, false, [](double a, double b) { return std::min(a, b); }},
    {ElementOp::Maximum, false, [](double a, double b) { return std::max(a, b); }},
    {ElementOp::Negate, false, [](double a, double) { return -a; }},
    {ElementOp::Absolute, false, [](double a, double) { return std::abs(a); }},
    {ElementOp::Square, false, [](double a, double) { return a * a; }},
    {ElementOp::Sqrt, true, [](double a, double) { return std::sqrt(a); }},
    {ElementOp::InverseSqrt, true, [](double a, double) { return 1 / std::sqrt(a); }},
    {ElementOp::Exp, false, [](double a, double) { return std::exp(a); }},
    {ElementOp::Log, true, [](double a, double) { return std::log(a); }},
    {ElementOp::Tanh, false, [](double a, double) { return std::tanh(a); }},
    {ElementOp::Sigmoid, false, [](double a, double) { return 1 / (1 + std::exp(-a)); }},
    {ElementOp::Relu, false, [](double a, double) { return std::max(a, 0.0); }},
    {ElementOp::Silu, false, [](double a, double) { return a / (1 + std::exp(-a)); }},
    {ElementOp::GeluErf, false, [](double a, double) { return 0.5 * a * (1 + std::erf(a / std::numbers::sqrt2)); }},
    {ElementOp::GeluTanh, false, gelu_tanh},
    {ElementOp::GeluQuick, false, [](double a, double) { return a / (1 + std::exp(-1.702 * a)); }},
    {ElementOp::Scale, false, [](double a, double) { return a * first; }},
    {ElementOp::Offset, false, [](double a, double) { return a + first; }},
    {ElementOp::Clamp, false, [](double a, double) { return std::clamp<double>(a, first, second); }},
};

// Activations of several steps are polynomials, an exponential and a division.
Arithmetic arithmetic_of(ElementOp op) {
  switch (op) {
    case ElementOp::Divide: return {.divisions = 1};
    case ElementOp::Sqrt: return {.roots = 1};
    case ElementOp::InverseSqrt: return {.inverse_roots = 1};
    case ElementOp::Exp: return {.exponentials = 1};
    case ElementOp::Log: return {.logarithms = 1};
    case ElementOp::Tanh:
    case ElementOp::Sigmoid:
    case ElementOp::Silu:
    case ElementOp::GeluQuick: return {.steps = 8, .exponentials = 1, .divisions = 1};
    case ElementOp::GeluErf:
    case ElementOp::GeluTanh: return {.steps = 20, .exponentials = 1, .divisions = 1};
    default: return {};
  }
}

void element_wise(Draft& draft, const Definition& definition, const Shape& left, const Shape& right, Tail tail) {
  draft.problem.arithmetic = arithmetic_of(definition.op);
  const float low = definition.is_positive ? 0.3F : -2.0F;
  const Field a = draft.input("a", left, low);
  std::optional<Field> b;
  std::optional<graph::Tensor> y;
  if (graph::info(definition.op).operands == 2) {
    b = draft.input("b", right, low);
    y = draft.builder.binary(definition.op, a.tensor, b->tensor);
  } else {
    y = draft.builder.unary(definition.op, a.tensor, {first, second});
  }
  const auto at_broadcast = [](const Field& field, const Index& at) {
    const Shape& shape = field.shape;
    return field.at(shape.b == 1 ? 0 : at.b, shape.h == 1 ? 0 : at.h, shape.w == 1 ? 0 : at.w, shape.c == 1 ? 0 : at.c);
  };
  draft.output(
      "y", *y,
      [&](const Index& at) {
        const double l = at_broadcast(a, at), r = b ? at_broadcast(*b, at) : 0;
        const double value = definition.of(l, r);
        return Wanted{value, std::abs(value) + std::abs(l) + std::abs(r)};
      },
      tail);
}

// Many operations in one kernel: what fusion makes of a chain.
void chain(Draft& draft, const Shape& shape) {
  draft.problem.arithmetic = {.steps = 40, .exponentials = 6, .divisions = 6};
  const Field x = draft.input("x", shape), r = draft.input("r", shape);
  const Field scale = draft.constant("scale", {.c = shape.c});
  graph::Builder& b = draft.builder;
  const graph::Tensor product = b.multiply(b.gelu_tanh(x.tensor), scale.tensor);
  const graph::Tensor other = b.unary(ElementOp::Tanh, b.gelu_erf(b.subtract(r.tensor, x.tensor)));
  const graph::Tensor y = b.clamp(b.divide(product, b.offset(b.unary(ElementOp::Exp, other), 1)), -1, 1.5F);
  draft.output("y", b.silu(b.maximum(y, b.gelu_quick(r.tensor))), [&](const Index& at) {
    const double l = x.at(at.b, at.h, at.w, at.c), right = r.at(at.b, at.h, at.w, at.c);
    const double d = right - l, erf = 0.5 * d * (1 + std::erf(d / std::numbers::sqrt2));
    const double clamped = std::clamp(gelu_tanh(l, 0) * scale.at(0, at.c) / (std::exp(std::tanh(erf)) + 1), -1.0, 1.5);
    const double largest = std::max(clamped, right / (1 + std::exp(-1.702 * right)));
    return Wanted{largest / (1 + std::exp(-largest)), 4};
  });
}

}  // namespace

std::vector<Case> element_wise_cases() {
  std::vector<Case> cases;
  const auto add = [&](const Setting& setting, const Definition& definition, const Shape& left, const Shape& right,
                       Tail tail, bool everywhere) {
    cases.push_back({.operation = "element-wise",
                     .name = fmt::format("{} {} {} {}", graph::info(definition.op).name, to_string(left),
                                         to_string(right), to_string(tail)),
                     .setting = setting,
                     .packed = {},
                     .make = [=](Draft& draft) { element_wise(draft, definition, left, right, tail); },
                     .everywhere = everywhere});
  };
  for (const Definition& definition : definitions) {
    for (const DataType type : activation_types) {
      for (const std::uint32_t channels : edge_channels) {
        const Shape shape{.w = 5, .c = channels};
        add({.activation = type, .max_tokens = 5, .tokens = 3}, definition, shape, shape, Tail::None, false);
      }
    }
  }
  for (const StorageKind storage : every_storage) {
    for (const DataType type : activation_types) {
      const Setting setting{.storage = storage, .activation = type, .max_tokens = 4, .tokens = 3};
      const Shape whole{.b = 2, .h = 3, .w = 4, .c = 7};
      const bool is_buffer = storage == StorageKind::Buffer && type == DataType::F32;
      for (const Shape& other :
           {Shape{.b = 2, .h = 3, .w = 4, .c = 1}, Shape{.c = 7}, Shape{.h = 3, .c = 7}, Shape{.w = 4}, Shape{}}) {
        add(setting, definitions[0], whole, other, Tail::None, false);
        add(setting, definitions[5], other, whole, Tail::Silu, is_buffer && other.c == 1 && other.w == 4);
      }
      for (const std::uint32_t channels : edge_channels) {
        for (const std::uint32_t height : {1U, 2U}) {
          const Shape shape{.h = height, .w = 8, .c = channels};  // two rows a token
          cases.push_back({.operation = "element-wise",
                           .name = fmt::format("chain {}", to_string(shape)),
                           .setting = setting,
                           .packed = {},
                           .make = [=](Draft& draft) { chain(draft, shape); },
                           .everywhere = channels == 5 && height == 2 && (is_buffer || type == DataType::F16)});
        }
      }
    }
  }
  return cases;
}

}  // namespace driftwood::conformance
