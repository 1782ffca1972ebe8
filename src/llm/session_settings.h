// What a session is made with, and the defaults that depend on the model and the device.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "gpu/device.h"
#include "graph/options.h"
#include "models/checkpoint.h"
#include "models/language_graph.h"

namespace driftwood::llm {

struct SessionSettings {
  // Tokens that the KV cache holds; 0: all that the model was trained for; none: the same, at most default_context.
  std::optional<std::uint32_t> context = {};
  std::uint32_t prefill_tokens = 0;         // most tokens of one prefill run; 0: 1,024 on GPUs, 512 on CPUs
  std::optional<DataType> cache_type = {};  // F32, F16 or Q8_0; none: F16, F32 with --precision f32
  /// Places of the caches of layers with a sliding window, rings of the last positions; 0: as many as the context,
  /// none: the window and the longest run, where the context is longer.
  std::optional<std::uint32_t> ring_places = {};
  graph::GraphOptions options = {};
  /// Called while kernels are compiled and weights uploaded: steps done, steps in all.
  std::function<void(std::size_t, std::size_t)> progress = {};
  /// Called between the submissions of a prompt that takes several, and when all are done: tokens done, tokens in all.
  std::function<void(std::size_t, std::size_t)> prompt_progress = {};
};

/// The context of a session where the caller asks for none: enough for a chat, and a cache that fits anywhere.
inline constexpr std::uint32_t default_context = 4096;

/// The context that is asked for (as SessionSettings::context) in tokens. Throws InvalidInput where it is over the
/// limit, or where it is to be the model's own and its files do not say one.
std::uint32_t resolved_context(std::optional<std::uint32_t> context, const models::Checkpoint& checkpoint);

/// Settings with the defaults filled in from the model and the device: all of the optional ones have values. Throws
/// InvalidInput for a cache of a type that there is not and for rings that do not hold a window and one token.
SessionSettings resolved(const SessionSettings& settings, const models::Checkpoint& checkpoint,
                         const gpu::DeviceFacts& facts);

/// How a model's graph is stored for a precision.
models::LanguageGraphSettings graph_settings(const SessionSettings& settings, const gpu::DeviceFacts& facts,
                                             std::uint32_t max_tokens, bool all_logits);

}  // namespace driftwood::llm
