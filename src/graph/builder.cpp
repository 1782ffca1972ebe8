#include "graph/builder.h"

#include <fmt/format.h>

#include "base/error.h"
#include "graph/quantized_cache.h"
#include "tensor/storage.h"

namespace driftwood::graph {

const Shape& Tensor::shape() const { return builder_->graph_.value(id_).shape; }
const std::string& Tensor::name() const { return builder_->graph_.value(id_).name; }

Tensor Builder::add_value(Value value) { return Tensor(this, graph_.add_value(std::move(value))); }

std::string Builder::node_name(std::string_view operation) {
  std::string name = fmt::format("{}_{}", operation, counter_++);
  return scope_.empty() ? name : scope_ + "." + name;
}

namespace {

constexpr std::uint64_t max_cache_words = 0x7FFFFFFF;  // kernels compute places in 32 bits

bool takes_quantized_caches(const Operation& operation) {
  return std::holds_alternative<CacheWrite>(operation) || std::holds_alternative<RopeQkv>(operation) ||
         std::holds_alternative<Attention>(operation);
}

[[noreturn]] void name_taken(const Value& value) {
  throw InvalidInput(fmt::format("The name '{}' is taken by another value: {} {}.", value.name, to_string(value.role),
                                 to_string(value.shape)));
}

}  // namespace

Tensor Builder::ids(const std::string& name) {
  if (const Value* taken = graph_.find(name)) name_taken(*taken);
  return add_value({.name = name,
                    .shape = {.w = options_.max_tokens},
                    .data_type = DataType::U32,
                    .role = Role::Input,
                    .is_array = true});
}

Tensor Builder::input(const std::string& name, const Shape& shape, DataType type) {
  if (const Value* taken = graph_.find(name)) name_taken(*taken);
  return add_value({.name = name, .shape = shape, .data_type = type, .role = Role::Input});
}

Tensor Builder::weights(WeightsSource source) {
  std::string key = source.key();
  if (const Value* known = graph_.find(key)) {
    if (known->role != Role::Weights || known->weights != source) name_taken(*known);
    return Tensor(this, known->id);
  }
  Value value{.name = std::move(key),
              .shape = {.w = source.rows(), .c = source.columns},
              .data_type = source.format,
              .role = Role::Weights};
  if (value.shape.w == 0 || value.shape.c == 0) {
    throw InvalidInput(fmt::format("The weights '{}' have {} rows and {} columns; both must be at least 1.", value.name,
                                   value.shape.w, value.shape.c));
  }
  value.weights = std::move(source);
  return add_value(std::move(value));
}

Tensor Builder::constant(const std::string& name, const Shape& shape, std::vector<float> data) {
  if (data.size() != shape.elements()) {
    throw InvalidInput(fmt::format("The constant '{}' has {} values, but its shape {} holds {}.", name, data.size(),
                                   to_string(shape), shape.elements()));
  }
  if (const Value* known = graph_.find(name)) {
    if (known->role != Role::Constant || known->shape != shape || *known->constant != data) name_taken(*known);
    return Tensor(this, known->id);
  }
  Value value{.name = name, .shape = shape, .role = Role::Constant};
  value.constant = std::make_shared<const std::vector<float>>(std::move(data));
  return add_value(std::move(value));
}

Tensor Builder::vector(const std::string& name, std::vector<float> data) {
  const Shape shape{.c = static_cast<std::uint32_t>(data.size())};
  return constant(name, shape, std::move(data));
}

Tensor Builder::state(const std::string& name, const Shape& shape, DataType type,
                      std::optional<TensorDescriptor> descriptor) {
  if (const Value* known = graph_.find(name)) {
    if (known->role != Role::State || known->shape != shape || known->data_type != type) name_taken(*known);
    return Tensor(this, known->id);
  }
  Value value{.name = name, .shape = shape, .data_type = type, .role = Role::State};
  value.is_array = type == DataType::Q8_0;
  if (value.is_array && descriptor) {
    throw InvalidInput(fmt::format("The state '{}' is stored in {}, as words, and takes no other descriptor: {}.", name,
                                   to_string(type), to_string(*descriptor)));
  }
  if (value.is_array && quantized_cache_words(shape) > max_cache_words) {
    throw InvalidInput(fmt::format("The state '{}' {} in {} takes {} words, but kernels reach {}.", name,
                                   to_string(shape), to_string(type), quantized_cache_words(shape), max_cache_words));
  }
  value.descriptor = descriptor;
  return add_value(std::move(value));
}

void Builder::output(const std::string& name, const Tensor& tensor, DataType type) {
  Value& value = graph_.value(tensor.id());
  if (value.role != Role::Activation) {
    throw InvalidInput(fmt::format("The {} '{}' cannot be the output '{}': only the result of an operation can.",
                                   to_string(value.role), value.name, name));
  }
  if (const Value* taken = graph_.find(name); taken != nullptr && taken->id != tensor.id()) name_taken(*taken);
  value.name = name;
  value.role = Role::Output;
  value.data_type = type;
}

Tensor Builder::as(const std::string& name, const Tensor& tensor) {
  std::string full = scope_.empty() ? name : scope_ + "." + name;
  if (const Value* taken = graph_.find(full); taken != nullptr && taken->id != tensor.id()) name_taken(*taken);
  graph_.value(tensor.id()).name = full;
  for (Node& node : graph_.nodes()) {
    if (!node.outputs.empty() && node.outputs[0] == tensor.id()) node.name = full;
  }
  return tensor;
}

Tensor Builder::as_type(DataType type, const Tensor& tensor) {
  Value& value = graph_.value(tensor.id());
  if (value.role != Role::Activation || (type != DataType::F32 && type != DataType::F16)) {
    throw InvalidInput(fmt::format("The {} '{}' cannot be stored as {}: activations are stored as f32 or f16.",
                                   to_string(value.role), value.name, to_string(type)));
  }
  value.data_type = type;
  return tensor;
}

std::vector<Tensor> Builder::apply(Operation operation, const std::vector<Tensor>& inputs) {
  std::vector<Operand> operands;
  Node node{.name = node_name(graph::name(operation))};
  for (const Tensor& input : inputs) {
    if (input.builder_ != this) {
      throw InvalidInput(
          fmt::format("{}: the input '{}' belongs to another graph.", graph::name(operation), input.name()));
    }
    const Value& value = graph_.value(input.id());
    if (value.role == Role::State && value.is_array && !takes_quantized_caches(operation)) {
      throw InvalidInput(fmt::format("{}: the cache '{}' holds blocks of {}, which cache writes and attention take.",
                                     graph::name(operation), value.name, to_string(value.data_type)));
    }
    operands.push_back({input.name(), input.shape()});
    node.inputs.push_back(input.id());
  }
  const std::vector<Shape> shapes = output_shapes(operation, operands);
  std::vector<Tensor> outputs;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    Value value{.name = i == 0 ? node.name : fmt::format("{}.{}", node.name, i),
                .shape = shapes[i],
                .data_type = options_.activation};
    if (const int state = written_state(operation, i); state >= 0) {
      const Value& before = graph_.value(node.inputs[static_cast<std::size_t>(state)]);
      if (before.role != Role::State) {
        throw InvalidInput(fmt::format("{}: '{}' is written but is no state.", graph::name(operation), before.name));
      }
      value.data_type = before.data_type;
      value.is_array = before.is_array;
      value.role = Role::State;
      value.written_from = before.id;
    }
    outputs.push_back(add_value(std::move(value)));
    node.outputs.push_back(outputs.back().id());
  }
  node.operation = std::move(operation);
  graph_.add_node(std::move(node));
  return outputs;
}

