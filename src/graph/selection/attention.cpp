// Attention over a KV cache.
#include <algorithm>

#include "graph/selection/attention_tiles.h"
#include "graph/selection/cached_attention.h"
#include "graph/selection/kv_cache.h"
#include "graph/selection/pipeline_attention.h"
#include "graph/selection/rows.h"
#include "graph/selection/split_attention.h"
#include "graph/selection/tunable.h"
#include "graph/selection/workgroups.h"
#include "graph/storage_choice.h"

namespace driftwood::graph {
namespace {

KernelUse whole_use(std::string module_path, const Node& node, const SelectionContext& context, std::uint32_t rows) {
  KernelUse use = cache_use(std::move(module_path), node, context, rows);
  use.resources.push_back(write("y", node.outputs[0]));
  add_epilogue(node, context, use);
  return use;
}

bool is_for_cpus(const Node& node, const SelectionContext& context) {
  return context.facts.is_cpu && has_whole_slices(node, context);
}

// Sixteen rows in a vec16 are worth it from half of them on; fewer are better off one by one.
bool is_for_cpus_and_many(const Node& node, const SelectionContext& context) {
  return is_for_cpus(node, context) && std::uint64_t{context.graph.max_tokens} * group_of(node, context) >= 8;
}

Lowering by_row(const Node& node, const SelectionContext& context) {
  return {.kernels = {whole_use("package::attention_row", node, context, 1)}};
}

Lowering wide(const Node& node, const SelectionContext& context) {
  return {.kernels = {whole_use("package::attention_wide", node, context, 16)}};
}

bool is_for_matrix_units(const Node& node, const SelectionContext& context) {
  const gpu::DeviceFacts& facts = context.facts;
  if (!facts.has_matrices || facts.is_cpu || context.options.precision == Precision::F32) return false;
  if (facts.max_workgroup_size < 128 || facts.max_workgroup_extent[0] < 128) return false;
  if (context.graph.max_tokens <= few_tokens || !has_whole_slices(node, context)) return false;
  for (const ValueId id : {node.inputs[1], node.inputs[2]}) {
    if (context.value(id).is_array) continue;  // of 8-bit blocks, which become halves on their way
    if (context.descriptor(id).data_type != DataType::F16) return false;
    if (context.descriptor(id).storage != StorageKind::Buffer) return false;
  }
  const std::uint32_t slices = context.shape(node.inputs[0]).slices();
  return slices <= 64 && attention_matrix_keys(facts, slices) > 0;
}

Lowering on_matrix_units(const Node& node, const SelectionContext& context) {
  KernelUse use = whole_use("package::attention_matrix", node, context, 64);
  use.specialization.overrides["keys"] = tuned_attention_matrix_keys(context, context.shape(node.inputs[0]).slices());
  // What stands for the extents of a quantized cache is in the type that the kernel takes tensors in.
  for (auto& [name, descriptor] : use.specialization.tensors) descriptor.data_type = DataType::F16;
  return {.kernels = {std::move(use)}};
}

AttendedKeys attended(const Node& node, const SelectionContext& context) {
  return {.slices = context.shape(node.inputs[0]).slices(),
          .heads = context.shape(node.inputs[0]).h,
          .most = context.shape(node.inputs[1]).w,
          .moves = node.as<Attention>()->ring};
}

bool is_for_pipeline(const Node& node, const SelectionContext& context) {
  if (context.graph.max_tokens <= few_tokens || !has_whole_slices(node, context)) return false;
  return takes_pipeline_attention(node, context, attended(node, context));
}

Lowering by_pipeline(const Node& node, const SelectionContext& context) {
  const AttendedKeys keys = attended(node, context);
  const PipelineAttention tiling = tuned_pipeline_attention(context, keys);
  KernelUse input = cache_use("package::attention_input", node, context, 1);
  input.grid[0] = GridExtent{.context_per_group = tiling.keys, .most_groups = key_tiles(tiling, keys)};
  return through_pipeline(node, context, tiling, keys, std::move(input),
                          whole_use("package::attention_pipeline", node, context, tiling.queries()));
}

bool is_for_gpus(const Node& node, const SelectionContext& context) {
  const std::uint32_t slices = context.shape(node.inputs[0]).slices();
  return !context.facts.is_cpu && has_whole_slices(node, context) &&
         attention_tile(context.facts, slices).bytes(slices) <= context.facts.local_memory;
}

Lowering tiled(const Node& node, const SelectionContext& context) {
  const AttentionTile tile = tuned_attention_tile(context, context.shape(node.inputs[0]).slices());
  KernelUse use = whole_use("package::attention_tile", node, context, 4 * tile.groups);
  use.specialization.overrides.insert(
      {{"columns", tile.columns}, {"groups", tile.groups}, {"part", tile.part}, {"values", tile.values}});
  return {.kernels = {std::move(use)}};
}

Lowering online(const Node& node, const SelectionContext& context) {
  const auto& attention = *node.as<Attention>();
  const Shape& queries = context.shape(node.inputs[0]);
  const Shape& output = context.shape(node.outputs[0]);
  const std::uint32_t kv_heads = queries.h;
  const std::uint32_t group = attention.heads / kv_heads;
  const std::uint32_t head_size = queries.c;
  const bool by_head = head_size % 4 != 0;

  // A decode run has few groups, so that each takes as many positions at once as it can: at 1,024 tokens on an H200 a
  // kernel took 178 us with 64 lanes, 123 with 128 and 97 with 256. Prefill has groups enough and was best at 128
  // (docs/performance.md). A CPU scores and adds positions in blocks of 32, so that the running maximum changes the
  // sums once a block.
  const std::uint32_t most = output.w == 1 ? 256 : 128;
  const std::uint32_t lanes = tuned_lanes(context, most, most);
  const std::uint32_t block = std::max<std::uint32_t>(lanes, 32);

  KernelUse use{.module_path = "package::attention", .label = node.name};
  use.specialization.overrides = {{"group", group},
                                  {"scale", attention.scale},
                                  {"causal", attention.causal},
                                  {"window", attention.window},
                                  {"softcap", attention.softcap},
                                  {"ring", attention.ring},
                                  {"by_head", by_head},
                                  {"lanes", lanes},
                                  {"block", block}};
  use.resources = {read("q", node.inputs[0]), parameters()};
  bind_cache(use, context, 'k', node.inputs[1], false);
  bind_cache(use, context, 'v', node.inputs[2], false);
  use.grid = {GridExtent{.rows_per_group = 1, .rows_per_token = group}, GridExtent{.fixed = kv_heads}};
  if (!by_head) {
    use.resources.push_back(write("y", node.outputs[0]));
    add_epilogue(node, context, use);
    return {.kernels = {std::move(use)}};
  }

  const Scratch heads{.name = node.name + ".by_head",
                      .tensor = TensorDescriptor{.shape = {.h = attention.heads, .w = output.w, .c = head_size},
                                                 .layout = default_layout(StorageKind::Buffer)}};
  use.resources.push_back(write_scratch("y", 0));
  KernelUse merge{.module_path = "package::merge_heads", .label = node.name + ".merge"};
  merge.specialization.overrides = {{"head_size", head_size}, {"lanes", lanes_for(context.facts, output.slices())}};
  merge.resources = {read_scratch("x", 0), write("y", node.outputs[0])};
  merge.grid = {GridExtent{.rows_per_group = 1}};
  add_epilogue(node, context, merge);
  return {.kernels = {std::move(use), std::move(merge)}, .scratch = {heads}};
}

constexpr KernelRow rows[] = {{Attention::name, "attention-cache-wide", is_for_cpus_and_many, wide},
                              {Attention::name, "attention-cache-row", is_for_cpus, by_row},
                              {Attention::name, "attention-split-halves", is_split_halves, split_in_halves},
                              {Attention::name, "attention-split", is_split, split_over_the_cache},
                              {Attention::name, "attention-cache-pipeline", is_for_pipeline, by_pipeline},
                              {Attention::name, "attention-cache-matrix", is_for_matrix_units, on_matrix_units},
                              {Attention::name, "attention-cache-tile", is_for_gpus, tiled},
                              {Attention::name, "attention-online", has_a_query_a_token, online}};

}  // namespace

std::span<const KernelRow> attention_kernels() { return rows; }

}  // namespace driftwood::graph
