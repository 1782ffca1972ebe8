// The GGUF file that a converter would make of a Hugging Face folder: its names, its order of rows, its norms.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "formats/gguf_builder.h"
#include "models/checkpoint.h"
#include "models/language_names.h"

namespace driftwood::test {

/// What is left out of a file or put in otherwise, by key or tensor, to make a wrong one.
struct GgufChanges {
  std::set<std::string> without = {};
  std::map<std::string, std::function<void(testing::GgufBuilder&, const std::string&)>> with = {};
};

/// Matrices keep their type, vectors become f32.
inline std::vector<std::byte> gguf_of_folder(const models::Checkpoint& folder, const GgufChanges& changes = {}) {
  const models::LanguageConfig& config = folder.config();
  std::string architecture = config.architecture;
  if (architecture == "mistral") architecture = "llama";
  if (architecture == "gemma3_text") architecture = "gemma3";

  testing::GgufBuilder file;
  const auto is_usual = [&](const std::string& name) {
    return !changes.without.contains(name) && !changes.with.contains(name);
  };
  const auto u32 = [&](const std::string& name, std::uint32_t value) {
    if (const std::string key = architecture + "." + name; is_usual(key)) file.u32(key, value);
  };
  const auto f32 = [&](const std::string& name, float value) {
    if (const std::string key = architecture + "." + name; is_usual(key)) file.f32(key, value);
  };
  file.string("general.architecture", architecture);
  u32("block_count", config.layers);
  u32("embedding_length", config.hidden);
  u32("feed_forward_length", config.intermediate);
  u32("attention.head_count", config.heads);
  u32("attention.head_count_kv", config.kv_heads);
  u32("attention.key_length", config.head_size);
  u32("attention.value_length", config.head_size);
  u32("rope.dimension_count", config.rotary);
  u32("context_length", config.trained_context);
  u32("vocab_size", config.vocabulary);
  f32("attention.layer_norm_rms_epsilon", config.epsilon);
  f32("rope.freq_base", static_cast<float>(config.rope.base));
  if (config.window != 0) u32("attention.sliding_window", config.window);
  if (config.attention_softcap != 0) f32("attn_logit_softcapping", config.attention_softcap);
  if (config.logit_softcap != 0) f32("final_logit_softcapping", config.logit_softcap);

  const auto divisors = [&](const std::string& name, const std::vector<float>& values) {
    if (is_usual(name)) file.f32_tensor(name, {values.size()}, values);
  };
  const auto& rope = config.rope;
  if (rope.llama3.factor != 1) {
    models::LanguageRope plain = rope;
    plain.llama3 = {};
    std::vector<float> ratios = rope_frequencies(plain, config.rotary, 1);
    const std::vector<float> scaled = rope_frequencies(rope, config.rotary, 1);
    for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] /= scaled[i];
    divisors("rope_freqs.weight", ratios);
  }
  if (!rope.long_divisors.empty()) {
    f32("rope.scaling.attn_factor", static_cast<float>(rope.magnitude));
    u32("rope.scaling.original_context_length", rope.long_from);
    divisors("rope_factors_short.weight", rope.divisors);
    divisors("rope_factors_long.weight", rope.long_divisors);
  }

  // Pairs of channels of the architecture "llama" are neighbours: channel i of a head, then i + head size / 2.
  const auto reordered = [&](std::span<const std::byte> rows, std::uint64_t count) {
    const std::size_t row = rows.size() / count, half = config.head_size / 2;
    std::vector<std::byte> result(rows.size());
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t head = i / config.head_size, within = i % config.head_size;
      const std::size_t from = head * config.head_size + within / 2 + within % 2 * half;
      std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(from * row), row,
                  result.begin() + static_cast<std::ptrdiff_t>(i * row));
    }
    return result;
  };
  const auto add = [&](const std::string& name) {
    const StoredTensor* tensor = folder.find(name);
    if (tensor == nullptr || !is_usual(name)) return;
    const std::uint64_t rows = tensor->dims.back();
    const bool is_paired = architecture == "llama" &&
                           (name.find("attn_q.") != std::string::npos || name.find("attn_k.") != std::string::npos);
    if (tensor->dims.size() == 1) {
      std::vector<float> values = folder.vector(name, static_cast<std::uint32_t>(rows));
      if (name.find("norm") != std::string::npos)
        for (float& value : values) value += config.norm_offset;
      const auto bytes = std::as_bytes(std::span(values));
      file.tensor(name, 0, {rows},
                  is_paired ? reordered(bytes, rows) : std::vector<std::byte>(bytes.begin(), bytes.end()));
    } else {
      constexpr std::uint32_t f16 = 1;
      file.tensor(name, f16, tensor->dims,
                  is_paired ? reordered(tensor->bytes, rows)
                            : std::vector<std::byte>(tensor->bytes.begin(), tensor->bytes.end()));
    }
  };
  for (const char* name : {"token_embd.weight", "output_norm.weight"}) add(name);
  if (!config.tied_head) add("output.weight");
  for (std::uint32_t layer = 0; layer < config.layers; ++layer)
    for (const char* name :
         {"attn_norm.weight", "attn_q.weight", "attn_q.bias", "attn_k.weight", "attn_k.bias", "attn_v.weight",
          "attn_v.bias", "attn_qkv.weight", "attn_q_norm.weight", "attn_k_norm.weight", "attn_output.weight",
          "post_attention_norm.weight", "ffn_norm.weight", "ffn_gate.weight", "ffn_up.weight", "ffn_down.weight",
          "post_ffw_norm.weight"})
      add("blk." + std::to_string(layer) + "." + name);
  for (const auto& [name, put] : changes.with) put(file, name);
  return file.build();
}

}  // namespace driftwood::test
