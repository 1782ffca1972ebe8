// The config.json of a Hugging Face language model, as plain numbers.
//
// Keys have changed over the years; both the present forms (rope_parameters, dtype) and the older ones (rope_theta,
// rope_scaling, torch_dtype) are read. Every number is held to a limit far above any real model, so that what is
// computed from them cannot overflow. Of a model for images and text, the part for text (text_config) is read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace driftwood {

/// Rotary position embedding. Fields of scalings that `type` does not name keep their defaults.
struct HfRope {
  std::string type = "default";  // default, linear, dynamic, yarn, llama3, longrope
  double theta = 10000;
  double partial_rotary_factor = 1;                    // the share of a head that rotates
  double factor = 1;                                   // linear, dynamic, yarn, llama3
  double low_freq_factor = 1;                          // llama3
  double high_freq_factor = 4;                         // llama3
  std::uint32_t original_max_position_embeddings = 0;  // llama3, yarn, longrope; 0 where not given
  double beta_fast = 32, beta_slow = 1;                // yarn
  std::optional<double> attention_factor;              // yarn, longrope
  std::vector<double> short_factor, long_factor;       // longrope
};

struct HfConfig {
  std::string model_type;                  // "llama", "qwen2"...
  std::vector<std::string> architectures;  // ["LlamaForCausalLM"]
  std::uint32_t hidden_size = 0;
  std::uint32_t intermediate_size = 0;
  std::uint32_t num_hidden_layers = 0;
  std::uint32_t num_attention_heads = 0;
  std::uint32_t num_key_value_heads = 0;  // num_attention_heads where the file has none
  std::uint32_t head_dim = 0;             // hidden_size / num_attention_heads where the file has none
  std::uint32_t vocab_size = 0;
  std::uint32_t max_position_embeddings = 2048;
  double rms_norm_eps = 1e-6;
  std::string hidden_act = "silu";  // hidden_activation, where that is given, comes first
  bool attention_bias = false;
  bool mlp_bias = false;
  bool tie_word_embeddings = false;  // true for the Gemma family where the file has none
  HfRope rope;
  std::optional<HfRope> sliding_rope;                   // of sliding-window layers, where it differs
  std::optional<std::uint32_t> sliding_window;          // nothing where attention is full everywhere
  std::vector<std::string> layer_types;                 // "full_attention", "sliding_attention"; empty or one a layer
  std::optional<std::uint32_t> sliding_window_pattern;  // Gemma 3: every how many layers one has no window
  std::uint32_t max_window_layers = 28;                 // Qwen: layers before the first that may have a window
  bool use_bidirectional_attention = false;             // Gemma 3: no causal mask
  std::optional<double> attn_logit_softcapping, final_logit_softcapping, query_pre_attn_scalar;
  std::optional<std::uint32_t> bos_token_id, pad_token_id;
  std::vector<std::uint32_t> eos_token_ids;  // the file has one number or a list
  std::string dtype;                         // "float16"; empty where not given
};

/// Reads FOLDER/config.json, or that file itself. Throws InvalidInput, naming the key, where it is no JSON, lacks a
/// size, or has a value of the wrong type or past its limit.
HfConfig read_hf_config(const std::filesystem::path& path);

/// The same from text.
HfConfig parse_hf_config(std::string_view json);

}  // namespace driftwood
