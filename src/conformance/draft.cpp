#include <fmt/format.h>

#include <limits>

#include "base/half.h"
#include "conformance/case.h"
#include "conformance/quantized_cache.h"
#include "conformance/random_blocks.h"
#include "graph/storage_choice.h"
#include "tensor/packed_weights.h"

namespace driftwood::conformance {

std::string_view to_string(Tail tail) {
  switch (tail) {
    case Tail::None: return "";
    case Tail::Silu: return "silu";
    case Tail::Residual: return "residual";
    case Tail::SiluResidual: return "silu and residual";
  }
  return "";
}

std::vector<float> Draft::random_values(std::size_t count, DataType type, float low, float high) {
  std::uniform_real_distribution<float> range(low, high);
  std::vector<float> values(count);
  for (float& value : values) {
    value = range(random_);
    if (type == DataType::F16) value = half_to_float(float_to_half(value));
  }
  return values;
}

std::uint32_t Draft::active_rows(const Shape& shape) const {
  if (shape.w % setting.max_tokens != 0) return shape.w;
  return shape.w / setting.max_tokens * setting.tokens;
}

Field Draft::input(const std::string& name, const Shape& shape, float low, float high) {
  Field field{builder.input(name, shape, setting.activation), shape,
              random_values(shape.elements(), setting.activation, low, high)};
  const std::uint32_t active = active_rows(shape);
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    if (i / shape.c / shape.d % shape.w >= active) field.values[i] = std::numeric_limits<float>::quiet_NaN();
  }
  problem.contents[name] = field.values;
  return field;
}

Field Draft::constant(const std::string& name, const Shape& shape, float low, float high) {
  std::vector<float> values = random_values(shape.elements(), DataType::F32, low, high);
  return {builder.constant(name, shape, values), shape, values};
}

Field Draft::cache(const std::string& name, const Shape& shape, std::uint32_t filled) {
  if (setting.cache_type() == DataType::Q8_0) {
    const std::vector<std::uint32_t>& words = problem.words[name] = random_cache(shape, filled, random_);
    return {builder.state(name, shape, setting.cache_type()), shape, dequantized_rows(shape.c, words, shape.c)};
  }
  Field field{builder.state(name, shape, setting.cache_type()), shape,
              random_values(shape.elements(), setting.cache_type(), -2, 2)};
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    if (i / shape.c % shape.w >= filled) field.values[i] = std::numeric_limits<float>::quiet_NaN();
  }
  problem.contents[name] = field.values;
  return field;
}

Field Draft::weights(const std::string& name, std::uint32_t rows, std::uint32_t columns) {
  const DataType format = setting.packed;
  std::vector<std::byte> bytes =
      random_rows(format, rows, columns, random_, info(format).block_length == 256 ? 0.0005F : 0.02F);
  if (format == DataType::F32 || format == DataType::F16) {
    for (std::size_t i = 0; i < std::size_t{rows} * columns; ++i) {
      const float value = std::uniform_real_distribution<float>(-1, 1)(random_);
      if (format == DataType::F32) std::memcpy(&bytes[4 * i], &value, 4);
      const std::uint16_t half = float_to_half(value);
      if (format == DataType::F16) std::memcpy(&bytes[2 * i], &half, 2);
    }
  }
  Field field{builder.weights({.format = format, .columns = columns, .blocks = {{name, rows}}}),
              Shape{.w = rows, .c = columns}, std::vector<float>(std::size_t{rows} * columns)};
  decode_rows(format, columns, bytes, field.values);
  problem.weights[name] = std::move(bytes);
  return field;
}

graph::Tensor Draft::ids(std::uint32_t vocabulary) {
  for (std::uint32_t t = 0; t < setting.max_tokens; ++t) {
    problem.ids.push_back(t < setting.tokens ? static_cast<std::uint32_t>(random_() % vocabulary) : 0);
  }
  return builder.ids("ids");
}

void Draft::expect(const std::string& name, const Shape& shape, const Rule& rule) {
  if (!computes_) return;
  Expected expected{.name = name, .elements = {}};
  if (setting.is_idle) {
    expected.elements.assign(shape.elements(), {.is_written = false});
    problem.expected.push_back(std::move(expected));
    return;
  }
  for (std::uint32_t b = 0; b < shape.b; ++b) {
    for (std::uint32_t h = 0; h < shape.h; ++h) {
      for (std::uint32_t w = 0; w < shape.w; ++w) {
        for (std::uint32_t c = 0; c < shape.c; ++c) expected.elements.push_back(rule({b, h, w, c}));
      }
    }
  }
  problem.expected.push_back(std::move(expected));
}

