#include "graph/storage_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tensor/storage.h"

namespace driftwood::graph {

Layout default_layout(StorageKind kind) {
  // A thread group that walks the channels of a token reads neighbouring texels. Textures keep the slice-outermost
  // layout, whose neighbours in both directions are near each other in the texture cache.
  if (kind == StorageKind::Buffer || kind == StorageKind::ImageBuffer) return *find_layout("dhwbcc4", kind);
  return driftwood::default_layout(kind, Shape{});
}

namespace {

constexpr std::string_view storage_row = "storage";  // in the place of a kernel
constexpr std::string_view kind_parameter = "kind";

}  // namespace

NodeKey storage_key(const Graph& graph, const GraphOptions& options) {
  NodeKey key;
  // FNV-1a, 64 bit: http://www.isthe.com/chongo/tech/comp/fnv/.
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const Node& node : graph.nodes()) {
    const NodeKey own = node_key(node, graph, options);
    key.tokens = std::max(key.tokens, own.tokens);
    key.places = std::max(key.places, own.places);
    for (const char c : own.node) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  key.node =
      fmt::format("activations of {} nodes {:016x} @ {}", graph.nodes().size(), hash, to_string(options.precision));
  return key;
}

NodeChoice storage_choice(StorageKind kind) {
  return {.kernel = std::string(storage_row),
          .values = {{std::string(kind_parameter), static_cast<std::uint32_t>(kind)}}};
}

std::optional<StorageKind> stored_kind(const NodeChoice& choice) {
  const auto value = choice.values.find(kind_parameter);
  if (choice.kernel != storage_row || value == choice.values.end()) return std::nullopt;
  constexpr auto last = static_cast<std::uint32_t>(StorageKind::Texture2DArray);
  return value->second <= last ? std::optional(static_cast<StorageKind>(value->second)) : std::nullopt;
}

StorageKind chosen_storage(const Graph& graph, const GraphOptions& options) {
  if (options.choices == nullptr || options.storage != StorageKind::Buffer) return options.storage;
  const NodeChoice* const choice = options.choices->find(storage_key(graph, options));
  return choice == nullptr ? options.storage : stored_kind(*choice).value_or(options.storage);
}

bool fits(const TensorDescriptor& descriptor, const gpu::DeviceFacts& facts) {
  if (descriptor.storage != StorageKind::Buffer && !facts.has_images) return false;
  if (descriptor.storage == StorageKind::Texture3D && !facts.has_3d_image_writes) return false;
  StorageLimits limits{.max_image_buffer = facts.max_image_buffer,
                       .max_image_2d = facts.max_image_2d,
                       .max_image_3d = facts.max_image_3d,
                       .max_image_layers = facts.max_image_layers};
  if (facts.max_allocation != 0) limits.max_buffer_bytes = facts.max_allocation;
  return !exceeded_limit(descriptor, limits);
}

void choose_storage(Graph& graph, const gpu::DeviceFacts& facts, const GraphOptions& options) {
  for (ValueId id = 0; id < graph.values().size(); ++id) {
    Value& value = graph.value(id);
    if (value.descriptor || value.role == Role::Weights || value.is_array) continue;
    if (value.part_of != no_value) continue;  // below, after what it is a part of
    if (value.written_from != no_value) {
      value.descriptor = graph.value(graph.root(id)).descriptor;
      continue;
    }
    const auto stored_in = [&](StorageKind kind) {
      return TensorDescriptor{
          .shape = value.shape, .data_type = value.data_type, .storage = kind, .layout = default_layout(kind)};
    };
    value.descriptor = stored_in(StorageKind::Buffer);
    if (value.role == Role::State && options.cache_layout == CacheLayout::TokenMinor) {
      value.descriptor->layout = *find_layout("token_minor", StorageKind::Buffer);
    }
    if (value.role != Role::Activation || options.storage == StorageKind::Buffer) continue;
    if (const TensorDescriptor wanted = stored_in(options.storage); fits(wanted, facts)) value.descriptor = wanted;
  }
  for (ValueId id = 0; id < graph.values().size(); ++id) {
    Value& part = graph.value(id);
    if (part.part_of == no_value) continue;
    const Value& whole = graph.value(part.part_of);
    part.descriptor = whole.descriptor;
    part.descriptor->shape = part.shape;
    part.descriptor->part = {.first_slice = part.first_channel / 4, .of_slices = whole.shape.slices()};
  }
}

}  // namespace driftwood::graph
