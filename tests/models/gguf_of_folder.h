// The GGUF file that a converter would make of a Hugging Face folder: its names, its order of rows, its norms.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "formats/gguf_builder.h"
#include "models/checkpoint.h"
#include "models/language_names.h"

namespace driftwood::test {

/// Matrices keep their type, vectors become f32.
inline std::vector<std::byte> gguf_of_folder(const models::Checkpoint& folder) {
  const models::LanguageConfig& config = folder.config();
  std::string architecture = config.architecture;
  if (architecture == "mistral") architecture = "llama";
  if (architecture == "gemma3_text") architecture = "gemma3";

  testing::GgufBuilder file;
  file.string("general.architecture", architecture);
  const auto key = [&](const std::string& name) { return architecture + "." + name; };
  file.u32(key("block_count"), config.layers)
      .u32(key("embedding_length"), config.hidden)
      .u32(key("feed_forward_length"), config.intermediate)
      .u32(key("attention.head_count"), config.heads)
      .u32(key("attention.head_count_kv"), config.kv_heads)
      .u32(key("attention.key_length"), config.head_size)
      .u32(key("attention.value_length"), config.head_size)
      .u32(key("rope.dimension_count"), config.rotary)
      .u32(key("context_length"), config.trained_context)
      .u32(key("vocab_size"), config.vocabulary)
      .f32(key("attention.layer_norm_rms_epsilon"), config.epsilon)
      .f32(key("rope.freq_base"), static_cast<float>(config.rope.base));
  if (config.window != 0) file.u32(key("attention.sliding_window"), config.window);
  if (config.attention_softcap != 0) file.f32(key("attn_logit_softcapping"), config.attention_softcap);
  if (config.logit_softcap != 0) file.f32(key("final_logit_softcapping"), config.logit_softcap);

  const auto& rope = config.rope;
  if (rope.llama3.factor != 1) {
    models::LanguageRope plain = rope;
    plain.llama3 = {};
    std::vector<float> divisors = rope_frequencies(plain, config.rotary, 1);
    const std::vector<float> scaled = rope_frequencies(rope, config.rotary, 1);
    for (std::size_t i = 0; i < divisors.size(); ++i) divisors[i] /= scaled[i];
    file.f32_tensor("rope_freqs.weight", {divisors.size()}, divisors);
  }
  if (!rope.long_divisors.empty()) {
    file.f32(key("rope.scaling.attn_factor"), static_cast<float>(rope.magnitude));
    file.u32(key("rope.scaling.original_context_length"), rope.long_from);
    file.f32_tensor("rope_factors_short.weight", {rope.divisors.size()}, rope.divisors);
    file.f32_tensor("rope_factors_long.weight", {rope.long_divisors.size()}, rope.long_divisors);
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
    if (tensor == nullptr) return;
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
  return file.build();
}

}  // namespace driftwood::test
