// From the kernels of a lowered graph to usage records, and from the planner's answer back to places.
#pragma once

#include "graph/lowering.h"

namespace driftwood::graph {

/// Something that needs memory while a program runs: an activation, a scratch of a node, or several activations that
/// lie over each other because each may take the memory of the one before.
struct LiveValue {
  std::vector<ValueId> values = {};
  std::int64_t scratch = -1;  // index of a scratch, or -1
  UsageRecord usage = {};
  gpu::MemoryDescriptor object = {};  // kind Buffer: bytes of an arena
};

/// The live values of the steps, by first use. `in_place`: honour KernelUse::in_place.
std::vector<LiveValue> live_values(const LoweredGraph& lowered, bool in_place);

/// Fills in values, scratch_places, arena_bytes, objects and the activations of the report. One arena holds all
/// buffers, unless it is larger than the device can allocate at once: then they share objects, as images do.
void place_activations(LoweredGraph& lowered, const gpu::DeviceFacts& facts, const GraphOptions& options);

}  // namespace driftwood::graph
