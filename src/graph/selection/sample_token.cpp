// Choosing a token from logits: the best of each part of the vocabulary, then one of the best of all.
#include <algorithm>
#include <bit>
#include <optional>

#include "base/checked.h"
#include "graph/selection/rows.h"
#include "graph/selection/workgroups.h"
#include "graph/storage_choice.h"

namespace driftwood::graph {
namespace {

// How best_tokens.wgsl and choose_token.wgsl are cut.
struct Cut {
  std::uint32_t lanes = 0, held = 0;            // of a part: entries held by each invocation
  std::uint32_t parts = 0;                      // of the vocabulary
  std::uint32_t last_lanes = 0, last_held = 0;  // of the second half
};

// Entries of an invocation are variables, so that there are only so many.
constexpr std::uint32_t most_held = 64;
// Parts that the second half reads in one go. An H200 has 132 units, but logits of a 128,256-token vocabulary come from
// its cache; more parts would be more to join.
constexpr std::uint32_t wanted_parts = 64;

std::uint64_t bytes_of(std::uint32_t lanes, std::uint32_t held, std::uint32_t top_k) {
  return std::uint64_t{8} * lanes + std::uint64_t{8} * top_k * held + 64;
}

// Nothing where the device's workgroups are too small.
std::optional<Cut> cut_for(const Node& node, const SelectionContext& context) {
  const gpu::DeviceFacts& facts = context.facts;
  const std::uint32_t top_k = node.as<SampleToken>()->top_k;
  const std::uint32_t slices = context.shape(node.inputs[0]).slices();
  const std::uint32_t limit = std::bit_floor(std::min(facts.max_workgroup_size, facts.max_workgroup_extent[0]));
  const auto lanes_of = [&](std::uint64_t work, std::uint32_t most) {
    const auto few = static_cast<std::uint32_t>(std::bit_ceil(std::min<std::uint64_t>(work, most)));
    return std::min(limit, std::max(few, std::bit_ceil(top_k)));
  };
  Cut cut;
  // A CPU runs the invocations of a group one after another, and each looks at the best of all others.
  cut.lanes = lanes_of(slices, facts.is_cpu ? 16 : 128);
  if (cut.lanes < top_k) return std::nullopt;
  const auto per_lane = static_cast<std::uint32_t>(divide_up(slices, cut.lanes * wanted_parts));
  cut.held = 4 * std::clamp<std::uint32_t>(per_lane, 1, most_held / 4);
  const auto part_bytes = [&] { return bytes_of(cut.lanes, cut.held, top_k) + cut.lanes * cut.held / 8; };
  while (cut.held > 4 && part_bytes() > facts.local_memory) cut.held -= 4;
  cut.parts = static_cast<std::uint32_t>(divide_up(slices, std::uint64_t{cut.lanes} * cut.held / 4));
  const std::uint64_t entries = std::uint64_t{cut.parts} * top_k;
  cut.last_lanes = lanes_of(entries, 256);
  const std::uint64_t last_held = divide_up(entries, cut.last_lanes);
  if (last_held > most_held) return std::nullopt;
  cut.last_held = static_cast<std::uint32_t>(last_held);
  const bool fits = part_bytes() <= facts.local_memory &&
                    bytes_of(cut.last_lanes, cut.last_held, top_k) + std::uint64_t{16} * top_k <= facts.local_memory;
  return fits ? std::optional(cut) : std::nullopt;
}

// Ids pass through floats on their way.
constexpr std::uint32_t max_vocabulary = 1U << 23;

bool fits_workgroups(const Node& node, const SelectionContext& context) {
  return context.shape(node.inputs[0]).c <= max_vocabulary && cut_for(node, context).has_value();
}

Lowering sample_token(const Node& node, const SelectionContext& context) {
  const SampleToken& operation = *node.as<SampleToken>();
  const Cut cut = cut_for(node, context).value();
  const std::uint32_t vocabulary = context.shape(node.inputs[0]).c;
  const Scratch best{.name = node.name + ".best",
                     .tensor = TensorDescriptor{.shape = {.w = cut.parts * operation.top_k, .c = 3},
                                                .layout = default_layout(StorageKind::Buffer)}};

  KernelUse first{.module_path = "package::best_tokens", .label = node.name + ".best"};
  first.specialization.overrides = {
      {"lanes", cut.lanes}, {"held", cut.held}, {"count", operation.top_k}, {"window", operation.window}};
  first.resources = {read("logits", node.inputs[0]), read("settings", node.inputs[1]), read("history", node.inputs[3]),
                     read("run", node.inputs[5]), write_scratch("parts", 0)};
  first.grid = {GridExtent{.fixed = cut.parts}};

  KernelUse second{.module_path = "package::choose_token", .label = node.name};
  second.specialization.overrides = {{"lanes", cut.last_lanes},
                                     {"held", cut.last_held},
                                     {"count", operation.top_k},
                                     {"candidates", std::min(operation.top_k, vocabulary)}};
  second.resources = {read_scratch("parts", 0),          read("settings", node.inputs[1]),
                      read("uniforms", node.inputs[2]),  write("history", node.outputs[0]),
                      write("next_id", node.outputs[1]), write("run", node.outputs[2])};
  return {.kernels = {std::move(first), std::move(second)}, .scratch = {best}};
}

constexpr KernelRow rows[] = {{SampleToken::name, "sample-token", fits_workgroups, sample_token}};

}  // namespace

std::span<const KernelRow> sample_token_kernels() { return rows; }

}  // namespace driftwood::graph