void Draft::output(const std::string& name, const graph::Tensor& tensor, const Rule& rule, Tail tail) {
  const Shape shape = tensor.shape();
  const bool has_residual = tail == Tail::Residual || tail == Tail::SiluResidual;
  const bool has_silu = tail == Tail::Silu || tail == Tail::SiluResidual;
  graph::Tensor result = tensor;
  if (has_silu) {
    result = builder.silu(result);
    ++problem.arithmetic.exponentials;
    ++problem.arithmetic.divisions;
    problem.arithmetic.steps += 2;
  }
  std::optional<Field> residual;
  if (has_residual) {
    residual = input(name + ".residual", shape);
    result = builder.add(result, residual->tensor);
    ++problem.arithmetic.steps;
  }
  builder.output(name, result, setting.activation);
  const std::uint32_t active = active_rows(shape);
  expect(name, shape, [&](const Index& at) {
    if (at.w >= active) return Wanted{.is_written = false};
    Wanted wanted = rule(at);
    if (has_silu) {
      // The slope of silu is at most 1.1.
      wanted = {wanted.value / (1 + std::exp(-wanted.value)), 1.1 * wanted.magnitude};
    }
    if (has_residual) {
      const double term = residual->at(at.b, at.h, at.w, at.c);
      wanted = {wanted.value + term, wanted.magnitude + std::abs(term)};
    }
    return wanted;
  });
}

void Draft::state(const std::string& name, const Shape& shape, const Rule& rule) {
  expect(name, shape, rule);
  if (!computes_ || setting.cache_type() != DataType::Q8_0) return;
  std::vector<Wanted>& elements = problem.expected.back().elements;
  for (std::size_t row = 0; row < elements.size(); row += shape.c) {
    for (std::uint32_t first = 0; first < shape.c; first += graph::cache_block_length) {
      const std::span block(&elements[row + first], std::min(graph::cache_block_length, shape.c - first));
      double largest = 0;
      for (const Wanted& wanted : block) largest = std::max(largest, std::abs(wanted.value));
      for (Wanted& wanted : block) wanted.slack = largest / 254 * 1.0001;
    }
  }
}

Problem Draft::finish() && {
  problem.graph = std::move(builder).build();
  if (adjust) adjust(problem.graph);
  problem.parameters = {.tokens = setting.tokens, .position = setting.position};
  problem.is_idle = setting.is_idle;
  // The grids as they were recorded.
  if (setting.is_idle) problem.parameters = {.tokens = setting.max_tokens, .position = 0};
  return std::move(problem);
}

std::string describe(const Case& c) {
  const Setting& s = c.setting;
  std::string text = fmt::format("{}: {}, {} of {} tokens at {}, {} in {}", c.operation, c.name, s.tokens, s.max_tokens,
                                 s.position, to_string(s.activation), driftwood::to_string(s.storage));
  if (s.is_idle) text += ", nothing to do";
  if (s.choice != nullptr) text += ", " + to_string(*s.choice);
  if (!c.packed.empty()) text += fmt::format(", {} {}", to_string(s.packed), c.packed);
  return text;
}

namespace {

// Why a device cannot hold a tensor of that kind, as a sentence without the tensor's own size where it has none at all.
std::string refusal_of(const TensorDescriptor& wanted, const gpu::DeviceFacts& facts) {
  if (graph::fits(wanted, facts)) return {};
  const std::string_view kind = driftwood::to_string(wanted.storage);
  if (!facts.has_images) return "The device has no images.";
  if (wanted.storage == StorageKind::ImageBuffer && facts.max_image_buffer == 0) {
    return "The device has no image buffers.";
  }
  if (wanted.storage == StorageKind::Texture3D && !facts.has_3d_image_writes) {
    return "The device has no kernels that write to 3D textures.";
  }
  return fmt::format("A {} of the case exceeds a limit of the device.", kind);
}

Problem made(const Case& c, const gpu::DeviceFacts& facts, unsigned seed, bool computes) {
  Draft draft(c.setting, seed, computes);
  c.make(draft);
  Problem problem = std::move(draft).finish();
  // Inputs and outputs are stored as activations inside a graph would be.
  for (graph::ValueId id = 0; id < problem.graph.values().size(); ++id) {
    graph::Value& value = problem.graph.value(id);
    if ((value.role != graph::Role::Input && value.role != graph::Role::Output) || value.is_array) continue;
    const TensorDescriptor wanted{.shape = value.shape,
                                  .data_type = value.data_type,
                                  .storage = c.setting.storage,
                                  .layout = graph::default_layout(c.setting.storage)};
    if (std::string refusal = refusal_of(wanted, facts); !refusal.empty()) problem.refusal = std::move(refusal);
    value.descriptor = wanted;
  }
  return problem;
}

}  // namespace

Problem problem_of(const Case& c, const gpu::DeviceFacts& facts, unsigned seed) { return made(c, facts, seed, true); }
Problem sketch_of(const Case& c, const gpu::DeviceFacts& facts) { return made(c, facts, 1, false); }

graph::GraphOptions options_of(const Setting& setting) {
  // Integers where a case has them: the choice for a whole model is not the table's.
  graph::GraphOptions options{.activations = graph::ActivationMode::Float, .storage = setting.storage};
  if (setting.choice != nullptr) {
    auto choices = std::make_shared<graph::Choices>();
    choices->add_for_all(*setting.choice);
    options.choices = std::move(choices);
  }
  return options;
}

}  // namespace driftwood::conformance
