#include "models/language_graph.h"

#include <fmt/format.h>

#include <set>

#include "base/error.h"
#include "graph/builder.h"
#include "tensor/packed_weights.h"

namespace driftwood::models {
namespace {

/// Rows of a stored matrix that are a matrix of their own.
struct Part {
  std::string name;  // without ".weight"
  std::uint32_t columns = 0, rows = 0, first_row = 0;
  std::uint32_t stored_rows = 0;
};

class LanguageBuilder {
 public:
  LanguageBuilder(const Checkpoint& checkpoint, const LanguageGraphSettings& settings)
      : checkpoint_(checkpoint),
        config_(checkpoint.config()),
        settings_(settings),
        b_({.activation = settings.activation_type, .max_tokens = settings.max_tokens}) {}

  graph::Graph build() && {
    const std::uint32_t hidden = config_.hidden;
    const auto table = matrix({"token_embd", hidden, config_.vocabulary, 0, config_.vocabulary});
    auto x = b_.embedding(b_.ids("ids"), table);
    if (config_.embedding_scale != 1) x = b_.scale(x, config_.embedding_scale);
    x = b_.as_type(DataType::F32, x);
    for (std::uint32_t layer = 0; layer < config_.layers; ++layer) {
      b_.set_scope(fmt::format("blk.{}", layer));
      x = attention(x, layer);
      x = feed_forward(x, layer);
    }
    b_.set_scope("head");
    if (!settings_.all_logits) x = b_.as_type(DataType::F32, b_.select_token(x));
    const auto normed = norm(x, "output_norm.weight");
    // A GGUF file without a head has the table for one.
    const bool is_tied =
        config_.tied_head || (checkpoint_.gguf() != nullptr && checkpoint_.find("output.weight") == nullptr);
    const auto head = is_tied ? table : matrix({"output", hidden, config_.vocabulary, 0, config_.vocabulary});
    if (settings_.hidden_output) b_.output("hidden", normed);
    auto logits = b_.linear(normed, head);
    if (const float cap = config_.logit_softcap; cap != 0)
      logits = b_.scale(b_.unary(graph::ElementOp::Tanh, b_.scale(logits, 1 / cap)), cap);
    b_.output("logits", logits);
    refuse_unused();
    return std::move(b_).build();
  }

 private:
  graph::Tensor attention(const graph::Tensor& x, std::uint32_t layer) {
    const std::string prefix = fmt::format("blk.{}.", layer);
    const std::uint32_t heads = config_.heads, kv_heads = config_.kv_heads, head_size = config_.head_size;
    const std::uint32_t q_size = heads * head_size, kv_size = kv_heads * head_size;
    // A window that no context exceeds is none.
    const std::uint32_t window = config_.window_of(layer) < settings_.cache_size ? config_.window_of(layer) : 0;
    const bool ring = window != 0 && settings_.ring_places != 0 && settings_.ring_places < settings_.cache_size;
    const Shape cache{.h = kv_heads, .w = ring ? settings_.ring_places : settings_.cache_size, .c = head_size};
    const auto frequencies = rope_vector(layer);
    const graph::Rope rope{.head_size = head_size,
                           .rotary = config_.rotary,
                           .pairing = config_.pairing,
                           .magnitude = static_cast<float>(config_.rope_of(layer).magnitude)};

    const auto input = norm(x, prefix + "attn_norm.weight");
    const std::uint32_t all = q_size + 2 * kv_size;
    const auto projection = [&](const char* name, std::uint32_t first, std::uint32_t rows) {
      return config_.fused_qkv
                 ? linear(input, {prefix + "attn_qkv", config_.hidden, rows, first, all}, config_.qkv_bias)
                 : linear(input, {prefix + name, config_.hidden, rows, 0, rows}, config_.qkv_bias);
    };
    auto q = projection("attn_q", 0, q_size);
    auto k = projection("attn_k", q_size, kv_size);
    const auto v = projection("attn_v", q_size + kv_size, kv_size);
    if (config_.head_norms) {
      q = b_.head_norm(q, factors(prefix + "attn_q_norm.weight", head_size), head_size, config_.epsilon);
      k = b_.head_norm(k, factors(prefix + "attn_k_norm.weight", head_size), head_size, config_.epsilon);
    }
    const auto state = [&](const char* name) {
      return b_.state(fmt::format("cache.{}.{}", name, layer), cache, settings_.cache_type);
    };
    const auto k_cache = b_.cache_write(b_.rope(k, frequencies, rope), state("k"), ring);
    const auto v_cache = b_.cache_write(v, state("v"), ring);
    const auto q_heads = b_.head_layout(b_.rope(q, frequencies, rope), kv_heads, head_size);
    const auto attended = b_.attention(q_heads, k_cache, v_cache,
                                       {.heads = heads,
                                        .scale = config_.attention_scale,
                                        .window = window,
                                        .softcap = config_.attention_softcap,
                                        .ring = ring});
    const auto y = linear(attended, {prefix + "attn_output", q_size, config_.hidden, 0, config_.hidden});
    return add_to(x, y, prefix + "post_attention_norm.weight");
  }

