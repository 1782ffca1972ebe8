#include "graph/lifetimes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "base/checked.h"
#include "base/error.h"
#include "tensor/storage.h"

namespace driftwood::graph {

namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

std::uint64_t object_size(const gpu::MemoryDescriptor& object) {
  if (object.kind == StorageKind::Buffer) return object.bytes;
  return std::uint64_t{object.extent[0]} * object.extent[1] * object.extent[2] * texel_bytes(object.texel);
}

// Live values of a graph, found by value and by scratch.
struct Builder {
  const LoweredGraph& lowered;
  std::vector<LiveValue> live = {};
  std::vector<std::size_t> of_value = {}, of_scratch = {};

  explicit Builder(const LoweredGraph& graph)
      : lowered(graph), of_value(graph.graph.values().size(), none), of_scratch(graph.scratch.size(), none) {}

  std::size_t find(const ResourceUse& resource) const {
    if (resource.kind == ResourceUse::Kind::Scratch) return of_scratch[resource.index];
    return resource.kind == ResourceUse::Kind::Value ? of_value[lowered.graph.root(resource.index)] : none;
  }

  // Whether a resource needs memory that is planned here.
  bool is_planned(const ResourceUse& resource) const {
    if (resource.kind == ResourceUse::Kind::Scratch) return true;
    return resource.kind == ResourceUse::Kind::Value && lowered.graph.value(resource.index).role == Role::Activation;
  }

  std::size_t begin(const ResourceUse& resource, std::uint32_t step) {
    LiveValue entry{.usage = {.first = step, .last = step}, .object = {}};
    if (resource.kind == ResourceUse::Kind::Scratch) {
      const Scratch& scratch = lowered.scratch[resource.index];
      entry.scratch = resource.index;
      entry.object = scratch.tensor ? physical_object(*scratch.tensor)
                                    : gpu::MemoryDescriptor{.kind = StorageKind::Buffer, .bytes = scratch.bytes};
      of_scratch[resource.index] = live.size();
    } else {
      const Value& value = lowered.graph.value(lowered.graph.root(resource.index));
      entry.values = {value.id};
      entry.object = physical_object(*value.descriptor);
      of_value[value.id] = live.size();
    }
    entry.usage.bytes = object_size(entry.object);
    live.push_back(std::move(entry));
    return live.size() - 1;
  }
};

// Joins live value `from`, which begins at the step where `into` ends.
void join(Builder& builder, std::size_t into, std::size_t from) {
  LiveValue& target = builder.live[into];
  LiveValue& source = builder.live[from];
  target.usage.last = source.usage.last;
  for (const ValueId id : source.values) builder.of_value[id] = into;
  target.values.insert(target.values.end(), source.values.begin(), source.values.end());
  source.values.clear();
}

bool same_object(const gpu::MemoryDescriptor& a, const gpu::MemoryDescriptor& b) {
  return a.kind == b.kind && a.bytes == b.bytes && a.texel == b.texel && a.extent == b.extent;
}

}  // namespace

std::vector<LiveValue> live_values(const LoweredGraph& lowered, bool in_place) {
  Builder builder(lowered);
  for (std::uint32_t step = 0; step < lowered.steps.size(); ++step) {
    for (const ResourceUse& resource : lowered.steps[step].use.resources) {
      if (!builder.is_planned(resource)) continue;
      std::size_t at = builder.find(resource);
      if (at == none) {
        if (!resource.writes) {
          throw InternalError(fmt::format("The kernel '{}' of '{}' reads '{}' before any kernel writes it.",
                                          lowered.steps[step].kernel, lowered.steps[step].use.label, resource.name));
        }
        at = builder.begin(resource, step);
      }
      builder.live[at].usage.last = step;
    }
  }
  if (in_place) {
    for (std::uint32_t step = 0; step < lowered.steps.size(); ++step) {
      for (const auto& [output, input] : lowered.steps[step].use.in_place) {
        const std::size_t into = builder.of_value[input], from = builder.of_value[output];
        if (into == none || from == none || into == from) continue;
        const LiveValue& before = builder.live[into];
        const LiveValue& after = builder.live[from];
        // One image must not be read and written by one kernel in OpenCL C 1.2.
        if (before.object.kind != StorageKind::Buffer) continue;
        // `before` may have been joined with others already; it still has to end here, and `after` to begin here.
        if (before.usage.last == step && after.usage.first == step && same_object(before.object, after.object)) {
          join(builder, into, from);
        }
      }
    }
  }
  std::erase_if(builder.live, [](const LiveValue& value) { return value.values.empty() && value.scratch < 0; });
  return std::move(builder.live);
}

