// The graph of a language model of any family: embedding, layers of attention and gated feed-forward, norm, head.
#pragma once

#include <cstdint>

#include "graph/graph.h"
#include "models/checkpoint.h"

namespace driftwood::models {

struct LanguageGraphSettings {
  std::uint32_t max_tokens = 1;    // of one run
  std::uint32_t cache_size = 512;  // tokens that the KV caches hold, the most of a context
  /// Places of the caches of layers with a sliding window, which are rings if that is less than cache_size: at least
  /// window - 1 + max_tokens of every graph that shares them. 0: as large as the others.
  std::uint32_t ring_places = 0;
  DataType activation_type = DataType::F32;  // as stored; the residual stream is F32 always
  DataType cache_type = DataType::F32;       // F32, F16 or Q8_0
  bool hidden_output = false;                // also output "hidden": what the head reads, after the final norm
  bool all_logits = false;                   // logits of every token, for perplexity; else of the last active one
};

/// Input "ids" (u32 array), states "cache.k.N" and "cache.v.N", output "logits" {W = 1 or tokens, C = vocabulary}.
/// Weights are named as in the file. Throws InvalidInput, naming the tensor and both shapes, where the file does not
/// have what the configuration says, and Unsupported for a tensor type that no kernel reads.
graph::Graph language_graph(const Checkpoint& checkpoint, const LanguageGraphSettings& settings);

}  // namespace driftwood::models