  graph::Tensor feed_forward(const graph::Tensor& x, std::uint32_t layer) {
    const std::string prefix = fmt::format("blk.{}.", layer);
    const std::uint32_t hidden = config_.hidden, size = config_.intermediate;
    const auto input = norm(x, prefix + "ffn_norm.weight");
    // Fused, the rows of the gate come before those of "up", under its name.
    const auto gate = config_.fused_gate_up ? linear(input, {prefix + "ffn_up", hidden, size, 0, 2 * size})
                                            : linear(input, {prefix + "ffn_gate", hidden, size, 0, size});
    const auto activated = b_.unary(config_.activation, gate);
    const auto up = config_.fused_gate_up ? linear(input, {prefix + "ffn_up", hidden, size, size, 2 * size})
                                          : linear(input, {prefix + "ffn_up", hidden, size, 0, size});
    const auto y = linear(b_.multiply(activated, up), {prefix + "ffn_down", size, hidden, 0, hidden});
    return add_to(x, y, prefix + "post_ffw_norm.weight");
  }

  /// The residual stream with y added, normed before by families that do so. y is F32 as the stream is: what a layer
  /// adds reaches the range of a half first (Gemma).
  graph::Tensor add_to(const graph::Tensor& x, graph::Tensor y, const std::string& post_norm) {
    y = b_.as_type(DataType::F32, y);
    return b_.as_type(DataType::F32, b_.add(config_.post_norms ? norm(y, post_norm) : y, x));
  }

  graph::Tensor norm(const graph::Tensor& x, const std::string& name) {
    return b_.rms_norm(x, factors(name, config_.hidden), config_.epsilon);
  }

  graph::Tensor factors(const std::string& name, std::uint32_t size) {
    std::vector<float> values = stored_vector(name, size);
    for (float& value : values) value += config_.norm_offset;
    return b_.vector(name, std::move(values));
  }

  graph::Tensor linear(const graph::Tensor& x, const Part& part, bool needs_bias = false) {
    const std::string name = part.name + ".bias";
    if (!needs_bias && checkpoint_.find(name) == nullptr) return b_.linear(x, matrix(part));
    const std::vector<float> stored = stored_vector(name, part.stored_rows);
    const auto first = stored.begin() + part.first_row;
    const bool is_whole = part.rows == part.stored_rows;
    return b_.linear(
        x, matrix(part),
        b_.vector(is_whole ? name : fmt::format("{}[{}:{}]", name, part.first_row, part.first_row + part.rows),
                  {first, first + part.rows}));
  }

  graph::Tensor matrix(const Part& part) {
    const std::string name = part.name + ".weight";
    const StoredTensor& tensor = checkpoint_.get(name, {part.columns, part.stored_rows});
    used_.insert(&tensor);
    try {
      packed_format(tensor.type);
    } catch (Error& error) {
      error.add_context(fmt::format("While reading the tensor '{}'.", tensor.name));
      throw;
    }
    graph::WeightsBlock block{.name = name, .rows = part.rows};
    if (part.rows != part.stored_rows) {
      block.first_row = part.first_row;
      block.stored_rows = part.stored_rows;
    }
    return b_.weights({.format = tensor.type, .columns = part.columns, .blocks = {block}});
  }

  std::vector<float> stored_vector(const std::string& name, std::uint32_t size) {
    used_.insert(checkpoint_.find(name));
    return checkpoint_.vector(name, size);
  }

  graph::Tensor rope_vector(std::uint32_t layer) {
    const LanguageRope& rope = config_.rope_of(layer);
    return b_.vector(&rope == &config_.rope ? "rope.frequencies" : "rope.window_frequencies",
                     rope_frequencies(rope, config_.rotary, settings_.cache_size));
  }

  /// A bias or norm that the family does not have must not be ignored: the numbers would be wrong without a word.
  void refuse_unused() const {
    const std::string prefix = checkpoint_.layer_prefix();
    for (const StoredTensor& tensor : checkpoint_.tensors().all()) {
      // Old files hold RoPE frequencies, which follow from the configuration.
      if (tensor.name.ends_with("rotary_emb.inv_freq") || tensor.name.ends_with("attn_rot_embd")) continue;
      if (tensor.name.starts_with(prefix) && !used_.contains(&tensor))
        throw Unsupported(fmt::format("The tensor '{}' has no place in a model of {} layers of the architecture '{}'.",
                                      tensor.name, config_.layers, config_.architecture));
    }
  }

  const Checkpoint& checkpoint_;
  const LanguageConfig& config_;
  const LanguageGraphSettings& settings_;
  graph::Builder b_;
  std::set<const StoredTensor*> used_;
};

}  // namespace

graph::Graph language_graph(const Checkpoint& checkpoint, const LanguageGraphSettings& settings) try {
  return LanguageBuilder(checkpoint, settings).build();
} catch (Error& error) {
  error.add_context(fmt::format("While building the graph of '{}'.", checkpoint.path().string()));
  throw;
}

}  // namespace driftwood::models
