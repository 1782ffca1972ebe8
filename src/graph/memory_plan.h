// Memory of values with known lifetimes: usage records to offsets in one arena, or to shared objects. Pure functions.
//
// Strategies, after Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference" (2020):
//   naive              each value has memory of its own
//   equality           values with disjoint lifetimes share an object; objects never overlap
//   greedy-by-size     largest first, each at the lowest gap among those that live with it
//   greedy-by-breadth  by the steps with the most live bytes, and by size within a step
//   best               all of these and improvements of the best; the smallest wins
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace driftwood::graph {

/// Lifetime of a value: steps first to last, both included.
struct UsageRecord {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint64_t bytes = 0;
};

struct MemoryPlan {
  std::vector<std::uint64_t> offsets;  // of each record, multiples of the alignment
  std::uint64_t bytes = 0;             // of the arena
};

/// Values that share objects.
struct ObjectPlan {
  std::vector<std::uint32_t> objects;  // of each record
  std::vector<std::uint64_t> sizes;    // of each object
  std::uint64_t bytes() const;
};

struct MemoryStrategy {
  std::string_view name;
  MemoryPlan (*plan)(std::span<const UsageRecord> records, std::uint64_t alignment);
};

/// The strategies above, in that order.
std::span<const MemoryStrategy> memory_strategies();

/// Plans with a strategy by name. Every size is rounded up to the alignment. Throws InvalidInput for an unknown name
/// (listing the known ones), a zero alignment, or a record that ends before it begins.
MemoryPlan plan_memory(std::string_view strategy, std::span<const UsageRecord> records, std::uint64_t alignment);

/// Objects for records, largest first (equality). Only records of the same `kind` share an object; pass an empty span
/// where all are alike.
ObjectPlan plan_objects(std::span<const UsageRecord> records, std::span<const std::uint32_t> kinds);

/// No plan can be smaller: the most bytes that live at one step (sizes rounded up to the alignment).
std::uint64_t memory_lower_bound(std::span<const UsageRecord> records, std::uint64_t alignment);

}  // namespace driftwood::graph
