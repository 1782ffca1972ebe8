#include <algorithm>

#include "base/checked.h"
#include "graph/selection/kv_cache.h"
#include "graph/selection/rows.h"
#include "graph/selection/workgroups.h"
#include "graph/storage_choice.h"

namespace driftwood::graph {
namespace {

// The rows of the queries by KV head are those of the tokens, and of nothing else.
bool has_a_query_a_token(const Node& node, const SelectionContext& context) {
  const Shape& output = context.shape(node.outputs[0]);
  return output.b == 1 && output.w == context.graph.max_tokens;
}

Lowering attention(const Node& node, const SelectionContext& context) {
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
  const std::uint32_t lanes = lanes_for(context.facts, most, most);
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

constexpr KernelRow rows[] = {{Attention::name, "attention-online", has_a_query_a_token, attention}};

}  // namespace

std::span<const KernelRow> attention_kernels() { return rows; }

}  // namespace driftwood::graph