Tensor Builder::embedding(const Tensor& ids, const Tensor& table) { return apply(Embedding{}, {ids, table})[0]; }

Tensor Builder::linear(const Tensor& x, const Tensor& weights, const std::optional<Tensor>& bias) {
  if (bias) return apply(Linear{}, {x, weights, *bias})[0];
  return apply(Linear{}, {x, weights})[0];
}

Tensor Builder::gated_linear(const Tensor& x, const Tensor& gate, const Tensor& up, ElementOp activation) {
  return apply(GatedLinear{activation}, {x, gate, up})[0];
}

Tensor Builder::gated_linear(const Tensor& x, const Tensor& gate, const Tensor& gate_bias, const Tensor& up,
                             const Tensor& up_bias, ElementOp activation) {
  return apply(GatedLinear{activation}, {x, gate, up, gate_bias, up_bias})[0];
}

std::vector<Tensor> Builder::quantize_tokens(const Tensor& x, bool packed) {
  const std::vector<Tensor> outputs = apply(QuantizeTokens{packed}, {x});
  if (packed) graph_.value(outputs[0].id()).data_type = DataType::U32;
  for (std::size_t i = 1; i < outputs.size(); ++i) as_type(DataType::F32, outputs[i]);
  return outputs;
}

namespace {

IntegerInput integer_input(std::string_view operation, std::size_t values) {
  for (const IntegerInput input : {IntegerInput::Fused, IntegerInput::Packed}) {
    if (values_of(input) == values) return input;
  }
  operation_error(operation, fmt::format("{} values are given as integers; 1 or 3 are.", values));
}

}  // namespace

Tensor Builder::integer_linear(const std::vector<Tensor>& input, const Tensor& weights,
                               const std::optional<Tensor>& bias) {
  std::vector<Tensor> inputs = input;
  inputs.push_back(weights);
  if (bias) inputs.push_back(*bias);
  return apply(IntegerLinear{.input = integer_input(IntegerLinear::name, input.size())}, inputs)[0];
}

