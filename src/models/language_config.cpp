#include "models/language_config.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"

namespace driftwood::models {
namespace {

void check_within(std::string_view what, std::uint32_t value, std::uint32_t most) {
  if (value == 0 || value > most)
    throw InvalidInput(fmt::format("The {} {} is not within 1 and {}.", what, value, most));
}

void check_number(std::string_view what, float value, float least, float most) {
  if (!(value >= least && value <= most))
    throw InvalidInput(fmt::format("The {} {} is not within {} and {}.", what, value, least, most));
}

}  // namespace

void check(const LanguageConfig& config) {
  check_within("number of layers", config.layers, max_layers);
  check_within("hidden size", config.hidden, max_width);
  check_within("feed-forward size", config.intermediate, max_width);
  check_within("number of attention heads", config.heads, max_heads);
  if (config.kv_heads == 0 || config.heads % config.kv_heads != 0)
    throw InvalidInput(fmt::format("The model has {} attention heads, which is no multiple of its {} KV heads.",
                                   config.heads, config.kv_heads));
  check_within("head size", config.head_size, max_head_size);
  check_within("vocabulary size", config.vocabulary, max_vocabulary);
  if (!(config.epsilon >= 0 && config.epsilon < 1))
    throw InvalidInput(fmt::format("The epsilon {} of the RMS norms is not within 0 and 1.", config.epsilon));

  if (config.rotary == 0 || config.rotary % 2 != 0 || config.rotary > config.head_size)
    throw InvalidInput(fmt::format("The rotary dimension {} is not an even number up to the head size {}.",
                                   config.rotary, config.head_size));
  check_rope(config.rope, config.rotary);
  if (config.window_rope) check_rope(*config.window_rope, config.rotary);

  check_number("scale of the attention scores", config.attention_scale, 1e-6F, 1e6F);
  check_number("soft cap of the attention scores", config.attention_softcap, 0, max_softcap);
  check_number("soft cap of the logits", config.logit_softcap, 0, max_softcap);
  check_number("scale of the embeddings", config.embedding_scale, 1e-6F, 1e6F);
  if (config.windowed.empty()) return;
  check_within("sliding window", config.window, max_context);
  if (config.windowed.size() != config.layers)
    throw InvalidInput(fmt::format("The sliding windows of {} layers are given, but the model has {} layers.",
                                   config.windowed.size(), config.layers));
}

}  // namespace driftwood::models
