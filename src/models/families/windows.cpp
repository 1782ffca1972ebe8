// Which layers of a model have a sliding window, as files say it.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "models/families/family.h"

namespace driftwood::models {
namespace {

constexpr std::string_view pattern_key = "attention.sliding_window_pattern";

/// A number n: every n-th layer has no window. An array: whether each layer has one.
std::vector<bool> read_pattern(const GgufKeys& keys, std::uint32_t layers) {
  const std::string key = keys.full(pattern_key);
  if (const auto* array = std::get_if<GgufArray>(keys.metadata().find(key))) {
    if (array->size() != layers)
      throw InvalidInput(fmt::format("'{}' has {} entries, but the model has {} layers.", key, array->size(), layers));
    std::vector<bool> windowed;
    if (array->element_type() == GgufType::Bool)
      for (const std::byte flag : array->bytes()) windowed.push_back(flag != std::byte{0});
    else
      for (const std::int64_t flag : keys.metadata().get_integers(key)) windowed.push_back(flag != 0);
    return windowed;
  }
  const std::uint32_t period = keys.metadata().get_u32_within(key, 1, max_layers);
  return windowed_layers(layers, [&](std::uint32_t layer) { return (layer + 1) % period != 0; });
}

}  // namespace

std::vector<bool> windowed_layers(std::uint32_t layers, const std::function<bool(std::uint32_t)>& rule) {
  std::vector<bool> windowed(layers);
  for (std::uint32_t layer = 0; layer < layers; ++layer) windowed[layer] = rule(layer);
  return windowed;
}

void read_windows(const GgufKeys& keys, std::uint32_t usual, const std::function<bool(std::uint32_t)>& rule,
                  LanguageConfig& config) {
  config.window = keys.u32("attention.sliding_window").value_or(usual);
  if (config.window == 0) return;
  config.windowed = keys.metadata().has(keys.full(pattern_key)) ? read_pattern(keys, config.layers)
                                                                : windowed_layers(config.layers, rule);
}

void read_windows(const HfConfig& hf, const std::function<bool(std::uint32_t)>& rule, LanguageConfig& config) {
  config.window = hf.sliding_window.value_or(0);
  if (hf.layer_types.empty()) {
    if (config.window != 0) config.windowed = windowed_layers(config.layers, rule);
    return;
  }
  for (const std::string& type : hf.layer_types) {
    if (type != "full_attention" && type != "sliding_attention")
      throw Unsupported(
          fmt::format("'layer_types' has '{}'; supported are 'full_attention' and 'sliding_attention'.", type));
    config.windowed.push_back(type == "sliding_attention");
  }
  if (std::ranges::find(config.windowed, true) == config.windowed.end()) config.windowed.clear();
  if (!config.windowed.empty() && config.window == 0)
    throw InvalidInput("'layer_types' has 'sliding_attention', but there is no 'sliding_window'.");
}

}  // namespace driftwood::models
