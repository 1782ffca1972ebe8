#include "base/checked.h"
#include "graph/selection/kv_cache.h"
#include "graph/selection/rotary.h"
#include "graph/selection/rows.h"
#include "graph/selection/token_axis.h"
#include "graph/selection/workgroups.h"

namespace driftwood::graph {
namespace {

/// Only the head size of rotary.wgsl matters where nothing turns.
void add_no_rotation(std::uint32_t head_size, KernelUse& use) {
  add_rotary({.head_size = head_size, .rotary = 0}, use);
}

Lowering rope(const Node& node, const SelectionContext& context) {
  KernelUse use{.module_path = "package::rope", .label = node.name};
  add_rotary(*node.as<Rope>(), use);
  use.specialization.overrides["lanes"] = lanes_for(context.facts, context.shape(node.outputs[0]).slices());
  use.resources = {read("x", node.inputs[0]), read("frequencies", node.inputs[1]), write("y", node.outputs[0]),
                   parameters()};
  use.grid = {GridExtent{.rows_per_group = 1}};
  add_epilogue(node, context, use);
  return {.kernels = {std::move(use)}};
}

Lowering head_norm(const Node& node, const SelectionContext& context) {
  const auto& norm = *node.as<HeadNorm>();
  KernelUse use{.module_path = "package::head_norm", .label = node.name};
  add_no_rotation(norm.head_size, use);
  use.specialization.overrides["epsilon"] = norm.epsilon;
  use.specialization.overrides["lanes"] = lanes_for(context.facts, context.shape(node.outputs[0]).slices());
  use.resources = {read("x", node.inputs[0]), read("gamma", node.inputs[1]), write("y", node.outputs[0])};
  use.grid = {groups_of_rows(context, node.inputs[0])};
  add_epilogue(node, context, use);
  return {.kernels = {std::move(use)}};
}

Lowering head_layout(const Node& node, const SelectionContext& context) {
  const auto& layout = *node.as<HeadLayout>();
  const std::uint32_t heads = context.shape(node.inputs[0]).c / layout.head_size;
  KernelUse use{.module_path = "package::head_layout", .label = node.name};
  add_no_rotation(layout.head_size, use);
  use.specialization.overrides["heads"] = heads;
  use.specialization.overrides["kv_heads"] = layout.kv_heads;
  use.specialization.overrides["lanes"] = lanes_for(context.facts, divide_up(layout.head_size, 4));
  use.resources = {read("q", node.inputs[0]), write("y", node.outputs[0])};
  use.grid = {GridExtent{.fixed = heads}, GridExtent{.rows_per_group = 1}};
  add_epilogue(node, context, use);
  return {.kernels = {std::move(use)}};
}

Lowering cache_write(const Node& node, const SelectionContext& context) {
  const Shape& cache = context.shape(node.inputs[1]);
  KernelUse use{.module_path = "package::cache_write", .label = node.name};
  add_no_rotation(cache.c, use);
  use.specialization.overrides["ring"] = node.as<CacheWrite>()->ring;
  use.specialization.overrides["lanes"] = lanes_for(context.facts, cache.slices());
  use.resources = {read("x", node.inputs[0]), parameters()};
  bind_cache(use, context, 'k', node.outputs[0], true);
  use.grid = {GridExtent{.fixed = cache.h}, GridExtent{.rows_per_group = 1}};
  return {.kernels = {std::move(use)}};
}

Lowering rope_qkv(const Node& node, const SelectionContext& context) {
  const auto& fused = *node.as<RopeQkv>();
  const Rope& rope = fused.rope;
  KernelUse use{.module_path = "package::rope_qkv", .label = node.name};
  add_rotary(rope, use);
  auto& overrides = use.specialization.overrides;
  overrides["heads"] = fused.heads;
  overrides["kv_heads"] = fused.kv_heads;
  overrides["ring"] = fused.ring;
  overrides["normed"] = fused.normed;
  overrides["epsilon"] = fused.epsilon;
  if (fused.merged) {
    overrides["k_base"] = fused.q_channels();
    overrides["v_base"] = fused.q_channels() + fused.kv_channels();
    use.resources = {read("q", node.inputs[0]), read("k", node.inputs[0]), read("v", node.inputs[0])};
  } else {
    use.resources = {read("q", node.inputs[0]), read("k", node.inputs[1]), read("v", node.inputs[2])};
  }
  const std::size_t next = fused.projections();
  use.resources.push_back(read("frequencies", node.inputs[next]));
  use.resources.push_back(write("q_out", node.outputs[0]));
  bind_cache(use, context, 'k', node.outputs[1], true);
  bind_cache(use, context, 'v', node.outputs[2], true);
  use.resources.push_back(parameters());
  if (fused.normed) {
    use.resources.push_back(read("q_gamma", node.inputs[next + 3]));
    use.resources.push_back(read("k_gamma", node.inputs[next + 4]));
  } else {
    for (const char* name : {"q_gamma", "k_gamma"})  // of their kind; not used
      use.specialization.tensors[name] = context.descriptor(node.inputs[next]);
  }

  const bool adjacent = rope.pairing == RopePairing::Adjacent;
  overrides["aligned"] = rope.head_size % 4 == 0 && rope.rotary % (adjacent ? 4 : 8) == 0;
  const std::uint32_t all_heads = fused.heads + 2 * fused.kv_heads;
  // A CPU shares the angles of a token between all heads; elsewhere a head a group keeps the device busy.
  const std::uint32_t heads_per_group = context.facts.is_cpu ? all_heads : 1;
  overrides["heads_per_group"] = heads_per_group;
  // The sums of a norm need no barrier within one subgroup.
  const std::uint32_t subgroup = subgroup_lanes(context.facts);
  const bool is_subgroup = fused.normed && subgroup != 0;
  overrides["is_subgroup"] = is_subgroup;
  overrides["lanes"] = is_subgroup ? subgroup : lanes_for(context.facts, divide_up(rope.head_size, 4));
  use.grid = {groups_of(all_heads, heads_per_group), GridExtent{.rows_per_group = 1}};
  return {.kernels = {std::move(use)}};
}

constexpr KernelRow rows[] = {{Rope::name, "rope", has_a_row_a_token, rope},
                              {HeadNorm::name, "head-norm", has_only_rows, head_norm},
                              {HeadLayout::name, "head-layout", has_a_row_a_token, head_layout},
                              {CacheWrite::name, "cache-write", has_a_row_a_token, cache_write},
                              {RopeQkv::name, "rope-qkv", has_a_row_a_token, rope_qkv}};

}  // namespace

std::span<const KernelRow> rope_kernels() { return rows; }

}  // namespace driftwood::graph
