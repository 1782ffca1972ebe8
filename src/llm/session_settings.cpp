#include "llm/session_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.h"
#include "base/error.h"
#include "graph/selection/matrix_product.h"

namespace driftwood::llm {
namespace {

constexpr std::uint32_t max_context = 1u << 24;

// Half the bytes of a cache are what decoding at depth gains from, on CPUs too; single precision asks for it all.
DataType resolved_cache_type(const SessionSettings& settings) {
  if (!settings.cache_type) return settings.options.precision == graph::Precision::F32 ? DataType::F32 : DataType::F16;
  const DataType type = *settings.cache_type;
  if (type != DataType::F32 && type != DataType::F16 && type != DataType::Q8_0)
    throw InvalidInput(fmt::format("A KV cache of {} is asked for; there are f32, f16 and q8_0.", to_string(type)));
  return type;
}

/// A ring must hold what the first token of a run looks back to after all of the run are written.
void set_ring(SessionSettings& settings, const models::LanguageConfig& config) {
  constexpr std::uint32_t granule = 64;
  const std::uint32_t context = *settings.context;
  if (config.windowed.empty() || config.window >= context || settings.ring_places == 0u) {
    settings.ring_places = 0;
    return;
  }
  if (!settings.ring_places)
    settings.ring_places =
        static_cast<std::uint32_t>(divide_up(config.window + settings.prefill_tokens, granule)) * granule;
  const std::uint32_t places = *settings.ring_places;
  if (places >= context) {
    settings.ring_places = 0;
    return;
  }
  if (places < config.window)
    throw InvalidInput(fmt::format("Rings of {} places do not hold the window of {} tokens.", places, config.window));
  settings.prefill_tokens = std::min(settings.prefill_tokens, places - config.window + 1);
}

}  // namespace

std::uint32_t resolved_context(std::optional<std::uint32_t> context, const models::Checkpoint& checkpoint) {
  const std::uint32_t trained = checkpoint.config().trained_context;
  if (!context) return trained == 0 ? default_context : std::min(trained, default_context);
  if (*context == 0 && trained == 0)
    throw InvalidInput("The model's files do not say which context it was trained for: give the number of tokens.");
  const std::uint32_t tokens = *context == 0 ? trained : *context;
  if (tokens > max_context)
    throw InvalidInput(fmt::format("The context of {} tokens is over the limit of {}.", tokens, max_context));
  return tokens;
}

SessionSettings resolved(const SessionSettings& settings, const models::Checkpoint& checkpoint,
                         const gpu::DeviceFacts& facts) {
  SessionSettings result = settings;
  result.context = resolved_context(settings.context, checkpoint);
  if (result.prefill_tokens == 0) result.prefill_tokens = facts.is_cpu ? 512 : 1024;
  result.prefill_tokens = std::min(result.prefill_tokens, *result.context);
  result.cache_type = resolved_cache_type(settings);
  set_ring(result, checkpoint.config());
  return result;
}

models::LanguageGraphSettings graph_settings(const SessionSettings& settings, const gpu::DeviceFacts& facts,
                                             std::uint32_t max_tokens, bool all_logits) {
  const graph::Precision precision = settings.options.precision;
  // Matrix units multiply halves: what enters a product of many tokens is stored as them, residual stream and norms
  // stay wider.
  const bool half_products = precision == graph::Precision::Auto && facts.has_matrices && !facts.is_cpu &&
                             max_tokens >= graph::least_matrix_positions;
  return {.max_tokens = max_tokens,
          .cache_size = settings.context.value(),
          .ring_places = settings.ring_places.value_or(0),
          .activation_type = precision == graph::Precision::F16 || half_products ? DataType::F16 : DataType::F32,
          .cache_type = resolved_cache_type(settings),
          .all_logits = all_logits};
}

}  // namespace driftwood::llm
