// What GGUF files of all families say in the same words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "models/families/family.h"

namespace driftwood::models {
namespace {

/// head_count_kv may be an array, one number a layer; layers that differ are another family.
std::uint32_t kv_head_count(const GgufMetadata& metadata, const std::string& key, std::uint32_t heads) {
  const GgufValue* value = metadata.find(key);
  if (value == nullptr) return heads;
  if (!std::holds_alternative<GgufArray>(*value)) return metadata.get_u32_within(key, 1, max_heads);
  const std::vector<std::int64_t> counts = metadata.get_integers(key);
  if (counts.empty() || !std::ranges::all_of(counts, [&](std::int64_t n) { return n == counts.front(); }))
    throw Unsupported(fmt::format("'{}' differs between layers, which no known family does.", key));
  if (counts.front() < 1 || counts.front() > max_heads)
    throw InvalidInput(fmt::format("'{}' is {}, not within 1 and {}.", key, counts.front(), max_heads));
  return static_cast<std::uint32_t>(counts.front());
}

std::uint32_t vocabulary_size(const GgufKeys& keys) {
  if (const auto size = keys.u32("vocab_size"); size && *size != 0) return *size;
  const GgufValue* tokens = keys.metadata().find("tokenizer.ggml.tokens");
  const auto* array = tokens == nullptr ? nullptr : std::get_if<GgufArray>(tokens);
  if (array == nullptr)
    throw InvalidInput(
        fmt::format("Neither '{}' nor 'tokenizer.ggml.tokens' gives the vocabulary's size.", keys.full("vocab_size")));
  if (array->size() > max_vocabulary)
    throw InvalidInput(
        fmt::format("'tokenizer.ggml.tokens' has {} tokens, over the limit of {}.", array->size(), max_vocabulary));
  return static_cast<std::uint32_t>(array->size());
}

/// The factors of LongRoPE are tensors (Checkpoint reads them); the rest is here.
LanguageRope read_rope(const GgufKeys& keys, std::uint32_t trained_context) {
  LanguageRope rope;
  rope.base = keys.f32("rope.freq_base").value_or(10000.0F);
  const std::string type_key = keys.full("rope.scaling.type");
  const auto type = keys.metadata().find_string(type_key).value_or("none");
  const double factor = keys.f32("rope.scaling.factor").value_or(1.0F);
  const std::uint32_t original = keys.u32("rope.scaling.original_context_length").value_or(trained_context);
  rope.long_from = original;
  if (type == "linear") {
    rope.linear_factor = factor;
  } else if (type == "yarn") {
    rope.yarn = {.factor = factor, .original_context = static_cast<double>(original)};
    rope.yarn.beta_fast = keys.f32("rope.scaling.yarn_beta_fast").value_or(32.0F);
    rope.yarn.beta_slow = keys.f32("rope.scaling.yarn_beta_slow").value_or(1.0F);
    rope.magnitude = yarn_magnitude(factor);
  } else if (type != "none" && type != "longrope") {
    throw Unsupported(
        fmt::format("'{}' is '{}'; supported are 'none', 'linear', 'yarn' and 'longrope'.", type_key, type));
  }
  rope.magnitude *= keys.f32("rope.scaling.attn_factor").value_or(1.0F);
  return rope;
}

}  // namespace

std::optional<float> GgufKeys::softcap(std::string_view key) const {
  const std::optional<float> value = f32(key);
  if (value && !(*value > 0 && *value <= max_softcap))
    throw InvalidInput(
        fmt::format("The metadata key '{}' is {}, but must be over 0 and at most {}.", full(key), *value, max_softcap));
  return value;
}

LanguageConfig language_config(const GgufMetadata& metadata) {
  LanguageConfig config;
  config.architecture = std::string(metadata.get_string("general.architecture"));
  const Family& family = family_of_architecture(config.architecture);
  const GgufKeys keys(metadata, config.architecture);
  const auto within = [&](std::string_view key, std::uint32_t most) {
    return metadata.get_u32_within(keys.full(key), 1, most);
  };
  config.layers = within("block_count", max_layers);
  config.hidden = within("embedding_length", max_width);
  config.intermediate = within("feed_forward_length", max_width);
  config.heads = within("attention.head_count", max_heads);
  config.kv_heads = kv_head_count(metadata, keys.full("attention.head_count_kv"), config.heads);
  if (metadata.has(keys.full("context_length"))) config.trained_context = within("context_length", max_context);
  config.head_size = keys.u32("attention.key_length").value_or(config.hidden / config.heads);
  if (keys.u32("attention.value_length").value_or(config.head_size) != config.head_size)
    throw Unsupported(
        fmt::format("'{}' differs from the key length {}.", keys.full("attention.value_length"), config.head_size));
  if (const std::uint32_t experts = keys.u32("expert_count").value_or(0); experts != 0)
    throw Unsupported(
        fmt::format("'{}' is {}: mixtures of experts are not supported.", keys.full("expert_count"), experts));
  config.epsilon = metadata.get_f32(keys.full("attention.layer_norm_rms_epsilon"));
  config.attention_scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(config.head_size)));
  config.rotary = keys.u32("rope.dimension_count").value_or(config.head_size);
  config.rope = read_rope(keys, config.trained_context);
  config.vocabulary = vocabulary_size(keys);
  family.read_gguf(keys, config);
  check(config);
  return config;
}

}  // namespace driftwood::models
