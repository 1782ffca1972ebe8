#include "models/language_names.h"

#include <fmt/format.h>

#include <span>
#include <utility>

namespace driftwood::models {
namespace {

using Name = std::pair<std::string_view, std::string_view>;

// Of tensors "NAME.weight" and, some of them, "NAME.bias".
constexpr Name layer_names[] = {
    {"attn_norm", "input_layernorm"},    {"attn_q", "self_attn.q_proj"},      {"attn_k", "self_attn.k_proj"},
    {"attn_v", "self_attn.v_proj"},      {"attn_qkv", "self_attn.qkv_proj"},  {"attn_output", "self_attn.o_proj"},
    {"attn_q_norm", "self_attn.q_norm"}, {"attn_k_norm", "self_attn.k_norm"}, {"ffn_gate", "mlp.gate_proj"},
    {"ffn_down", "mlp.down_proj"},
};

// With norms only before attention and feed-forward, the second is called by its place after attention.
constexpr Name pre_norm_names[] = {{"ffn_norm", "post_attention_layernorm"}};
constexpr Name post_norm_names[] = {{"post_attention_norm", "post_attention_layernorm"},
                                    {"ffn_norm", "pre_feedforward_layernorm"},
                                    {"post_ffw_norm", "post_feedforward_layernorm"}};

constexpr Name separate_names[] = {{"ffn_up", "mlp.up_proj"}};
constexpr Name fused_names[] = {{"ffn_up", "mlp.gate_up_proj"}};

std::string_view find(std::span<const Name> names, std::string_view gguf) {
  for (const auto& [own, hugging_face] : names)
    if (own == gguf) return hugging_face;
  return {};
}

}  // namespace

std::string hugging_face_name(std::string_view gguf_name, const LanguageConfig& config, std::string_view prefix) {
  if (gguf_name == "token_embd.weight") return fmt::format("{}embed_tokens.weight", prefix);
  if (gguf_name == "output_norm.weight") return fmt::format("{}norm.weight", prefix);
  // "language_model.model." has its head beside "model.".
  if (gguf_name == "output.weight")
    return fmt::format("{}lm_head.weight", prefix.ends_with(".model.") ? prefix.substr(0, prefix.size() - 6) : "");
  const std::size_t number_end = gguf_name.find('.', 4), end = gguf_name.rfind('.');
  if (!gguf_name.starts_with("blk.") || number_end == std::string_view::npos || end <= number_end)
    return std::string(gguf_name);
  const std::string_view name = gguf_name.substr(number_end + 1, end - number_end - 1);
  for (const std::span<const Name> names :
       {std::span<const Name>(layer_names), config.post_norms ? std::span<const Name>(post_norm_names) : pre_norm_names,
        config.fused_gate_up ? std::span<const Name>(fused_names) : separate_names})
    if (const std::string_view found = find(names, name); !found.empty())
      return fmt::format("{}layers.{}.{}{}", prefix, gguf_name.substr(4, number_end - 4), found, gguf_name.substr(end));
  return std::string(gguf_name);
}

}  // namespace driftwood::models
