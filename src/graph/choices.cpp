#include "graph/choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "graph/storage_choice.h"
#include "tensor/data_type.h"

namespace driftwood::graph {

std::string to_string(const NodeChoice& choice) {
  std::string text = choice.kernel;
  for (const auto& [name, value] : choice.values) text += fmt::format(", {} {}", name, value);
  return text;
}

namespace {

// Attributes of operations name numbers that change what is computed but not how fast.
std::string without_constants(std::string text) {
  for (const std::string_view constant : {"epsilon ", "scale ", "softcap ", "magnitude "}) {
    std::size_t at = 0;
    while ((at = text.find(constant, at)) != std::string::npos) {
      at += constant.size();
      std::size_t end = at;
      while (end < text.size() && text[end] != ',' && text[end] != ' ') ++end;
      text.replace(at, end - at, "x");
    }
  }
  return text;
}

class KeyWriter {
 public:
  KeyWriter(const Graph& graph, NodeKey& key) : graph_(graph), key_(key) {}

  std::string operand(ValueId id) {
    const Value& value = graph_.value(graph_.described_by(id));
    if (value.role == Role::Weights) {
      const WeightsSource& source = value.weights;
      std::string text = fmt::format("{} {} x {}", driftwood::to_string(source.format), source.rows(), source.columns);
      return source.taps > 1 ? text + fmt::format(" of {} taps", source.taps) : text;
    }
    Shape shape = value.shape;
    if (value.role == Role::State) {
      key_.places = std::max(key_.places, shape.w);
      shape.w = 1;
      return fmt::format("cache {} {} {} {} {}", driftwood::to_string(value.data_type), shape.b, shape.h, shape.d,
                         shape.c) +
             stored(value);
    }
    const bool can_have_tokens = value.role != Role::Constant && graph_.max_tokens > 1;
    std::string width = fmt::format("{}", shape.w);
    if (can_have_tokens && shape.w % graph_.max_tokens == 0) {
      key_.tokens = graph_.max_tokens;
      width = shape.w == graph_.max_tokens ? "tokens" : fmt::format("{} tokens", shape.w / graph_.max_tokens);
    }
    if (value.is_array) return fmt::format("array of {}", width);
    std::string text = fmt::format("{} {}", driftwood::to_string(value.data_type), width);
    if (shape.b != 1 || shape.h != 1 || shape.d != 1) text += fmt::format(" of {} {} {}", shape.b, shape.h, shape.d);
    return text + fmt::format(" c{}", shape.c) + stored(value);
  }

  std::string list(const std::vector<ValueId>& ids) {
    std::string text;
    for (const ValueId id : ids) text += (text.empty() ? "" : "; ") + operand(id);
    return text;
  }

 private:
  static std::string stored(const Value& value) {
    if (!value.descriptor || value.descriptor->storage == StorageKind::Buffer) return {};
    return fmt::format(" in {}", driftwood::to_string(value.descriptor->storage));
  }

  const Graph& graph_;
  NodeKey& key_;
};

// Doublings between two sizes; nothing where one may not stand for the other.
std::optional<int> distance(std::uint32_t a, std::uint32_t b, std::uint32_t least) {
  if (a == b) return 0;
  if (std::min(a, b) < least) return std::nullopt;
  const int doublings = std::abs(static_cast<int>(std::bit_width(a)) - static_cast<int>(std::bit_width(b)));
  constexpr int most = 2;
  return doublings <= most ? std::optional(doublings) : std::nullopt;
}

}  // namespace

NodeKey node_key(const Node& node, const Graph& graph, const GraphOptions& options) {
  NodeKey key;
  KeyWriter writer(graph, key);
  key.node = name(node.operation);
  if (const std::string facts = attributes(node.operation); !facts.empty()) {
    key.node += fmt::format(" {{{}}}", without_constants(facts));
  }
  key.node += fmt::format(" ({}) -> {}", writer.list(node.inputs), writer.list(node.outputs));
  if (!node.epilogue.empty()) {
    key.node +=
        fmt::format(" | {} ({})", without_constants(to_string(node.epilogue)), writer.list(node.epilogue_inputs));
  }
  if (!node.prologue.empty()) {
    key.node +=
        fmt::format(" < {} ({})", without_constants(to_string(node.prologue)), writer.list(node.prologue_inputs));
  }
  key.node += fmt::format(" @ {}", to_string(options.precision));
  return key;
}

void Choices::add(NodeKey key, NodeChoice choice) {
  std::vector<Entry>& entries = entries_[std::move(key.node)];
  const auto same = std::ranges::find_if(
      entries, [&](const Entry& entry) { return entry.tokens == key.tokens && entry.places == key.places; });
  if (same != entries.end()) {
    same->choice = std::move(choice);
    return;
  }
  entries.push_back({key.tokens, key.places, std::move(choice)});
  ++size_;
}

const NodeChoice* Choices::find(const NodeKey& key) const {
  const NodeChoice* const otherwise = for_all_.kernel.empty() ? nullptr : &for_all_;
  const auto found = entries_.find(key.node);
  if (found == entries_.end()) return otherwise;
  constexpr std::uint32_t least_tokens = 17, least_places = 1;
  const NodeChoice* nearest = nullptr;
  int least = 0;
  for (const Entry& entry : found->second) {
    const auto tokens = distance(key.tokens, entry.tokens, least_tokens);
    const auto places = distance(key.places, entry.places, least_places);
    if (!tokens || !places) continue;
    // An equal size is nearer than another of the same power of two.
    const int far = 4 * (*tokens + *places) + (key.tokens != entry.tokens) + (key.places != entry.places);
    if (nearest != nullptr && far >= least) continue;
    nearest = &entry.choice;
    least = far;
  }
  if (nearest == nullptr) return otherwise;
  return nearest->kernel.empty() ? nullptr : nearest;
}

}  // namespace driftwood::graph
