// Builds a graph by calling operations on tensors. Shapes are checked where an operation is called: InvalidInput names
// the operation and every shape involved.
//
//   graph::Builder b({.activation = DataType::F32, .max_tokens = 512});
//   auto x = b.embedding(b.ids("ids"), b.weights({DataType::Q4_0, 576, {{"token_embd.weight", 49152}}}));
//   auto y = b.linear(b.rms_norm(x, gamma, 1e-5F), wq);
//   b.output("logits", b.linear(b.select_token(y), table));
//   graph::Graph graph = std::move(b).build();
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace driftwood::graph {

class Builder;

/// A value of a graph under construction. Cheap to copy; valid as long as its builder.
class Tensor {
 public:
  ValueId id() const { return id_; }
  const Shape& shape() const;
  const std::string& name() const;

 private:
  friend class Builder;
  Tensor(Builder* builder, ValueId id) : builder_(builder), id_(id) {}
  Builder* builder_;
  ValueId id_;
};

struct BuilderOptions {
  DataType activation = DataType::F32;  // how activations are stored, F32 or F16, unless as_type() says otherwise
  std::uint32_t max_tokens = 1;
};

class Builder {
 public:
  explicit Builder(BuilderOptions options = {}) : options_(options) { graph_.max_tokens = options.max_tokens; }
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  const BuilderOptions& options() const { return options_; }

  // ---- values. Names are unique; a name used again gives InvalidInput, except that the same weights, constant or
  // state may be asked for again and are then the same tensor.

  /// Token ids: an array of max_tokens u32.
  Tensor ids(const std::string& name);
  Tensor input(const std::string& name, const Shape& shape, DataType type = DataType::F32);
  Tensor weights(WeightsSource source);
  /// `data`: shape.elements() values, channels innermost.
  Tensor constant(const std::string& name, const Shape& shape, std::vector<float> data);
  /// One value for each channel.
  Tensor vector(const std::string& name, std::vector<float> data);
  /// `descriptor` overrides the default storage, for caches whose kernels want another order. A cache of type Q8_0 is
  /// an array of words (quantized_cache.h), which cache writes and attention alone take.
  Tensor state(const std::string& name, const Shape& shape, DataType type,
               std::optional<TensorDescriptor> descriptor = {});
  /// Names a result. Its element type is F32 unless `type` says otherwise.
  void output(const std::string& name, const Tensor& tensor, DataType type = DataType::F32);

  // ---- naming: nodes are called SCOPE.NAME, where NAME is the operation and a running number, or the name given
  // by as() to the last operation.

  void set_scope(std::string scope) { scope_ = std::move(scope); }
  /// Renames the node and value that a call has just made: b.as("attn_out", b.linear(x, w)).
  Tensor as(const std::string& name, const Tensor& tensor);
  /// Stores a value in another type than the default: the residual stream in F32 where activations are F16.
  Tensor as_type(DataType type, const Tensor& tensor);

  // ---- operations

  Tensor embedding(const Tensor& ids, const Tensor& table);
  Tensor linear(const Tensor& x, const Tensor& weights, const std::optional<Tensor>& bias = {});
  Tensor gated_linear(const Tensor& x, const Tensor& gate, const Tensor& up, ElementOp activation = ElementOp::Silu);
  Tensor gated_linear(const Tensor& x, const Tensor& gate, const Tensor& gate_bias, const Tensor& up,
                      const Tensor& up_bias, ElementOp activation);
  /// {q, scale, sums} of integers as words where `packed`, else {q, scale} with q in the builder's type of activations.
  std::vector<Tensor> quantize_tokens(const Tensor& x, bool packed);
  /// A linear of what quantize_tokens() gives, or of {x}, which it then quantizes itself.
  Tensor integer_linear(const std::vector<Tensor>& input, const Tensor& weights,
                        const std::optional<Tensor>& bias = {});
  /// `biases`: of the gate and of up, or none.
  Tensor integer_gated_linear(const std::vector<Tensor>& input, const Tensor& gate, const Tensor& up,
                              ElementOp activation = ElementOp::Silu, const std::vector<Tensor>& biases = {});
  /// A convolution, and a bias {C} added to it. Weights: see WeightsSource::taps.
  Tensor conv2d(const Tensor& x, const Tensor& weights, const Conv2d& convolution,
                const std::optional<Tensor>& bias = {});
  Tensor concat(const Tensor& a, const Tensor& b);
  Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, float epsilon);
  /// (scale, shift), in F32. `x2`: its channels come after those of x.
  std::pair<Tensor, Tensor> group_statistics(const Tensor& x, const Tensor& gamma, const Tensor& beta,
                                             const GroupStatistics& groups, const std::optional<Tensor>& x2 = {});
  /// x * scale + shift of GroupStatistics; the reader of the result may apply it where it loads x.
  Tensor group_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, const GroupStatistics& groups);
  Tensor multi_head_attention(const Tensor& q, const Tensor& k, const Tensor& v, const MultiHeadAttention& attention);
  Tensor rms_norm(const Tensor& x, const Tensor& gamma, float epsilon);
  std::pair<Tensor, Tensor> add_rms_norm(const Tensor& x, const Tensor& residual, const Tensor& gamma, float epsilon);
  /// RMS norm of each head: gamma {head_size}, for all heads of x.
  Tensor head_norm(const Tensor& x, const Tensor& gamma, std::uint32_t head_size, float epsilon);
  Tensor rope(const Tensor& x, const Tensor& frequencies, const Rope& rope);
  Tensor head_layout(const Tensor& q, std::uint32_t kv_heads, std::uint32_t head_size);
  /// The cache after the write: give this one to attention.
  Tensor cache_write(const Tensor& x, const Tensor& cache, bool ring = false);
  /// (q, k, v), or (qkv merged) where `rope.merged`; the result is q by head, K cache, V cache. `factors`: of the norms
  /// of queries and keys where `rope.normed`.
  std::array<Tensor, 3> rope_qkv(const std::vector<Tensor>& projections, const Tensor& frequencies,
                                 const Tensor& k_cache, const Tensor& v_cache, const RopeQkv& rope,
                                 const std::optional<std::pair<Tensor, Tensor>>& factors = {});
  Tensor attention(const Tensor& q, const Tensor& k_cache, const Tensor& v_cache, const Attention& attention);
  Tensor select_token(const Tensor& x);
  /// Chooses the next token (sample_token.h); `states`: history, next id and run.
  void sample_token(const Tensor& logits, const Tensor& settings, const Tensor& uniforms,
                    const std::array<Tensor, 3>& states, const SampleToken& operation);

  Tensor add(const Tensor& a, const Tensor& b) { return binary(ElementOp::Add, a, b); }
  Tensor subtract(const Tensor& a, const Tensor& b) { return binary(ElementOp::Subtract, a, b); }
  Tensor multiply(const Tensor& a, const Tensor& b) { return binary(ElementOp::Multiply, a, b); }
  Tensor divide(const Tensor& a, const Tensor& b) { return binary(ElementOp::Divide, a, b); }
  Tensor minimum(const Tensor& a, const Tensor& b) { return binary(ElementOp::Minimum, a, b); }
  Tensor maximum(const Tensor& a, const Tensor& b) { return binary(ElementOp::Maximum, a, b); }
  Tensor silu(const Tensor& a) { return unary(ElementOp::Silu, a); }
  Tensor gelu_erf(const Tensor& a) { return unary(ElementOp::GeluErf, a); }
  Tensor gelu_tanh(const Tensor& a) { return unary(ElementOp::GeluTanh, a); }
  Tensor gelu_quick(const Tensor& a) { return unary(ElementOp::GeluQuick, a); }
  Tensor scale(const Tensor& a, float factor) { return unary(ElementOp::Scale, a, {factor, 0}); }
  Tensor offset(const Tensor& a, float term) { return unary(ElementOp::Offset, a, {term, 0}); }
  Tensor clamp(const Tensor& a, float low, float high) { return unary(ElementOp::Clamp, a, {low, high}); }
  /// Any operation of one operand: Relu, Tanh, Sigmoid, Exp, ...
  Tensor unary(ElementOp op, const Tensor& a, std::array<float, 2> constants = {0, 0});
  /// Any operation of two operands. Axes of extent 1 broadcast.
  Tensor binary(ElementOp op, const Tensor& a, const Tensor& b);

  /// The graph. The builder is spent.
  Graph build() &&;

 private:
  friend class Tensor;
  std::vector<Tensor> apply(Operation operation, const std::vector<Tensor>& inputs);
  Tensor add_value(Value value);
  std::string node_name(std::string_view operation);

  BuilderOptions options_;
  Graph graph_;
  std::string scope_;
  std::uint32_t counter_ = 0;
};

}  // namespace driftwood::graph
