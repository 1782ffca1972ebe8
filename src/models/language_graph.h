// The graph of a Llama-family model: embedding, layers of attention and gated feed-forward, norm, head.
#pragma once

#include <cstdint>

#include "graph/graph.h"
#include "models/checkpoint.h"

namespace driftwood::models {

struct LanguageGraphSettings {
  std::uint32_t max_tokens = 1;              // of one run
  std::uint32_t cache_size = 512;            // tokens that the KV caches hold
  DataType activation_type = DataType::F32;  // as stored; the residual stream is F32 always
  DataType cache_type = DataType::F32;       // F32 or F16
  bool hidden_output = false;                // also output "hidden": what the head reads, after the final norm
  bool all_logits = false;                   // logits of every token, for perplexity; else of the last active one
};

/// Input "ids" (u32 array), states "cache.k.N" and "cache.v.N", output "logits" {W = 1 or tokens, C = vocabulary}.
/// Weights are named as in the file. Throws InvalidInput, naming the tensor and both shapes, where the file does not
/// have what the configuration says, and Unsupported for a tensor type that no kernel reads.
graph::Graph language_graph(const Checkpoint& checkpoint, const LanguageGraphSettings& settings);

}  // namespace driftwood::models
