// Attention of few tokens over a KV cache that is divided between workgroups (kernels/attention_split.wgsl,
// attention_split_halves.wgsl), or, of f16, over a short one that is not.
#pragma once

#include <cstdint>

#include "graph/selection.h"

namespace driftwood::graph {

/// Up to here tokens are few.
constexpr std::uint32_t few_tokens = 16;

/// How a workgroup divides its work.
struct SplitTiling {
  bool halves = false;  // attention_split_halves
  std::uint32_t lanes = 0;
  std::uint32_t rows = 0;   // of queries
  std::uint32_t steps = 0;  // of halves: positions that a team of invocations takes at a time

  bool operator==(const SplitTiling&) const = default;
};

/// How the positions are divided between workgroups.
struct Split {
  SplitTiling tiling = {};
  std::uint32_t parts = 1;      // at most
  std::uint32_t undivided = 0;  // of halves: up to so many positions are not divided, but
  SplitTiling whole = {};       // taken by workgroups of this kind, each of which stores results

  bool operator==(const Split&) const = default;
};

/// Positions that a workgroup takes at a time, of heads of so many slices.
std::uint32_t split_block(const SplitTiling& tiling, std::uint32_t slices);

/// Bytes of workgroup memory.
std::uint64_t split_bytes(const SplitTiling& tiling, std::uint32_t slices);

/// Whether the caches are of f16 in buffers, and the device has the subgroups that attention_split_halves needs.
bool takes_split_halves(const Node& node, const SelectionContext& context);

Split choose_split(const Node& node, const SelectionContext& context, bool halves);

Lowering split_attention(const Node& node, const SelectionContext& context, const Split& split);

/// Rows "attention-split-halves" and "attention-split".
bool is_split_halves(const Node& node, const SelectionContext& context);
Lowering split_in_halves(const Node& node, const SelectionContext& context);
bool is_split(const Node& node, const SelectionContext& context);
Lowering split_over_the_cache(const Node& node, const SelectionContext& context);

}  // namespace driftwood::graph
