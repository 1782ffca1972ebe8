// Attention over a KV cache.
#include <algorithm>
#include <numbers>

#include "base/checked.h"
#include "graph/selection/attention_tiles.h"
#include "graph/selection/kv_cache.h"
#include "graph/selection/rows.h"
#include "graph/selection/tunable.h"
#include "graph/selection/workgroups.h"
#include "graph/storage_choice.h"

namespace driftwood::graph {
namespace {

// The rows of the queries by KV head are those of the tokens, and of nothing else.
bool has_a_query_a_token(const Node& node, const SelectionContext& context) {
  const Shape& output = context.shape(node.outputs[0]);
  return output.b == 1 && output.w == context.graph.max_tokens;
}

// Query heads for each KV head.
std::uint32_t group_of(const Node& node, const SelectionContext& context) {
  return node.as<Attention>()->heads / context.shape(node.inputs[0]).h;
}

// What the kernels that know a cache as one of two kinds (head_rows.wgsl) have in common. They take whole slices.
bool has_whole_slices(const Node& node, const SelectionContext& context) {
  return has_a_query_a_token(node, context) && context.shape(node.inputs[0]).c % 4 == 0;
}

// A workgroup takes `rows` rows of queries of one KV head.
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

// Up to here tokens are few, and the cache is divided between workgroups.
constexpr std::uint32_t few_tokens = 16;

// How attention_split.wgsl and attention_combine.wgsl are cut.
struct Split {
  std::uint32_t lanes, rows, block, splits;

