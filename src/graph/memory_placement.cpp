#include "graph/memory_placement.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "base/checked.h"

namespace driftwood::graph {

namespace {

template <class Before>
std::vector<std::size_t> sorted(std::size_t count, Before before) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), before);
  return order;
}

}  // namespace

MemoryPlan place_in_order(std::span<const UsageRecord> records, std::span<const std::size_t> order,
                          std::uint64_t alignment, Fit fit) {
  MemoryPlan plan;
  plan.offsets.resize(records.size());
  std::vector<std::size_t> placed;  // by offset
  placed.reserve(records.size());
  for (const std::size_t i : order) {
    const std::uint64_t size = round_up(records[i].bytes, alignment);
    std::uint64_t best = 0, best_gap = 0, end = 0;
    bool found = false;
    for (const std::size_t j : placed) {
      if (!overlap(records[i], records[j])) continue;
      if (const std::uint64_t offset = plan.offsets[j]; offset > end && offset - end >= size) {
        if (!found || offset - end < best_gap) {
          best = end;
          best_gap = offset - end;
          found = true;
          if (fit == Fit::LowestGap) break;
        }
      }
      end = std::max(end, plan.offsets[j] + round_up(records[j].bytes, alignment));
    }
    const std::uint64_t offset = found ? best : end;
    plan.offsets[i] = offset;
    plan.bytes = std::max(plan.bytes, offset + size);
    const auto at = std::upper_bound(placed.begin(), placed.end(), offset,
                                     [&](std::uint64_t value, std::size_t j) { return value < plan.offsets[j]; });
    placed.insert(at, i);
  }
  return plan;
}

std::vector<std::uint64_t> live_bytes(std::span<const UsageRecord> records, std::uint64_t alignment) {
  std::uint32_t steps = 0;
  for (const UsageRecord& record : records) steps = std::max(steps, record.last + 1);
  std::vector<std::uint64_t> begins(steps, 0), ends(std::size_t{steps} + 1, 0);
  for (const UsageRecord& record : records) {
    begins[record.first] += round_up(record.bytes, alignment);
    ends[std::size_t{record.last} + 1] += round_up(record.bytes, alignment);
  }
  std::uint64_t live = 0;
  std::vector<std::uint64_t> result(steps);
  for (std::uint32_t step = 0; step < steps; ++step) {
    live += begins[step];
    live -= ends[step];
    result[step] = live;
  }
  return result;
}

std::vector<std::size_t> order_by_size(std::span<const UsageRecord> records) {
  return sorted(records.size(), [&](std::size_t a, std::size_t b) {
    if (records[a].bytes != records[b].bytes) return records[a].bytes > records[b].bytes;
    return records[a].first < records[b].first;
  });
}

std::vector<std::size_t> order_by_area(std::span<const UsageRecord> records) {
  const auto area = [&](std::size_t i) {
    return static_cast<double>(records[i].bytes) * (records[i].last - records[i].first + 1);
  };
  return sorted(records.size(), [&](std::size_t a, std::size_t b) { return area(a) > area(b); });
}

std::vector<std::size_t> order_by_lifetime(std::span<const UsageRecord> records) {
  return sorted(records.size(), [&](std::size_t a, std::size_t b) {
    const std::uint32_t steps_a = records[a].last - records[a].first, steps_b = records[b].last - records[b].first;
    return steps_a != steps_b ? steps_a > steps_b : records[a].bytes > records[b].bytes;
  });
}

std::vector<std::size_t> order_by_breadth(std::span<const UsageRecord> records) {
  const std::vector<std::uint64_t> live = live_bytes(records, 1);
  const std::vector<std::size_t> steps =
      sorted(live.size(), [&](std::size_t a, std::size_t b) { return live[a] > live[b]; });
  std::vector<std::size_t> rank(live.size());
  for (std::size_t i = 0; i < steps.size(); ++i) rank[steps[i]] = i;
  // A record belongs to the widest of its steps.
  std::vector<std::size_t> widest(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto begin = rank.begin() + records[i].first;
    widest[i] = *std::min_element(begin, rank.begin() + records[i].last + 1);
  }
  return sorted(records.size(), [&](std::size_t a, std::size_t b) {
    return widest[a] != widest[b] ? widest[a] < widest[b] : records[a].bytes > records[b].bytes;
  });
}

MemoryPlan best_placement(std::span<const UsageRecord> records, std::uint64_t alignment) {
  const std::uint64_t bound = memory_lower_bound(records, alignment);
  MemoryPlan best;
  std::vector<std::size_t> order;
  Fit fit = Fit::SmallestGap;
  bool is_first = true;
  for (auto* make : {order_by_size, order_by_breadth, order_by_area, order_by_lifetime}) {
    const std::vector<std::size_t> candidate = make(records);
    for (const Fit candidate_fit : {Fit::SmallestGap, Fit::LowestGap}) {
      MemoryPlan plan = place_in_order(records, candidate, alignment, candidate_fit);
      if (!is_first && plan.bytes >= best.bytes) continue;
      is_first = false;
      best = std::move(plan);
      order = candidate;
      fit = candidate_fit;
    }
  }
  // Placing all records once costs about their number squared. Some 20 million such steps are a tenth of a second.
  const std::uint64_t cost = std::max<std::uint64_t>(1, std::uint64_t{records.size()} * records.size());
  const auto tries = std::clamp<std::uint64_t>(20'000'000 / cost, 16, 400);
  std::mt19937_64 random(1);
  MemoryPlan current = best;
  for (std::uint64_t attempt = 0; attempt < tries && best.bytes > bound; ++attempt) {
    // What reaches the top of the arena was placed too late: it moves to an earlier turn.
    std::vector<std::size_t> at_top;
    for (std::size_t turn = 1; turn < order.size(); ++turn) {
      const std::size_t i = order[turn];
      if (current.offsets[i] + round_up(records[i].bytes, alignment) == current.bytes) at_top.push_back(turn);
    }
    if (at_top.empty()) break;
    const std::size_t from = at_top[random() % at_top.size()];
    const std::size_t to = random() % from;
    std::vector<std::size_t> changed = order;
    std::rotate(changed.begin() + static_cast<std::ptrdiff_t>(to), changed.begin() + static_cast<std::ptrdiff_t>(from),
                changed.begin() + static_cast<std::ptrdiff_t>(from) + 1);
    MemoryPlan plan = place_in_order(records, changed, alignment, fit);
    if (plan.bytes > current.bytes) continue;
    current = plan;
    order = std::move(changed);
    if (plan.bytes < best.bytes) best = std::move(plan);
  }
  return best;
}

}  // namespace driftwood::graph