Tensor Builder::integer_gated_linear(const std::vector<Tensor>& input, const Tensor& gate, const Tensor& up,
                                     ElementOp activation, const std::vector<Tensor>& biases) {
  std::vector<Tensor> inputs = input;
  inputs.insert(inputs.end(), {gate, up});
  inputs.insert(inputs.end(), biases.begin(), biases.end());
  return apply(
      IntegerGatedLinear{.activation = activation, .input = integer_input(IntegerGatedLinear::name, input.size())},
      inputs)[0];
}

Tensor Builder::conv2d(const Tensor& x, const Tensor& weights, const Conv2d& convolution,
                       const std::optional<Tensor>& bias) {
  const Tensor y = apply(convolution, {x, weights})[0];
  return bias ? add(y, *bias) : y;
}

Tensor Builder::concat(const Tensor& a, const Tensor& b) { return apply(Concat{}, {a, b})[0]; }

Tensor Builder::layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, float epsilon) {
  return apply(LayerNorm{epsilon}, {x, gamma, beta})[0];
}

std::pair<Tensor, Tensor> Builder::group_statistics(const Tensor& x, const Tensor& gamma, const Tensor& beta,
                                                    const GroupStatistics& groups, const std::optional<Tensor>& x2) {
  std::vector<Tensor> inputs{x, gamma, beta};
  if (x2) inputs.push_back(*x2);
  const std::vector<Tensor> statistics = apply(groups, inputs);
  for (const Tensor& factors : statistics) as_type(DataType::F32, factors);
  return {statistics[0], statistics[1]};
}

Tensor Builder::group_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, const GroupStatistics& groups) {
  const auto [scale, shift] = group_statistics(x, gamma, beta, groups);
  return add(multiply(x, scale), shift);
}

Tensor Builder::multi_head_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                     const MultiHeadAttention& attention) {
  return apply(attention, {q, k, v})[0];
}

Tensor Builder::rms_norm(const Tensor& x, const Tensor& gamma, float epsilon) {
  return apply(RmsNorm{epsilon}, {x, gamma})[0];
}

std::pair<Tensor, Tensor> Builder::add_rms_norm(const Tensor& x, const Tensor& residual, const Tensor& gamma,
                                                float epsilon) {
  const std::vector<Tensor> outputs = apply(AddRmsNorm{epsilon}, {x, residual, gamma});
  return {outputs[0], outputs[1]};
}

Tensor Builder::head_norm(const Tensor& x, const Tensor& gamma, std::uint32_t head_size, float epsilon) {
  return apply(HeadNorm{head_size, epsilon}, {x, gamma})[0];
}

Tensor Builder::rope(const Tensor& x, const Tensor& frequencies, const Rope& rope) {
  return apply(rope, {x, frequencies})[0];
}

Tensor Builder::head_layout(const Tensor& q, std::uint32_t kv_heads, std::uint32_t head_size) {
  return apply(HeadLayout{kv_heads, head_size}, {q})[0];
}

Tensor Builder::cache_write(const Tensor& x, const Tensor& cache, bool ring) {
  return apply(CacheWrite{ring}, {x, cache})[0];
}

std::array<Tensor, 3> Builder::rope_qkv(const std::vector<Tensor>& projections, const Tensor& frequencies,
                                        const Tensor& k_cache, const Tensor& v_cache, const RopeQkv& rope,
                                        const std::optional<std::pair<Tensor, Tensor>>& factors) {
  std::vector<Tensor> inputs = projections;
  inputs.insert(inputs.end(), {frequencies, k_cache, v_cache});
  if (factors) inputs.insert(inputs.end(), {factors->first, factors->second});
  const std::vector<Tensor> outputs = apply(rope, inputs);
  return {outputs[0], outputs[1], outputs[2]};
}

Tensor Builder::attention(const Tensor& q, const Tensor& k_cache, const Tensor& v_cache, const Attention& attention) {
  return apply(attention, {q, k_cache, v_cache})[0];
}

Tensor Builder::select_token(const Tensor& x) { return apply(SelectToken{}, {x})[0]; }

void Builder::sample_token(const Tensor& logits, const Tensor& settings, const Tensor& uniforms,
                           const std::array<Tensor, 3>& states, const SampleToken& operation) {
  apply(operation, {logits, settings, uniforms, states[0], states[1], states[2]});
}

Tensor Builder::unary(ElementOp op, const Tensor& a, std::array<float, 2> constants) {
  if (info(op).operands != 1) operation_error(info(op).name, "one operand is given, but it takes 2.");
  return apply(single(op, constants), {a})[0];
}

Tensor Builder::binary(ElementOp op, const Tensor& a, const Tensor& b) {
  if (info(op).operands != 2) operation_error(info(op).name, "two operands are given, but it takes 1.");
  if (a.id() != b.id()) return apply(single(op), {a, b})[0];
  return apply(merge_inputs(single(op), 0, 1), {a})[0];
}

Graph Builder::build() && {
  graph_.check();
  return std::move(graph_);
}

}  // namespace driftwood::graph
