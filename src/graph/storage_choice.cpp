#include "graph/storage_choice.h"

#include "tensor/storage.h"

namespace driftwood::graph {

Layout default_layout(StorageKind kind) {
  // A thread group that walks the channels of a token reads neighbouring texels. Textures keep the slice-outermost
  // layout, whose neighbours in both directions are near each other in the texture cache.
  if (kind == StorageKind::Buffer || kind == StorageKind::ImageBuffer) return *find_layout("dhwbcc4", kind);
  return driftwood::default_layout(kind, Shape{});
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
}

}  // namespace driftwood::graph
