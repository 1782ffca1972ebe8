// What config.json says of all families in the same words.
#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "models/families/family.h"

namespace driftwood::models {
namespace {

std::vector<float> to_floats(const std::vector<double>& values) { return {values.begin(), values.end()}; }

LanguageRope read_rope(const HfRope& hf, std::uint32_t trained_context) {
  LanguageRope rope{.base = hf.theta};
  const bool has_original = hf.original_max_position_embeddings != 0;
  const double original = has_original ? hf.original_max_position_embeddings : trained_context;
  if (hf.type == "linear") {
    rope.linear_factor = hf.factor;
  } else if (hf.type == "llama3") {
    rope.llama3 = {.factor = hf.factor,
                   .low_frequency_factor = hf.low_freq_factor,
                   .high_frequency_factor = hf.high_freq_factor,
                   .original_context = original};
  } else if (hf.type == "yarn") {
    rope.yarn = {
        .factor = hf.factor, .original_context = original, .beta_fast = hf.beta_fast, .beta_slow = hf.beta_slow};
    rope.magnitude = hf.attention_factor.value_or(yarn_magnitude(hf.factor));
  } else if (hf.type == "longrope") {
    if (hf.short_factor.empty() || hf.long_factor.empty())
      throw InvalidInput("The RoPE type 'longrope' needs the keys 'short_factor' and 'long_factor'.");
    rope.divisors = to_floats(hf.short_factor);
    rope.long_divisors = to_floats(hf.long_factor);
    rope.long_from = static_cast<std::uint32_t>(original);
    const double context = has_original ? trained_context : original * hf.factor;
    rope.magnitude = hf.attention_factor.value_or(longrope_magnitude(context, original));
  } else if (hf.type != "default") {
    throw Unsupported(fmt::format(
        "The RoPE type '{}' is not supported; supported are 'default', 'linear', 'llama3', 'yarn' and 'longrope'.",
        hf.type));
  }
  return rope;
}

}  // namespace

LanguageConfig language_config(const HfConfig& hf) {
  const Family& family = family_of_model_type(hf.model_type);
  LanguageConfig config;
  config.architecture = hf.model_type;
  config.layers = hf.num_hidden_layers;
  config.hidden = hf.hidden_size;
  config.intermediate = hf.intermediate_size;
  config.heads = hf.num_attention_heads;
  config.kv_heads = hf.num_key_value_heads;
  config.head_size = hf.head_dim;
  config.vocabulary = hf.vocab_size;
  config.trained_context = hf.max_position_embeddings;
  config.epsilon = static_cast<float>(hf.rms_norm_eps);
  config.rotary = static_cast<std::uint32_t>(hf.rope.partial_rotary_factor * hf.head_dim);
  config.rope = read_rope(hf.rope, hf.max_position_embeddings);
  if (hf.sliding_rope) config.window_rope = read_rope(*hf.sliding_rope, hf.max_position_embeddings);
  config.attention_scale = static_cast<float>(1.0 / std::sqrt(hf.query_pre_attn_scalar.value_or(hf.head_dim)));
  config.attention_softcap = static_cast<float>(hf.attn_logit_softcapping.value_or(0));
  config.logit_softcap = static_cast<float>(hf.final_logit_softcapping.value_or(0));
  config.qkv_bias = hf.attention_bias;
  config.tied_head = hf.tie_word_embeddings;
  family.read_hugging_face(hf, config);
  check(config);
  return config;
}

}  // namespace driftwood::models
