#include "graph/memory_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "base/checked.h"
#include "base/error.h"
#include "graph/memory_placement.h"

namespace driftwood::graph {

namespace {

MemoryPlan naive(std::span<const UsageRecord> records, std::uint64_t alignment) {
  MemoryPlan plan;
  for (const UsageRecord& record : records) {
    plan.offsets.push_back(plan.bytes);
    plan.bytes += round_up(record.bytes, alignment);
  }
  return plan;
}

MemoryPlan equality(std::span<const UsageRecord> records, std::uint64_t alignment) {
  const ObjectPlan objects = plan_objects(records, {});
  std::vector<std::uint64_t> starts;
  MemoryPlan plan;
  for (const std::uint64_t size : objects.sizes) {
    starts.push_back(plan.bytes);
    plan.bytes += round_up(size, alignment);
  }
  for (const std::uint32_t object : objects.objects) plan.offsets.push_back(starts[object]);
  return plan;
}

MemoryPlan greedy_by_size(std::span<const UsageRecord> records, std::uint64_t alignment) {
  return place_in_order(records, order_by_size(records), alignment, Fit::SmallestGap);
}

MemoryPlan greedy_by_breadth(std::span<const UsageRecord> records, std::uint64_t alignment) {
  return place_in_order(records, order_by_breadth(records), alignment, Fit::SmallestGap);
}

// Steps between a record and the nearest user of an object; nothing where one of them lives at the same time.
std::optional<std::uint32_t> idle_beside(const UsageRecord& record, std::span<const UsageRecord> records,
                                         const std::vector<std::size_t>& users) {
  std::uint32_t gap = std::numeric_limits<std::uint32_t>::max();
  for (const std::size_t user : users) {
    const UsageRecord& other = records[user];
    if (overlap(record, other)) return std::nullopt;
    gap = std::min(gap, record.first > other.last ? record.first - other.last : other.first - record.last);
  }
  return gap;
}

constexpr MemoryStrategy table[] = {
    {"naive", naive},
    {"equality", equality},
    {"greedy-by-size", greedy_by_size},
    {"greedy-by-breadth", greedy_by_breadth},
    {"best", best_placement},
};

}  // namespace

std::span<const MemoryStrategy> memory_strategies() { return table; }

MemoryPlan plan_memory(std::string_view strategy, std::span<const UsageRecord> records, std::uint64_t alignment) {
  if (alignment == 0) throw InvalidInput("The alignment of a memory plan is 0; it must be at least 1.");
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (records[i].first <= records[i].last) continue;
    throw InvalidInput(fmt::format("The usage record {} ends at step {}, before it begins at step {}.", i,
                                   records[i].last, records[i].first));
  }
  const auto* found = std::ranges::find(table, strategy, &MemoryStrategy::name);
  if (found != std::end(table)) return found->plan(records, alignment);
  std::string known;
  for (const MemoryStrategy& entry : table) known += fmt::format("{}'{}'", known.empty() ? "" : ", ", entry.name);
  throw InvalidInput(fmt::format("There is no memory strategy '{}'; the strategies are {}.", strategy, known));
}

std::uint64_t ObjectPlan::bytes() const { return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}); }

ObjectPlan plan_objects(std::span<const UsageRecord> records, std::span<const std::uint32_t> kinds) {
  ObjectPlan plan;
  plan.objects.resize(records.size());
  std::vector<std::vector<std::size_t>> users;
  std::vector<std::uint32_t> object_kinds;
  for (const std::size_t i : order_by_size(records)) {
    const std::uint32_t kind = kinds.empty() ? 0 : kinds[i];
    // Objects are made in falling size, so every one is large enough. Of those that are free, the one that is idle for
    // the shortest time before or after leaves the longest times for others; among equals the smallest.
    std::size_t chosen = users.size();
    std::uint32_t chosen_gap = 0;
    for (std::size_t object = users.size(); object-- > 0;) {
      if (object_kinds[object] != kind) continue;
      const std::optional<std::uint32_t> gap = idle_beside(records[i], records, users[object]);
      if (!gap || (chosen != users.size() && *gap >= chosen_gap)) continue;
      chosen = object;
      chosen_gap = *gap;
    }
    if (chosen == users.size()) {
      users.emplace_back();
      object_kinds.push_back(kind);
      plan.sizes.push_back(records[i].bytes);
    }
    users[chosen].push_back(i);
    plan.objects[i] = static_cast<std::uint32_t>(chosen);
  }
  return plan;
}

std::uint64_t memory_lower_bound(std::span<const UsageRecord> records, std::uint64_t alignment) {
  const std::vector<std::uint64_t> live = live_bytes(records, alignment);
  return live.empty() ? 0 : *std::ranges::max_element(live);
}

}  // namespace driftwood::graph
