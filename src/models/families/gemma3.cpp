// Gemma 3 (arXiv 2503.19786), the language model alone: Gemma 2 without the soft caps, with RMS norms of each head of Q
// and K, five layers with a sliding window before each without, and RoPE of another base in those with one.
#include <cmath>

#include "base/error.h"
#include "models/families/family.h"

namespace driftwood::models {
namespace {

constexpr double window_base = 10000;

void complete(LanguageConfig& config) {
  config.post_norms = true;
  config.head_norms = true;
}

void read_gguf(const GgufKeys& keys, LanguageConfig& config) {
  read_gemma(config);
  complete(config);
  config.logit_softcap = keys.softcap("final_logit_softcapping").value_or(0);
  const std::uint32_t window = keys.metadata().get_u32_within(keys.full("attention.sliding_window"), 1, max_context);
  read_windows(
      keys, window, [](std::uint32_t layer) { return (layer + 1) % 6 != 0; }, config);
  if (!keys.f32("rope.freq_base")) config.rope.base = 1e6;
  // Scaling for long contexts is of the layers without a window.
  config.window_rope = LanguageRope{.base = keys.f32("rope.freq_base_swa").value_or(window_base)};
  // No key says that the 27B model, which has 62 layers, scales by the hidden size a head.
  if (config.layers == 62)
    config.attention_scale = 1 / std::sqrt(static_cast<float>(config.hidden) / static_cast<float>(config.heads));
}

void read_hugging_face(const HfConfig& hf, LanguageConfig& config) {
  if (hf.use_bidirectional_attention)
    throw Unsupported("'use_bidirectional_attention' is true: models for embeddings are not supported.");
  read_gemma(hf, config);
  complete(config);
  const std::uint32_t period = hf.sliding_window_pattern.value_or(6);
  read_windows(
      hf, [&](std::uint32_t layer) { return (layer + 1) % period != 0; }, config);
  if (!config.window_rope) config.window_rope = LanguageRope{.base = window_base};
}

}  // namespace

const Family gemma3 = {.architectures = {"gemma3"},
                       .model_types = {"gemma3_text", "gemma3"},
                       .read_gguf = read_gguf,
                       .read_hugging_face = read_hugging_face};

}  // namespace driftwood::models
