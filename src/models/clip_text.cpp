#include "models/clip_text.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "models/image_layers.h"

namespace driftwood::models {
namespace {

class ClipTextBuilder {
 public:
  ClipTextBuilder(const ImageCheckpoint& checkpoint, const ClipTextSettings& settings)
      : checkpoint_(checkpoint),
        config_(checkpoint.text_config()),
        b_({.activation = settings.activation_type, .max_tokens = config_.max_tokens}),
        layers_(checkpoint, ImageComponent::TextEncoder, b_, settings.inner_outputs) {}

  graph::Graph build() && {
    auto x = embeddings();
    for (std::uint32_t layer = 0; layer < config_.layers; ++layer) {
      x = block(x, fmt::format("text_model.encoder.layers.{}", layer));
    }
    b_.set_scope("text_model");
    b_.output("hidden", layers_.layer_norm(x, "text_model.final_layer_norm", config_.epsilon));
    return std::move(b_).build();
  }

 private:
  graph::Tensor embeddings() {
    const std::string module = "text_model.embeddings";
    b_.set_scope(module);
    const auto table = layers_.matrix(module + ".token_embedding.weight", config_.vocabulary, config_.hidden);
    const std::string positions = module + ".position_embedding.weight";
    const auto places =
        b_.constant(positions, {.w = config_.max_tokens, .c = config_.hidden},
                    checkpoint_.table(ImageComponent::TextEncoder, positions, config_.max_tokens, config_.hidden));
    return layers_.inner(module, b_.add(b_.embedding(b_.ids("ids"), table), places));
  }

  graph::Tensor block(graph::Tensor x, const std::string& module) {
    b_.set_scope(module);
    const auto attention_input =
        layers_.inner(module + ".layer_norm1", layers_.layer_norm(x, module + ".layer_norm1", config_.epsilon));
    x = b_.add(layers_.inner(module + ".self_attn", attention(attention_input, module + ".self_attn")), x);
    const auto feed_input =
        layers_.inner(module + ".layer_norm2", layers_.layer_norm(x, module + ".layer_norm2", config_.epsilon));
    const auto up = layers_.linear(feed_input, module + ".mlp.fc1", config_.intermediate);
    const auto activated = config_.activation == ClipActivation::QuickGelu ? b_.gelu_quick(up) : b_.gelu_erf(up);
    const auto down = layers_.inner(module + ".mlp", layers_.linear(activated, module + ".mlp.fc2", config_.hidden));
    return layers_.inner(module, b_.add(down, x));
  }

  graph::Tensor attention(const graph::Tensor& x, const std::string& module) {
    const auto q = layers_.linear(x, module + ".q_proj", config_.hidden);
    const auto k = layers_.linear(x, module + ".k_proj", config_.hidden);
    const auto v = layers_.linear(x, module + ".v_proj", config_.hidden);
    const double head_size = config_.hidden / config_.heads;
    const auto attended = b_.multi_head_attention(
        q, k, v, {.heads = config_.heads, .scale = static_cast<float>(1 / std::sqrt(head_size)), .causal = true});
    return layers_.linear(attended, module + ".out_proj", config_.hidden);
  }

  const ImageCheckpoint& checkpoint_;
  const ClipTextConfig& config_;
  graph::Builder b_;
  ImageLayers layers_;
};

}  // namespace

graph::Graph clip_text_graph(const ImageCheckpoint& checkpoint, const ClipTextSettings& settings) try {
  return ClipTextBuilder(checkpoint, settings).build();
} catch (Error& error) {
  error.add_context(fmt::format("While building the text encoder of '{}'.", checkpoint.path().string()));
  throw;
}

}  // namespace driftwood::models
