// What a language model is, whatever its family: its sizes, its positions, and what a layer is made of. Read from a
// GGUF file's metadata or a Hugging Face config.json by the family that the file names (families/).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/gguf_metadata.h"
#include "formats/hf_config.h"
#include "graph/operations/element_wise.h"
#include "graph/operations/rope.h"
#include "models/language_rope.h"

namespace driftwood::models {

struct LanguageConfig {
  std::string architecture = {};  // as the file names it: "llama", "gemma3"

  // ---- sizes
  std::uint32_t layers = 0;
  std::uint32_t hidden = 0;
  std::uint32_t intermediate = 0;
  std::uint32_t heads = 0;
  std::uint32_t kv_heads = 0;
  std::uint32_t head_size = 0;
  std::uint32_t vocabulary = 0;
  std::uint32_t trained_context = 0;  // tokens; 0: the file does not say
  float epsilon = 1e-5F;              // of the RMS norms

  // ---- positions
  std::uint32_t rotary = 0;  // channels of a head that turn
  graph::RopePairing pairing = graph::RopePairing::Halves;
  LanguageRope rope = {};
  std::optional<LanguageRope> window_rope = {};  // of the layers with a window, where theirs is another

  // ---- attention
  float attention_scale = 1;        // of the scores: 1 / sqrt(head_size) but for few
  float attention_softcap = 0;      // 0: none
  std::uint32_t window = 0;         // tokens that a layer with a window sees, its own included
  std::vector<bool> windowed = {};  // which layers have one: an entry a layer, or empty for none

  // ---- the layer
  bool fused_qkv = false;      // Q, K and V are one tensor
  bool fused_gate_up = false;  // gate and up are one tensor
  bool qkv_bias = false;       // must be there; other biases are added where the file has them
  bool head_norms = false;     // RMS norms of each head of Q and K before RoPE
  bool post_norms = false;     // RMS norms of what attention and feed-forward give to the residual stream
  float norm_offset = 0;       // added to the factors of norms as the file has them
  graph::ElementOp activation = graph::ElementOp::Silu;

  // ---- before and after the layers
  float embedding_scale = 1;
  float logit_softcap = 0;  // 0: none
  bool tied_head = false;   // the head is the embedding table

  /// The window of a layer, 0 where it has none.
  std::uint32_t window_of(std::uint32_t layer) const { return windowed.empty() || !windowed[layer] ? 0 : window; }
  const LanguageRope& rope_of(std::uint32_t layer) const {
    return window_rope && window_of(layer) != 0 ? *window_rope : rope;
  }

  bool operator==(const LanguageConfig& other) const = default;
};

// Limits far above any published model (the largest have 126 layers, 256 heads and a vocabulary of 262,208), so that no
// product of them overflows 64 bits.
inline constexpr std::uint32_t max_layers = 1024;
inline constexpr std::uint32_t max_width = 1u << 20;
inline constexpr std::uint32_t max_heads = 4096;
inline constexpr std::uint32_t max_head_size = 1024;
inline constexpr std::uint32_t max_vocabulary = 1u << 24;
inline constexpr std::uint32_t max_context = 1u << 28;
inline constexpr float max_softcap = 1e6F;

/// Throws InvalidInput, naming the key and the limit, where a value is missing, absurd or does not fit the others, and
/// Unsupported, listing those that are known, where the architecture is none of them.
LanguageConfig language_config(const GgufMetadata& metadata);
LanguageConfig language_config(const HfConfig& config);

/// Throws InvalidInput where numbers do not fit each other.
void check(const LanguageConfig& config);

}  // namespace driftwood::models
