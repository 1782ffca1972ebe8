// A family of language models: the names by which files call it, and how it differs from what the shared parts take for
// granted. Shared parts read sizes, norms' epsilon, RoPE and the vocabulary (language_config_gguf.cpp,
// language_config_hugging_face.cpp), name the tensors (language_names) and build the graph (language_graph) from the
// LanguageConfig that a family completes.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "formats/gguf_metadata.h"
#include "formats/hf_config.h"
#include "models/language_config.h"

namespace driftwood::models {

/// The keys of one architecture in GGUF metadata: "block_count" is read from "llama.block_count".
class GgufKeys {
 public:
  GgufKeys(const GgufMetadata& metadata, std::string_view architecture)
      : metadata_(metadata), architecture_(architecture) {}

  const GgufMetadata& metadata() const { return metadata_; }
  std::string full(std::string_view key) const { return architecture_ + "." + std::string(key); }
  std::optional<std::uint32_t> u32(std::string_view key) const { return metadata_.find_u32(full(key)); }
  std::optional<float> f32(std::string_view key) const { return metadata_.find_f32(full(key)); }
  /// A soft cap; nothing where the key is missing. Throws InvalidInput where it is no positive number.
  std::optional<float> softcap(std::string_view key) const;

 private:
  const GgufMetadata& metadata_;
  std::string architecture_;
};

/// Up to two; the rest is empty.
using FamilyNames = std::array<std::string_view, 2>;

struct Family {
  FamilyNames architectures;  // in GGUF's general.architecture
  FamilyNames model_types;    // in config.json's model_type
  /// Completes what the shared readers have read.
  void (*read_gguf)(const GgufKeys& keys, LanguageConfig& config);
  void (*read_hugging_face)(const HfConfig& hf, LanguageConfig& config);
};

// The families, each in a file of its own.
extern const Family llama, mistral, qwen2, qwen3, phi3, gemma, gemma2, gemma3;

/// All of them.
std::span<const Family* const> families();

/// The family that a file names. Throws Unsupported, listing all that are known.
const Family& family_of_architecture(std::string_view architecture);
const Family& family_of_model_type(std::string_view model_type);

// ---- what several families share

/// Which of `layers` have a window by a rule of their number.
std::vector<bool> windowed_layers(std::uint32_t layers, const std::function<bool(std::uint32_t)>& rule);
/// GGUF's attention.sliding_window, or `usual` where the file has none; 0: no window. Layers by attention.
/// sliding_window_pattern, a number or an array, or else by `rule`.
void read_windows(const GgufKeys& keys, std::uint32_t usual, const std::function<bool(std::uint32_t)>& rule,
                  LanguageConfig& config);
/// sliding_window of config.json; layers by layer_types, or else by `rule`.
void read_windows(const HfConfig& hf, const std::function<bool(std::uint32_t)>& rule, LanguageConfig& config);
/// Throws Unsupported where the activation is none of `known`.
void require_activation(const HfConfig& hf, std::initializer_list<std::string_view> known);
/// What all of Gemma has: scaled embeddings, a gated GELU, the head tied, and in Hugging Face's files norms whose
/// factors lack 1.
void read_gemma(LanguageConfig& config);
void read_gemma(const HfConfig& hf, LanguageConfig& config);

}  // namespace driftwood::models
