// Placing usage records one after another, and the orders to do so: what the strategies of memory_plan.h are made of.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "graph/memory_plan.h"

namespace driftwood::graph {

/// Which gap between the records already placed a record takes.
enum class Fit { SmallestGap, LowestGap };

/// Both live at some step.
inline bool overlap(const UsageRecord& a, const UsageRecord& b) { return a.first <= b.last && b.first <= a.last; }

/// Places records in this order, each at an offset where it meets none that lives with it.
MemoryPlan place_in_order(std::span<const UsageRecord> records, std::span<const std::size_t> order,
                          std::uint64_t alignment, Fit fit);

/// Bytes that live at each step.
std::vector<std::uint64_t> live_bytes(std::span<const UsageRecord> records, std::uint64_t alignment);

/// Largest first; equal sizes by first step.
std::vector<std::size_t> order_by_size(std::span<const UsageRecord> records);
/// The records of the step with the most live bytes first, largest first within a step.
std::vector<std::size_t> order_by_breadth(std::span<const UsageRecord> records);
/// Largest product of bytes and steps first.
std::vector<std::size_t> order_by_area(std::span<const UsageRecord> records);
/// Longest-lived first, largest first among those.
std::vector<std::size_t> order_by_lifetime(std::span<const UsageRecord> records);

/// The smallest plan that these orders and a deterministic local search from the best of them find. The search takes
/// about as much time for few records as for many, and ends where the lower bound is reached.
MemoryPlan best_placement(std::span<const UsageRecord> records, std::uint64_t alignment);

}  // namespace driftwood::graph
