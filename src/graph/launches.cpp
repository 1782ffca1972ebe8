#include "graph/launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>

namespace driftwood::graph {

namespace {

// "blk.12" of "blk.12.linear_7"; empty for what is in no layer.
std::string_view layer_of(std::string_view node) {
  constexpr std::string_view prefix = "blk.";
  if (!node.starts_with(prefix)) return {};
  return node.substr(0, node.find('.', prefix.size()));
}

// One that others take over from.
bool is_of_short_contexts(const LoweredStep& step) {
  return std::ranges::any_of(step.use.grid, [](const GridExtent& extent) {
    return extent.most_context < std::numeric_limits<std::uint32_t>::max();
  });
}

}  // namespace

Launches count_launches(const LoweredGraph& lowered) {
  Launches launches;
  std::map<std::string_view, std::size_t> layers;
  for (const LoweredStep& step : lowered.steps) {
    if (is_of_short_contexts(step)) continue;
    ++launches.total;
    const std::string_view layer = layer_of(lowered.graph.nodes().at(step.node).name);
    if (layer.empty()) {
      ++launches.elsewhere;
    } else {
      ++layers[layer];
    }
  }
  launches.layers = layers.size();
  for (const auto& [layer, count] : layers) {
    launches.least_of_layer = launches.most_of_layer == 0 ? count : std::min(launches.least_of_layer, count);
    launches.most_of_layer = std::max(launches.most_of_layer, count);
  }
  return launches;
}

std::string to_text(const Launches& launches) {
  std::string text = fmt::format("{} launches", launches.total);
  if (launches.layers == 0) return text;
  text += launches.least_of_layer == launches.most_of_layer
              ? fmt::format(": {}", launches.most_of_layer)
              : fmt::format(": {} to {}", launches.least_of_layer, launches.most_of_layer);
  return text + fmt::format(" a layer x {} + {}", launches.layers, launches.elsewhere);
}

}  // namespace driftwood::graph
