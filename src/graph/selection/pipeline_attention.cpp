#include "graph/selection/pipeline_attention.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/checked.h"
#include "graph/cost.h"
#include "graph/selection/workgroups.h"

namespace driftwood::graph {
namespace {

constexpr std::uint32_t most_stages = 4;
constexpr std::uint32_t most_channels = 256;  // whose sums the registers of 64 rows of queries hold

std::uint32_t parts_of(std::uint64_t a, std::uint64_t b) { return static_cast<std::uint32_t>(divide_up(a, b)); }

// Sixteens of channels of a head.
std::uint32_t depth_of(std::uint32_t slices) { return parts_of(slices, 4); }

std::uint32_t part_channels(const PipelineAttention& tiling, std::uint32_t slices) {
  return parts_of(std::uint64_t{4} * slices, std::uint64_t{8} * tiling.parts) * 8;
}

std::uint64_t tile_bytes(const PipelineAttention& tiling, std::uint32_t slices) {
  const std::uint32_t channels = 16 * depth_of(slices) + part_channels(tiling, slices) * tiling.parts;
  return std::uint64_t{2} * tiling.keys * channels;
}

// Stages that workgroup memory has room for.
std::uint32_t stages_of(const PipelineAttention& tiling, std::uint32_t slices, const gpu::DeviceFacts& facts) {
  constexpr std::uint64_t ring_bytes = 256;  // and arrays begin at multiples of 128 bytes
  const std::uint64_t query_bytes =
      tiling.query_in_memory ? std::uint64_t{32} * depth_of(slices) * tiling.queries() : 0;
  if (facts.pipeline_memory < ring_bytes + query_bytes) return 0;
  const std::uint64_t stages = (facts.pipeline_memory - ring_bytes - query_bytes) / tile_bytes(tiling, slices);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(most_stages, stages));
}

// Registers of an invocation for sums, scores, weights and queries.
std::uint32_t registers_of(const PipelineAttention& tiling, std::uint32_t slices) {
  return part_channels(tiling, slices) / 2 + tiling.keys / 2 + tiling.keys / 4 +
         (tiling.query_in_memory ? 0 : 4 * depth_of(slices));
}

// What is left for the rest of 240 registers, or with three teams of 160.
constexpr std::uint32_t most_registers = 200, most_registers_of_three = 128;

std::uint32_t most_teams(const gpu::DeviceFacts& facts) {
  return std::min(facts.max_workgroup_size, facts.max_workgroup_extent[0]) / 128 - 1;
}

bool fits(const PipelineAttention& tiling, std::uint32_t slices, const gpu::DeviceFacts& facts) {
  const std::uint32_t most = tiling.teams > 2 ? most_registers_of_three : most_registers;
  // Where both products of a tile had sums of one length, an H200 gave wrong results from the second tile on, as if
  // scores had been added to the sums of values instead of to zeroes (computed so, errors are of that size). The cause
  // is not known: the interpreter is right, and so is the machine code that ptxas 13 makes.
  if (tiling.keys == part_channels(tiling, slices)) return false;
  return tiling.teams % tiling.parts == 0 && tiling.teams <= most_teams(facts) &&
         registers_of(tiling, slices) <= most && tiling.stages >= 2 &&
         tiling.stages <= stages_of(tiling, slices, facts);
}

}  // namespace

PipelineAttention pipeline_attention(const gpu::DeviceFacts& facts, std::uint32_t slices) {
  // A product takes up to eight steps of sixteen channels from registers.
  PipelineAttention tiling{.parts = parts_of(std::uint64_t{4} * slices, most_channels),
                           .query_in_memory = depth_of(slices) > 8};
  if (facts.pipeline_memory == 0 || facts.max_workgroup_size < 384 || facts.max_workgroup_extent[0] < 384) return {};
  for (const std::uint32_t keys : {128U, 64U, 32U, 16U}) {
    tiling.keys = keys;
    for (const std::uint32_t teams : {3U, 2U}) {
      tiling.teams = teams;
      tiling.stages = stages_of(tiling, slices, facts);
      if (fits(tiling, slices, facts)) return tiling;
    }
  }
  return {};
}