namespace {

void set_place(LoweredGraph& lowered, const LiveValue& value, const Placement& place) {
  for (const ValueId id : value.values) lowered.values[id] = place;
  if (value.scratch >= 0) lowered.scratch_places[static_cast<std::size_t>(value.scratch)] = place;
}

// Pooled objects for values whose memory is alike; returns their bytes.
std::uint64_t place_in_objects(LoweredGraph& lowered, const std::vector<LiveValue>& live,
                               const std::vector<std::size_t>& chosen) {
  using Key = std::tuple<StorageKind, DataType, std::array<std::uint32_t, 3>>;
  std::map<Key, std::uint32_t> kind_of;
  std::vector<std::uint32_t> kinds;
  std::vector<UsageRecord> records;
  for (const std::size_t i : chosen) {
    const gpu::MemoryDescriptor& object = live[i].object;
    const Key key{object.kind, object.texel, object.extent};
    kinds.push_back(kind_of.try_emplace(key, static_cast<std::uint32_t>(kind_of.size())).first->second);
    records.push_back(live[i].usage);
  }
  const ObjectPlan plan = plan_objects(records, kinds);
  const auto first = static_cast<std::uint32_t>(lowered.objects.size());
  lowered.objects.resize(first + plan.sizes.size());
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const LiveValue& value = live[chosen[k]];
    const std::uint32_t index = first + plan.objects[k];
    gpu::MemoryDescriptor object = value.object;
    if (object.kind == StorageKind::Buffer) object.bytes = plan.sizes[plan.objects[k]];
    lowered.objects[index] = object;
    set_place(lowered, value, {.kind = Placement::Kind::Object, .bytes = value.usage.bytes, .index = index});
  }
  return plan.bytes();
}

}  // namespace

void place_activations(LoweredGraph& lowered, const gpu::DeviceFacts& facts, const GraphOptions& options) {
  const std::uint64_t alignment = std::max<std::uint64_t>(facts.buffer_alignment, 16);  // of a vec4 of f32
  lowered.values.assign(lowered.graph.values().size(), {});
  lowered.scratch_places.assign(lowered.scratch.size(), {});
  for (const LiveValue& value : live_values(lowered, false)) {
    lowered.memory.activations_naive += round_up(value.usage.bytes, alignment);
  }
  const std::vector<LiveValue> live = live_values(lowered, options.in_place);
  std::vector<std::size_t> buffers, images;
  std::vector<UsageRecord> all, records;
  for (std::size_t i = 0; i < live.size(); ++i) {
    const bool is_buffer = live[i].object.kind == StorageKind::Buffer;
    (is_buffer ? buffers : images).push_back(i);
    all.push_back(live[i].usage);
    if (is_buffer) records.push_back(live[i].usage);
  }
  lowered.memory.lower_bound = memory_lower_bound(all, alignment);
  lowered.memory.activations_planned = place_in_objects(lowered, live, images);
  const MemoryPlan plan = plan_memory(options.memory_strategy, records, alignment);
  if (facts.max_allocation != 0 && plan.bytes > facts.max_allocation) {
    lowered.memory.activations_planned += place_in_objects(lowered, live, buffers);
    return;
  }
  lowered.arena_bytes = plan.bytes;
  lowered.memory.activations_planned += plan.bytes;
  for (std::size_t k = 0; k < buffers.size(); ++k) {
    set_place(lowered, live[buffers[k]],
              {.kind = Placement::Kind::Arena, .offset = plan.offsets[k], .bytes = live[buffers[k]].usage.bytes});
  }
}

}  // namespace driftwood::graph