  std::uint64_t bytes(std::uint32_t slices) const {
    const std::uint64_t shares = std::min(lanes / slices, block);
    return 4 * (std::uint64_t{4} * rows * slices + 4 * (rows * block + 8) + 2 * rows * block + 2 * rows +
                rows * shares * (1 + 4 * slices));
  }
};

Split split_for(const Node& node, const SelectionContext& context) {
  const auto& attention = *node.as<Attention>();
  const Shape& queries = context.shape(node.inputs[0]);
  const std::uint32_t slices = queries.slices();
  const std::uint32_t tokens = context.graph.max_tokens;
  const auto per = [](std::uint64_t a, std::uint64_t b) { return static_cast<std::uint32_t>(divide_up(a, b)); };
  const std::uint32_t most_lanes = lanes_for(context.facts, 256);
  const std::uint32_t lanes =
      context.choice("lanes", lanes_for(context.facts, 128), {64, 128, 256},
                     [&](std::uint32_t value) { return value <= most_lanes && value >= slices; });
  Split split{.lanes = lanes, .rows = 0, .block = lanes / 4, .splits = 1};
  // Sums of up to eight rows stay in registers, of four where a head has more than 128 channels.
  for (std::uint32_t most = slices > 32 ? 4 : 8; most > 0; most /= 2) {
    split.rows = per(queries.w, per(queries.w, most));
    if (lanes < slices || split.bytes(slices) <= context.facts.local_memory) break;
  }
  split.rows = context.choice("rows", split.rows, {1, 2, 4, 8}, [&](std::uint32_t rows) {
    Split other = split;
    other.rows = rows;
    return rows <= split.rows && other.bytes(slices) <= context.facts.local_memory;
  });
  // Four workgroups a compute unit hide each other's waiting; the parts are then few enough to be added quickly.
  std::uint64_t seen = context.shape(node.inputs[1]).w;
  if (attention.window > 0) seen = std::min(seen, std::uint64_t{attention.window} + tokens - 1);
  const std::uint32_t wanted =
      per(std::uint64_t{4} * context.facts.compute_units, queries.h * per(queries.w, split.rows));
  const std::uint32_t blocks = per(seen, split.block);
  split.splits = context.choice("splits", std::min(std::clamp(wanted, 8U, 64U), blocks), {2, 4, 8, 16, 32, 64, 128},
                                [&](std::uint32_t splits) { return splits <= blocks; });
  return split;
}

bool is_for_few_tokens(const Node& node, const SelectionContext& context) {
  if (context.facts.is_cpu || context.graph.max_tokens > few_tokens || !has_whole_slices(node, context)) return false;
  const std::uint32_t slices = context.shape(node.inputs[0]).slices();
  const Split split = split_for(node, context);
  return split.lanes >= std::max(slices, 4U) && split.bytes(slices) <= context.facts.local_memory;
}

// Contexts that one workgroup for each KV head takes alone: a launch less, and nothing to be joined. A quarter of the
// cache, so that small ones are divided too.
std::uint32_t undivided_context(const Node& node, const SelectionContext& context) {
  constexpr std::uint32_t most = 256;
  const std::uint32_t places = context.shape(node.inputs[1]).w;
  return context.choice("undivided", std::min(most, places / 4), {0, 64, 128, 256, 512, 1024},
                        [&](std::uint32_t positions) { return positions <= places; });
}

/// The positions of a short context, all by one workgroup with as many lanes as there may be.
KernelUse undivided(const Node& node, const SelectionContext& context, const Scratch& parts, std::uint32_t most) {
  Split split = split_for(node, context);
  const std::uint32_t slices = context.shape(node.inputs[0]).slices();
  Split wider = split;
  wider.lanes = lanes_for(context.facts, 256);
  wider.block = wider.lanes / 4;
  if (wider.bytes(slices) <= context.facts.local_memory) split = wider;
  KernelUse use = cache_use("package::attention_split", node, context, split.rows);
  use.specialization.overrides.insert(
      {{"lanes", split.lanes}, {"rows", split.rows}, {"block", split.block}, {"splits", 1}, {"whole", true}});
  use.specialization.tensors["parts"] = *parts.tensor;  // of its kind; not used
  use.resources.push_back(write("y", node.outputs[0]));
  add_epilogue(node, context, use);
  use.grid[2] = GridExtent{.fixed = 1, .most_context = most};
  return use;
}

Lowering split_over_the_cache(const Node& node, const SelectionContext& context) {
  const Shape& queries = context.shape(node.inputs[0]);
  const std::uint32_t slices = queries.slices();
  const Split split = split_for(node, context);
  const std::uint32_t most_undivided = undivided_context(node, context);
  const Scratch parts{
      .name = node.name + ".parts",
      .tensor = TensorDescriptor{.shape = {.b = split.splits, .h = queries.h, .w = queries.w, .c = queries.c + 4},
                                 .layout = default_layout(StorageKind::Buffer)}};

  KernelUse use = cache_use("package::attention_split", node, context, split.rows);
  use.specialization.overrides.insert(
      {{"lanes", split.lanes}, {"rows", split.rows}, {"block", split.block}, {"splits", split.splits}});
  use.resources.push_back(write_scratch("parts", 0));
  use.specialization.tensors["y"] = context.descriptor(node.outputs[0]);  // of its kind; not used
  use.grid[2] = GridExtent{.fixed = split.splits, .least_context = most_undivided + 1};

  KernelUse combine = cache_use("package::attention_combine", node, context, 1);
  combine.label = node.name + ".combine";
  combine.specialization.overrides.erase("scale");
  combine.specialization.overrides.insert(
      {{"block", split.block},
       {"splits", split.splits},
       {"shares", std::min(split.splits, std::max(1U, lanes_for(context.facts, 256) / slices))}});
  combine.resources = {read_scratch("parts", 0), write("y", node.outputs[0]), parameters()};
  combine.grid[2] = GridExtent{.fixed = 1, .least_context = most_undivided + 1};
  add_epilogue(node, context, combine);
  Lowering lowering{.scratch = {parts}};
  if (most_undivided > 0) lowering.kernels.push_back(undivided(node, context, parts, most_undivided));
  lowering.kernels.push_back(std::move(use));
  lowering.kernels.push_back(std::move(combine));
  return lowering;
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
                              {Attention::name, "attention-split", is_for_few_tokens, split_over_the_cache},
                              {Attention::name, "attention-cache-matrix", is_for_matrix_units, on_matrix_units},
                              {Attention::name, "attention-cache-tile", is_for_gpus, tiled},
                              {Attention::name, "attention-online", has_a_query_a_token, online}};

}  // namespace

std::span<const KernelRow> attention_kernels() { return rows; }

}  // namespace driftwood::graph
