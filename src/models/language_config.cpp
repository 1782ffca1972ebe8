#include "models/language_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"

namespace driftwood::models {
namespace {

// Limits far above any published model (the largest have 126 layers, 256 heads and a vocabulary of 262,144), so that
// no product of them overflows 64 bits.
constexpr std::uint32_t max_layers = 1024;
constexpr std::uint32_t max_width = 1u << 20;
constexpr std::uint32_t max_heads = 4096;
constexpr std::uint32_t max_head_size = 1024;
constexpr std::uint32_t max_vocabulary = 1u << 24;
constexpr std::uint32_t max_context = 1u << 28;

void check_heads(const LanguageConfig& config) {
  if (config.kv_heads == 0 || config.heads % config.kv_heads != 0)
    throw InvalidInput(fmt::format("The model has {} attention heads, which is no multiple of its {} KV heads.",
                                   config.heads, config.kv_heads));
  if (config.head_size == 0 || config.head_size > max_head_size)
    throw InvalidInput(fmt::format("The head size {} is not within 1 and {}.", config.head_size, max_head_size));
  if (config.rotary == 0 || config.rotary % 2 != 0 || config.rotary > config.head_size)
    throw InvalidInput(fmt::format("The rotary dimension {} is not an even number up to the head size {}.",
                                   config.rotary, config.head_size));
  if (!(config.epsilon >= 0 && config.epsilon < 1))
    throw InvalidInput(fmt::format("The epsilon {} of the RMS norms is not within 0 and 1.", config.epsilon));
  if (!(config.rope_base > 0 && std::isfinite(config.rope_base)))
    throw InvalidInput(fmt::format("The RoPE base {} is no positive number.", config.rope_base));
  if (!(config.rope_linear_factor > 0 && std::isfinite(config.rope_linear_factor)))
    throw InvalidInput(fmt::format("The RoPE scaling factor {} is no positive number.", config.rope_linear_factor));
}

/// head_count_kv may be an array, one number a layer; layers that differ are another family.
std::uint32_t kv_head_count(const GgufMetadata& metadata, const std::string& key, std::uint32_t heads) {
  const GgufValue* value = metadata.find(key);
  if (value == nullptr) return heads;
  if (!std::holds_alternative<GgufArray>(*value)) return metadata.get_u32_within(key, 1, max_heads);
  const std::vector<std::int64_t> counts = metadata.get_integers(key);
  if (counts.empty() || !std::ranges::all_of(counts, [&](std::int64_t n) { return n == counts.front(); }))
    throw Unsupported(fmt::format("'{}' differs between layers, which the Llama family does not do.", key));
  if (counts.front() < 1 || counts.front() > max_heads)
    throw InvalidInput(fmt::format("'{}' is {}, not within 1 and {}.", key, counts.front(), max_heads));
  return static_cast<std::uint32_t>(counts.front());
}

}  // namespace

LanguageConfig language_config(const GgufMetadata& metadata) {
  LanguageConfig config;
  config.architecture = std::string(metadata.get_string("general.architecture"));
  if (config.architecture != "llama")
    throw Unsupported(
        fmt::format("The architecture '{}' is not supported; supported is 'llama'.", config.architecture));
  const auto key = [&](std::string_view name) { return fmt::format("{}.{}", config.architecture, name); };
  config.layers = metadata.get_u32_within(key("block_count"), 1, max_layers);
  config.hidden = metadata.get_u32_within(key("embedding_length"), 1, max_width);
  config.intermediate = metadata.get_u32_within(key("feed_forward_length"), 1, max_width);
  config.heads = metadata.get_u32_within(key("attention.head_count"), 1, max_heads);
  config.kv_heads = kv_head_count(metadata, key("attention.head_count_kv"), config.heads);
  config.trained_context =
      metadata.has(key("context_length")) ? metadata.get_u32_within(key("context_length"), 1, max_context) : 0;
  config.head_size = metadata.find_u32(key("attention.key_length")).value_or(config.hidden / config.heads);
  if (metadata.find_u32(key("attention.value_length")).value_or(config.head_size) != config.head_size)
    throw Unsupported(
        fmt::format("'{}' differs from the key length {}.", key("attention.value_length"), config.head_size));
  if (metadata.find_u32(key("expert_count")).value_or(0) != 0)
    throw Unsupported(fmt::format("'{}' is {}: mixtures of experts are not supported.", key("expert_count"),
                                  metadata.get_u32(key("expert_count"))));
  config.epsilon = metadata.get_f32(key("attention.layer_norm_rms_epsilon"));
  config.rotary = metadata.find_u32(key("rope.dimension_count")).value_or(config.head_size);
  config.rope_base = metadata.find_f32(key("rope.freq_base")).value_or(10000.0F);
  const auto scaling = metadata.find_string(key("rope.scaling.type")).value_or("none");
  if (scaling == "linear")
    config.rope_linear_factor = metadata.find_f32(key("rope.scaling.factor")).value_or(1.0F);
  else if (scaling != "none")
    throw Unsupported(
        fmt::format("'{}' is '{}'; supported are 'none' and 'linear'.", key("rope.scaling.type"), scaling));
  // Converters to GGUF reorder the rows of Q and K so that pairs are neighbours.
  config.pairing = graph::RopePairing::Adjacent;

  if (const auto size = metadata.find_u32(key("vocab_size"))) config.vocabulary = *size;
  if (config.vocabulary == 0) {
    const GgufValue* tokens = metadata.find("tokenizer.ggml.tokens");
    const auto* array = tokens == nullptr ? nullptr : std::get_if<GgufArray>(tokens);
    if (array == nullptr)
      throw InvalidInput(
          fmt::format("Neither '{}' nor 'tokenizer.ggml.tokens' gives the vocabulary's size.", key("vocab_size")));
    if (array->size() > max_vocabulary)
      throw InvalidInput(
          fmt::format("'tokenizer.ggml.tokens' has {} tokens, over the limit of {}.", array->size(), max_vocabulary));
    config.vocabulary = static_cast<std::uint32_t>(array->size());
  }
  if (config.vocabulary == 0 || config.vocabulary > max_vocabulary)
    throw InvalidInput(
        fmt::format("The vocabulary size {} is not within 1 and {}.", config.vocabulary, max_vocabulary));
  check_heads(config);
  return config;
}

LanguageConfig language_config(const HfConfig& hf) {
  if (hf.model_type != "llama")
    throw Unsupported(fmt::format("The model type '{}' is not supported; supported is 'llama'.", hf.model_type));
  if (hf.hidden_act != "silu")
    throw Unsupported(fmt::format("'hidden_act' is '{}'; the Llama family has 'silu'.", hf.hidden_act));
  if (hf.attention_bias || hf.mlp_bias)
    throw Unsupported(fmt::format("'{}' is true; biases are not supported in the Llama family.",
                                  hf.attention_bias ? "attention_bias" : "mlp_bias"));
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
  config.rotary = static_cast<std::uint32_t>(std::lround(hf.rope.partial_rotary_factor * hf.head_dim));
  config.rope_base = hf.rope.theta;
  config.pairing = graph::RopePairing::Halves;
  if (hf.rope.type == "linear")
    config.rope_linear_factor = hf.rope.factor;
  else if (hf.rope.type == "llama3")
    config.llama3 = {.factor = hf.rope.factor,
                     .low_frequency_factor = hf.rope.low_freq_factor,
                     .high_frequency_factor = hf.rope.high_freq_factor,
                     .original_context = hf.rope.original_max_position_embeddings != 0
                                             ? static_cast<double>(hf.rope.original_max_position_embeddings)
                                             : static_cast<double>(hf.max_position_embeddings)};
  else if (hf.rope.type != "default")
    throw Unsupported(fmt::format(
        "The RoPE type '{}' is not supported; supported are 'default', 'linear' and 'llama3'.", hf.rope.type));
  check_heads(config);
  return config;
}

std::vector<float> rope_frequencies(const LanguageConfig& config, const std::vector<float>& divisors) {
  const std::uint32_t pairs = config.rotary / 2;
  if (!divisors.empty() && divisors.size() != pairs)
    throw InvalidInput(
        fmt::format("The tensor 'rope_freqs.weight' has {} values where the rotary dimension {} needs {}.",
                    divisors.size(), config.rotary, pairs));
  std::vector<float> frequencies(pairs);
  const auto& scaling = config.llama3;
  for (std::uint32_t i = 0; i < pairs; ++i) {
    double frequency = std::pow(config.rope_base, -2.0 * i / config.rotary) / config.rope_linear_factor;
    if (scaling.factor != 1) {
      // Wavelengths past original_context / low_frequency_factor are stretched by the factor, those under
      // original_context / high_frequency_factor stay, and those between are interpolated.
      const double turns = scaling.original_context * frequency / (2 * std::numbers::pi);
      const double smooth = std::clamp(
          (turns - scaling.low_frequency_factor) / (scaling.high_frequency_factor - scaling.low_frequency_factor), 0.0,
          1.0);
      frequency = (1 - smooth) * frequency / scaling.factor + smooth * frequency;
    }
    if (!divisors.empty()) frequency /= divisors[i];
    frequencies[i] = static_cast<float>(frequency);
  }
  return frequencies;
}

}  // namespace driftwood::models
