#include "models/quantization_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <utility>

#include "base/error.h"
#include "formats/quote.h"

namespace driftwood::models {
namespace {

// What the quantization decides itself, and what describes shards that are joined now.
constexpr std::array<std::string_view, 3> replaced_keys = {"general.file_type", "general.quantization_version",
                                                           "driftwood.scheme"};

// The name of GGUF that a file of the family goes by.
std::string gguf_architecture(const LanguageConfig& config) {
  if (config.architecture == "mistral") return "llama";
  if (config.architecture == "gemma3_text") return "gemma3";
  return config.architecture;
}

constexpr std::array<std::string_view, 17> layer_tensors = {
    "attn_norm.weight",    "attn_q.weight",      "attn_q.bias",        "attn_k.weight",
    "attn_k.bias",         "attn_v.weight",      "attn_v.bias",        "attn_qkv.weight",
    "attn_q_norm.weight",  "attn_k_norm.weight", "attn_output.weight", "post_attention_norm.weight",
    "ffn_norm.weight",     "ffn_gate.weight",    "ffn_up.weight",      "ffn_down.weight",
    "post_ffw_norm.weight"};

/// A tensor of floats that no file holds.
struct OwnTensor {
  std::vector<float> values;
  StoredTensor stored;

  OwnTensor(std::string name, std::vector<float> numbers) : values(std::move(numbers)) {
    stored = {.name = std::move(name),
              .type = DataType::F32,
              .dims = {values.size()},
              .bytes = std::as_bytes(std::span<const float>(values))};
  }
  OwnTensor(const OwnTensor&) = delete;
  OwnTensor& operator=(const OwnTensor&) = delete;
};

void add_own(QuantizationSource& source, const std::string& name, std::vector<float> values) {
  auto own = std::make_shared<OwnTensor>(name, std::move(values));
  source.tensors.push_back({.name = name, .stored = &own->stored});
  source.owned.push_back(std::move(own));
}

/// Scalings that GGUF has as divisors of the frequencies.
void add_rope_tensors(QuantizationSource& source, const LanguageConfig& config) {
  const LanguageRope& rope = config.rope;
  if (rope.llama3.factor != 1) {
    LanguageRope plain = rope;
    plain.llama3 = {};
    std::vector<float> divisors = rope_frequencies(plain, config.rotary, 1);
    const std::vector<float> scaled = rope_frequencies(rope, config.rotary, 1);
    for (std::size_t i = 0; i < divisors.size(); ++i) divisors[i] /= scaled[i];
    add_own(source, "rope_freqs.weight", std::move(divisors));
  }
  if (!rope.long_divisors.empty()) {
    add_own(source, "rope_factors_short.weight", rope.divisors);
    add_own(source, "rope_factors_long.weight", rope.long_divisors);
  }
}

/// Which layers have a window, where it is not what readers take for granted.
void add_window_pattern(GgufWriter& writer, const std::string& key, const std::string& architecture,
                        const LanguageConfig& config) {
  const auto follows = [&](std::uint32_t period) {  // every period-th layer has none
    for (std::uint32_t layer = 0; layer < config.layers; ++layer) {
      if (config.windowed[layer] != ((layer + 1) % period != 0)) return false;
    }
    return true;
  };
  const bool has_all = std::ranges::find(config.windowed, false) == config.windowed.end();
  const bool is_usual = architecture == "gemma2" ? follows(2) : architecture == "gemma3" ? follows(6) : has_all;
  if (is_usual) return;
  for (std::uint32_t period = 2; period <= config.layers; ++period) {
    if (follows(period)) return writer.add(key, period);
  }
  std::vector<std::byte> flags;
  for (const bool is_windowed : config.windowed) flags.push_back(static_cast<std::byte>(is_windowed));
  writer.add(key, GgufArray(GgufType::Bool, flags.size(), flags));
}

void add_rope(GgufWriter& writer, const std::string& prefix, const LanguageConfig& config) {
  const LanguageRope& rope = config.rope;
  const auto number = [&](std::string_view name, double value) {
    writer.add(prefix + std::string(name), static_cast<float>(value));
  };
  number("rope.freq_base", rope.base);
  if (config.window_rope) number("rope.freq_base_swa", config.window_rope->base);
  double usual_magnitude = 1;
  if (rope.linear_factor != 1) {
    writer.add(prefix + "rope.scaling.type", std::string_view("linear"));
    number("rope.scaling.factor", rope.linear_factor);
  } else if (rope.yarn.factor != 1) {
    writer.add(prefix + "rope.scaling.type", std::string_view("yarn"));
    number("rope.scaling.factor", rope.yarn.factor);
    number("rope.scaling.yarn_beta_fast", rope.yarn.beta_fast);
    number("rope.scaling.yarn_beta_slow", rope.yarn.beta_slow);
    writer.add(prefix + "rope.scaling.original_context_length", static_cast<std::uint32_t>(rope.yarn.original_context));
    usual_magnitude = yarn_magnitude(rope.yarn.factor);
  } else if (!rope.long_divisors.empty()) {
    writer.add(prefix + "rope.scaling.original_context_length", rope.long_from);
  }
  if (rope.magnitude != usual_magnitude) number("rope.scaling.attn_factor", rope.magnitude / usual_magnitude);
}

void add_config(GgufWriter& writer, const Checkpoint& folder) {
  const LanguageConfig& config = folder.config();
  const std::string architecture = gguf_architecture(config), prefix = architecture + ".";
  writer.add("general.architecture", std::string_view(architecture));
  writer.add("general.name", std::string_view(folder.name()));
  const auto number = [&](std::string_view name, std::uint32_t value) {
    writer.add(prefix + std::string(name), value);
  };
  number("block_count", config.layers);
  number("embedding_length", config.hidden);
  number("feed_forward_length", config.intermediate);
  number("attention.head_count", config.heads);
  number("attention.head_count_kv", config.kv_heads);
  number("attention.key_length", config.head_size);
  number("attention.value_length", config.head_size);
  number("rope.dimension_count", config.rotary);
  if (config.trained_context != 0) number("context_length", config.trained_context);
  number("vocab_size", config.vocabulary);
  writer.add(prefix + "attention.layer_norm_rms_epsilon", config.epsilon);
  if (config.window != 0 && !config.windowed.empty()) {
    number("attention.sliding_window", config.window);
    add_window_pattern(writer, prefix + "attention.sliding_window_pattern", architecture, config);
  }
  if (config.attention_softcap != 0) writer.add(prefix + "attn_logit_softcapping", config.attention_softcap);
  if (config.logit_softcap != 0) writer.add(prefix + "final_logit_softcapping", config.logit_softcap);
  add_rope(writer, prefix, config);
}

}  // namespace

QuantizationSource quantization_source(const GgufFile& file) {
  QuantizationSource source;
  for (const StoredTensor& tensor : file.tensors().all()) {
    source.tensors.push_back({.name = tensor.name, .stored = &tensor});
  }
  source.add_metadata = [&file](GgufWriter& writer) {
    for (const auto& [key, value] : file.metadata().entries()) {
      if (key.starts_with("split.") || std::ranges::find(replaced_keys, key) != replaced_keys.end()) continue;
      writer.add(key, value);
    }
  };
  source.release = [&file](const StoredTensor& tensor) { file.release(tensor); };
  return source;
}

QuantizationSource quantization_source(const Checkpoint& folder) {
  const LanguageConfig& config = folder.config();
  const bool is_adjacent = gguf_architecture(config) == "llama";
  QuantizationSource source;
  add_rope_tensors(source, config);
  std::set<const StoredTensor*> placed;
  const auto add = [&](const std::string& name) {
    const StoredTensor* const tensor = folder.find(name);
    if (tensor == nullptr) return;
    placed.insert(tensor);
    SourceTensor entry{.name = name, .stored = tensor};
    if (is_adjacent && name.find("attn_q.") != std::string::npos) entry.adjacent_heads = config.heads;
    if (is_adjacent && name.find("attn_k.") != std::string::npos) entry.adjacent_heads = config.kv_heads;
    if (name.ends_with("norm.weight")) entry.offset = config.norm_offset;
    source.tensors.push_back(std::move(entry));
  };
  add("token_embd.weight");
  add("output_norm.weight");
  // Of a tied head some files hold a copy, which readers would take for another.
  if (!config.tied_head) add("output.weight");
  for (std::uint32_t layer = 0; layer < config.layers; ++layer) {
    for (const std::string_view name : layer_tensors) add(fmt::format("blk.{}.{}", layer, name));
  }
  for (const StoredTensor& tensor : folder.tensors().all()) {
    const bool is_left = tensor.name.starts_with(folder.layer_prefix()) && !placed.contains(&tensor) &&
                         !tensor.name.ends_with("rotary_emb.inv_freq");
    if (is_left) {
      throw Unsupported(fmt::format("The tensor {} has no name in GGUF files of the architecture '{}'.",
                                    quote_name(tensor.name), gguf_architecture(config)));
    }
  }
  source.add_metadata = [&folder](GgufWriter& writer) { add_config(writer, folder); };
  source.release = [&folder](const StoredTensor& tensor) { folder.release(tensor); };
  return source;
}

}  // namespace driftwood::models
