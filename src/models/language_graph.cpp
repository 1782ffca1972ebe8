#include "models/language_graph.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "graph/builder.h"
#include "tensor/packed_weights.h"

namespace driftwood::models {
namespace {

class LanguageBuilder {
 public:
  LanguageBuilder(const Checkpoint& checkpoint, const LanguageGraphSettings& settings)
      : checkpoint_(checkpoint),
        config_(checkpoint.config()),
        settings_(settings),
        b_({.activation = settings.activation_type, .max_tokens = settings.max_tokens}) {}

  graph::Graph build() && {
    refuse_biases();
    const std::uint32_t hidden = config_.hidden;
    const auto table = matrix("token_embd.weight", hidden, config_.vocabulary);
    const auto frequencies = b_.vector("rope.frequencies", rope_frequencies(config_, divisors()));
    auto x = b_.as_type(DataType::F32, b_.embedding(b_.ids("ids"), table));
    for (std::uint32_t layer = 0; layer < config_.layers; ++layer) x = block(x, frequencies, layer);
    b_.set_scope("head");
    if (!settings_.all_logits) x = b_.select_token(x);
    const auto normed = norm(x, "output_norm.weight");
    const bool tied = checkpoint_.find("output.weight") == nullptr;
    const auto head = tied ? table : matrix("output.weight", hidden, config_.vocabulary);
    if (settings_.hidden_output) b_.output("hidden", normed);
    b_.output("logits", b_.linear(normed, head));
    return std::move(b_).build();
  }

 private:
  graph::Tensor block(graph::Tensor x, const graph::Tensor& frequencies, std::uint32_t layer) {
    const std::string prefix = fmt::format("blk.{}.", layer);
    b_.set_scope(fmt::format("blk.{}", layer));
    const std::uint32_t q_size = config_.heads * config_.head_size;
    const std::uint32_t kv_size = config_.kv_heads * config_.head_size;
    const Shape cache{.h = config_.kv_heads, .w = settings_.cache_size, .c = config_.head_size};
    const graph::Rope rope{.head_size = config_.head_size, .rotary = config_.rotary, .pairing = config_.pairing};

    const auto attention_input = norm(x, prefix + "attn_norm.weight");
    const auto q = b_.linear(attention_input, matrix(prefix + "attn_q.weight", config_.hidden, q_size));
    const auto k = b_.linear(attention_input, matrix(prefix + "attn_k.weight", config_.hidden, kv_size));
    const auto v = b_.linear(attention_input, matrix(prefix + "attn_v.weight", config_.hidden, kv_size));
    const auto k_cache = b_.cache_write(b_.rope(k, frequencies, rope),
                                        b_.state(fmt::format("cache.k.{}", layer), cache, settings_.cache_type));
    const auto v_cache = b_.cache_write(v, b_.state(fmt::format("cache.v.{}", layer), cache, settings_.cache_type));
    const auto q_heads = b_.head_layout(b_.rope(q, frequencies, rope), config_.kv_heads, config_.head_size);
    const auto attended = b_.attention(
        q_heads, k_cache, v_cache,
        {.heads = config_.heads, .scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(config_.head_size)))});
    x = b_.as_type(DataType::F32,
                   b_.add(b_.linear(attended, matrix(prefix + "attn_output.weight", q_size, config_.hidden)), x));

    const auto feed_input = norm(x, prefix + "ffn_norm.weight");
    const auto gate =
        b_.silu(b_.linear(feed_input, matrix(prefix + "ffn_gate.weight", config_.hidden, config_.intermediate)));
    const auto up = b_.linear(feed_input, matrix(prefix + "ffn_up.weight", config_.hidden, config_.intermediate));
    const auto down =
        b_.linear(b_.multiply(gate, up), matrix(prefix + "ffn_down.weight", config_.intermediate, config_.hidden));
    return b_.as_type(DataType::F32, b_.add(down, x));
  }

  graph::Tensor norm(const graph::Tensor& x, const std::string& name) {
    return b_.rms_norm(x, b_.vector(name, checkpoint_.vector(name, config_.hidden)), config_.epsilon);
  }

  graph::Tensor matrix(const std::string& name, std::uint32_t columns, std::uint32_t rows) {
    const StoredTensor& tensor = checkpoint_.get(name, {columns, rows});
    try {
      packed_format(tensor.type);
    } catch (Error& error) {
      error.add_context(fmt::format("While reading the tensor '{}'.", tensor.name));
      throw;
    }
    return b_.weights({.format = tensor.type, .columns = columns, .blocks = {{name, rows}}});
  }

  /// Biases that the graph does not add must not be ignored: the numbers would be wrong without a word.
  void refuse_biases() const {
    for (const StoredTensor& tensor : checkpoint_.tensors().all())
      if (tensor.name.ends_with(".bias"))
        throw Unsupported(
            fmt::format("The tensor '{}' is a bias, which the Llama family here does not have.", tensor.name));
  }

  /// Llama 3's own scaling is stored in GGUF as divisors of the frequencies.
  std::vector<float> divisors() const {
    if (checkpoint_.gguf() == nullptr || checkpoint_.find("rope_freqs.weight") == nullptr) return {};
    return checkpoint_.vector("rope_freqs.weight", config_.rotary / 2);
  }

  const Checkpoint& checkpoint_;
  const LanguageConfig& config_;
  const LanguageGraphSettings& settings_;
  graph::Builder b_;
};

}  // namespace

graph::Graph language_graph(const Checkpoint& checkpoint, const LanguageGraphSettings& settings) try {
  return LanguageBuilder(checkpoint, settings).build();
} catch (Error& error) {
  error.add_context(fmt::format("While building the graph of '{}'.", checkpoint.path().string()));
  throw;
}

}  // namespace driftwood::models
