#include "graph/selection/cached_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numbers>
#include <utility>

#include "graph/selection/kv_cache.h"
#include "graph/storage_choice.h"

namespace driftwood::graph {

bool has_a_query_a_token(const Node& node, const SelectionContext& context) {
  const Shape& output = context.shape(node.outputs[0]);
  return output.b == 1 && output.w == context.graph.max_tokens;
}

std::uint32_t group_of(const Node& node, const SelectionContext& context) {
  return node.as<Attention>()->heads / context.shape(node.inputs[0]).h;
}

bool has_whole_slices(const Node& node, const SelectionContext& context) {
  return has_a_query_a_token(node, context) && context.shape(node.inputs[0]).c % 4 == 0;
}

bool has_plain_halves(const Node& node, const SelectionContext& context) {
  return std::ranges::all_of(std::array{node.inputs[1], node.inputs[2]}, [&](ValueId id) {
    if (context.value(id).is_array) return false;
    const TensorDescriptor& cache = context.descriptor(id);
    return cache.data_type == DataType::F16 && cache.storage == StorageKind::Buffer &&
           cache.layout == default_layout(StorageKind::Buffer);
  });
}

void bind_plain(KernelUse& use, const SelectionContext& context, std::string name, char letter, ValueId cache) {
  const std::string tensor = fmt::format("{}_cache", letter);  // of its extents; never touched
  std::erase_if(use.resources, [&](const ResourceUse& resource) { return resource.name == tensor; });
  use.specialization.tensors[tensor] = context.descriptor(cache);
  ResourceUse plain = read(std::move(name), cache);
  plain.is_plain = true;
  use.resources.push_back(std::move(plain));
}

KernelUse cache_use(std::string module_path, const Node& node, const SelectionContext& context, std::uint32_t rows) {
  const auto& attention = *node.as<Attention>();
  const Shape& queries = context.shape(node.inputs[0]);
  const std::uint32_t group = group_of(node, context);
  constexpr float log2e = std::numbers::log2e_v<float>;
  KernelUse use{.module_path = std::move(module_path), .label = node.name};
  use.specialization.overrides = {
      {"cached", true},
      {"slices", queries.slices()},
      {"scale", attention.softcap > 0 ? attention.scale / attention.softcap : attention.scale * log2e},
      {"causal", attention.causal},
      {"window", attention.window},
      {"softcap", attention.softcap * log2e},
      {"ring", attention.ring},
      {"group", group}};
  use.resources = {read("q", node.inputs[0]), parameters()};
  bind_cache(use, context, 'k', node.inputs[1], false);
  bind_cache(use, context, 'v', node.inputs[2], false);
  use.grid = {GridExtent{.rows_per_group = rows, .rows_per_token = group}, GridExtent{.fixed = queries.h}};
  return use;
}

}  // namespace driftwood::graph