PipelineAttention tuned_pipeline_attention(const SelectionContext& context, const AttendedKeys& keys) {
  PipelineAttention tiling = pipeline_attention(context.facts, keys.slices);
  if (tiling.teams == 0) return tiling;
  const auto fits_with = [&](std::uint32_t PipelineAttention::*member) {
    return [&, member](std::uint32_t value) {
      PipelineAttention other = tiling;
      other.*member = value;
      if (member != &PipelineAttention::stages) other.stages = stages_of(other, keys.slices, context.facts);
      return fits(other, keys.slices, context.facts);
    };
  };
  tiling.keys = context.choice("keys", tiling.keys, {16, 32, 64, 128}, fits_with(&PipelineAttention::keys));
  tiling.teams = context.choice("teams", tiling.teams, {2, 3}, fits_with(&PipelineAttention::teams));
  tiling.stages = stages_of(tiling, keys.slices, context.facts);
  tiling.stages = context.choice("stages", tiling.stages, {2, 3, 4}, fits_with(&PipelineAttention::stages));
  return tiling;
}

std::uint32_t key_tiles(const PipelineAttention& tiling, const AttendedKeys& keys) {
  return parts_of(keys.most, tiling.keys) + (keys.moves ? 1 : 0);
}

bool takes_pipeline_attention(const Node& node, const SelectionContext& context, const AttendedKeys& keys) {
  const gpu::DeviceFacts& facts = context.facts;
  if (facts.pipeline_memory == 0 || facts.is_cpu || !facts.has_subgroups) return false;
  if (context.options.precision == Precision::F32) return false;
  for (const ValueId id : {node.inputs[1], node.inputs[2]}) {
    if (context.value(id).is_array) continue;  // of 8-bit blocks, which become halves on their way
    if (context.descriptor(id).data_type != DataType::F16) return false;
    if (context.descriptor(id).storage != StorageKind::Buffer) return false;
  }
  const PipelineAttention tiling = tuned_pipeline_attention(context, keys);
  if (tiling.teams == 0) return false;
  return tile_bytes(tiling, keys.slices) * key_tiles(tiling, keys) * keys.heads <= facts.max_allocation;
}

Lowering through_pipeline(const Node& node, const SelectionContext& context, const PipelineAttention& tiling,
                          const AttendedKeys& keys, KernelUse input, KernelUse attention) {
  const std::uint32_t tiles = key_tiles(tiling, keys);
  for (KernelUse* use : {&input, &attention}) {
    use->specialization.overrides.insert({{"keys", tiling.keys}, {"tiles", tiles}, {"parts", tiling.parts}});
  }
  const auto unbind = [](KernelUse& use, std::initializer_list<std::string_view> names) {
    std::erase_if(use.resources,
                  [&](const ResourceUse& each) { return std::ranges::find(names, each.name) != names.end(); });
  };
  input.label = node.name + ".input";
  input.specialization.overrides.erase("scale");
  input.specialization.overrides["lanes"] = lanes_for(context.facts, 128);
  unbind(input, {"q"});
  // What stands for the extents of a quantized cache is in the type that the kernel takes tensors in.
  for (auto& [name, descriptor] : input.specialization.tensors) descriptor.data_type = DataType::F16;
  input.resources.push_back(write_scratch("packed", 0));
  input.cost = estimate_cost(input, node, false, context);

  attention.specialization.overrides.insert({{"teams", tiling.teams},
                                             {"stages", tiling.stages},
                                             {"query_in_memory", tiling.query_in_memory},
                                             {"separate", gpu::runs_pipeline(context.facts)}});
  // Keys and values are touched by the other kernel alone; here they have extents.
  for (const auto& [name, id] : {std::pair{"k_cache", node.inputs[1]}, {"v_cache", node.inputs[2]}}) {
    if (!context.value(id).is_array) attention.specialization.tensors[name] = context.descriptor(id);
  }
  unbind(attention, {"k_cache", "v_cache", "k_words", "v_words"});
  attention.resources.push_back(read_scratch("packed", 0));
  attention.cost = estimate_cost(attention, node, true, context);

  Lowering lowering;
  lowering.scratch.push_back(
      {.name = node.name + ".keys", .bytes = tile_bytes(tiling, keys.slices) * tiles * keys.heads});
  lowering.kernels.push_back(std::move(input));
  lowering.kernels.push_back(std::move(attention));
  return lowering;
}

}  // namespace driftwood::graph
