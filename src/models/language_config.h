// The numbers of a Llama-family model, from a GGUF file's metadata or a Hugging Face config.json.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/gguf_metadata.h"
#include "formats/hf_config.h"
#include "graph/operations/rope.h"

namespace driftwood::models {

struct LanguageConfig {
  std::string architecture;  // "llama"
  std::uint32_t layers = 0;
  std::uint32_t hidden = 0;
  std::uint32_t intermediate = 0;
  std::uint32_t heads = 0;
  std::uint32_t kv_heads = 0;
  std::uint32_t head_size = 0;
  std::uint32_t vocabulary = 0;
  std::uint32_t trained_context = 0;  // tokens; 0: the file does not say
  float epsilon = 1e-5F;              // of the RMS norms
  std::uint32_t rotary = 0;           // channels of a head that turn
  double rope_base = 10000;
  double rope_linear_factor = 1;  // positions are divided by it
  graph::RopePairing pairing = graph::RopePairing::Halves;
  /// Llama-3 scaling of the rotary frequencies; factor 1: none.
  struct Llama3Scaling {
    double factor = 1, low_frequency_factor = 1, high_frequency_factor = 4, original_context = 8192;
  } llama3;

  bool operator==(const LanguageConfig& other) const = default;
};

/// Throws InvalidInput, naming the key and the limit, where a value is missing, absurd or does not fit the others, and
/// Unsupported where the architecture or a kind of RoPE scaling is not one of the Llama family.
LanguageConfig language_config(const GgufMetadata& metadata);
LanguageConfig language_config(const HfConfig& config);

/// The angle that each pair of channels turns by from one position to the next (rotary / 2 values): base^(-2i /
/// rotary), Llama-3's scaling applied in double precision, and divided by `divisors` where there are any (GGUF's
/// rope_freqs).
std::vector<float> rope_frequencies(const LanguageConfig& config, const std::vector<float>& divisors = {});

}  // namespace driftwood::models
