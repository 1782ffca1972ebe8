#include "graph/memory_plan.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "base/checked.h"
#include "base/error.h"

namespace driftwood::graph {
namespace {

using Records = std::vector<UsageRecord>;

bool live_together(const UsageRecord& a, const UsageRecord& b) { return a.first <= b.last && b.first <= a.last; }

void expect_valid(const Records& records, const MemoryPlan& plan, std::uint64_t alignment, std::string_view what) {
  ASSERT_EQ(plan.offsets.size(), records.size()) << what;
  for (std::size_t i = 0; i < records.size(); ++i) {
    ASSERT_EQ(plan.offsets[i] % alignment, 0U) << what;
    ASSERT_LE(plan.offsets[i] + records[i].bytes, plan.bytes) << what;
    for (std::size_t j = 0; j < i; ++j) {
      if (!live_together(records[i], records[j])) continue;
      const bool apart = plan.offsets[i] + records[i].bytes <= plan.offsets[j] ||
                         plan.offsets[j] + records[j].bytes <= plan.offsets[i];
      ASSERT_TRUE(apart) << what << ": records " << j << " and " << i << " overlap";
    }
  }
  ASSERT_GE(plan.bytes, memory_lower_bound(records, alignment)) << what;
}

// Chains with skip connections, as networks have them.
Records random_records(std::mt19937_64& random) {
  const auto steps = static_cast<std::uint32_t>(5 + random() % 100);
  Records records(2 + random() % 120);
  for (UsageRecord& record : records) {
    record.first = static_cast<std::uint32_t>(random() % steps);
    const auto length = static_cast<std::uint32_t>(random() % 10 == 0 ? random() % steps : random() % 4);
    record.last = std::min(steps - 1, record.first + length);
    record.bytes = 1 + random() % (std::uint64_t{16} << random() % 12);
  }
  return records;
}

TEST(MemoryPlan, AChainNeedsItsTwoLargestNeighbours) {
  const Records chain = {{0, 1, 16}, {1, 2, 8}, {2, 3, 64}, {3, 4, 32}, {4, 5, 8}};
  EXPECT_EQ(plan_memory("naive", chain, 1).bytes, 128U);
  EXPECT_EQ(plan_memory("equality", chain, 1).bytes, 96U);
  EXPECT_EQ(plan_memory("greedy-by-size", chain, 1).bytes, 96U);
  EXPECT_EQ(plan_memory("greedy-by-size", chain, 1).offsets, (std::vector<std::uint64_t>{0, 64, 0, 64, 0}));
  EXPECT_EQ(memory_lower_bound(chain, 1), 96U);
}

TEST(MemoryPlan, GreedyTakesTheSmallestGapThatFits) {
  // 100 and 60 live throughout with 40 for a while between them; 30 comes when 40 is gone, 35 beside both.
  const Records records = {{0, 9, 100}, {0, 4, 60}, {0, 2, 40}, {3, 9, 30}, {3, 5, 35}};
  const MemoryPlan plan = plan_memory("greedy-by-size", records, 1);
  EXPECT_EQ(plan.offsets, (std::vector<std::uint64_t>{0, 100, 160, 195, 160}));
  EXPECT_EQ(plan.bytes, 225U);
  EXPECT_EQ(memory_lower_bound(records, 1), 225U);
}

TEST(MemoryPlan, OffsetsMayShareWhatObjectsCannot) {
  // Two small values after a large one: as objects they need one more, in an arena they lie side by side over it.
  const Records records = {{0, 1, 64}, {1, 2, 16}, {2, 3, 32}, {2, 3, 32}};
  EXPECT_EQ(plan_memory("equality", records, 1).bytes, 64U + 32 + 16);
  EXPECT_EQ(plan_memory("greedy-by-size", records, 1).bytes, 80U);
}

TEST(MemoryPlan, BestFindsWhatGreedyBySizeMisses) {
  std::mt19937_64 random(11);
  int improved = 0;
  for (int round = 0; round < 200; ++round) {
    const Records records = random_records(random);
    const std::uint64_t greedy = plan_memory("greedy-by-size", records, 16).bytes;
    const std::uint64_t best = plan_memory("best", records, 16).bytes;
    ASSERT_LE(best, greedy);
    improved += best < greedy;
  }
  EXPECT_GT(improved, 10);
}

TEST(MemoryPlan, EveryPlanOfAThousandGraphsIsValidAndBestIsWithinThreePercentOfTheBound) {
  std::mt19937_64 random(7);
  double ratios = 0;
  for (int round = 0; round < 1000; ++round) {
    const Records records = random_records(random);
    const std::uint64_t alignment = std::uint64_t{1} << random() % 9;
    for (const MemoryStrategy& strategy : memory_strategies()) {
      const MemoryPlan plan = plan_memory(strategy.name, records, alignment);
      ASSERT_NO_FATAL_FAILURE(expect_valid(records, plan, alignment, strategy.name));
      if (strategy.name == "best") {
        ratios += static_cast<double>(plan.bytes) / static_cast<double>(memory_lower_bound(records, alignment));
      }
    }
  }
  EXPECT_LT(ratios / 1000, 1.03);
}

TEST(MemoryPlan, ObjectsAreLargeEnoughOfOneKindAndNeverSharedAtOnce) {
  std::mt19937_64 random(9);
  for (int round = 0; round < 200; ++round) {
    const Records records = random_records(random);
    std::vector<std::uint32_t> kinds(records.size());
    for (std::uint32_t& kind : kinds) kind = static_cast<std::uint32_t>(random() % 3);
    const ObjectPlan plan = plan_objects(records, kinds);
    for (std::size_t i = 0; i < records.size(); ++i) {
      ASSERT_LE(records[i].bytes, plan.sizes[plan.objects[i]]);
      for (std::size_t j = 0; j < i; ++j) {
        if (plan.objects[i] != plan.objects[j]) continue;
        ASSERT_EQ(kinds[i], kinds[j]);
        ASSERT_FALSE(live_together(records[i], records[j]));
      }
    }
  }
}

TEST(MemoryPlan, NothingNeedsNoMemory) {
  for (const MemoryStrategy& strategy : memory_strategies()) {
    EXPECT_EQ(strategy.plan({}, 16).bytes, 0U) << strategy.name;
    EXPECT_EQ(plan_memory(strategy.name, Records{{0, 3, 0}}, 16).bytes, 0U) << strategy.name;
  }
}

TEST(MemoryPlan, ErrorsNameTheValue) {
  const auto error_of = [](std::string_view strategy, const Records& records, std::uint64_t alignment) -> std::string {
    try {
      plan_memory(strategy, records, alignment);
    } catch (const InvalidInput& error) {
      return error.message();
    }
    return "no error";
  };
  EXPECT_EQ(error_of("tetris", {}, 1),
            "There is no memory strategy 'tetris'; the strategies are 'naive', 'equality', 'greedy-by-size', "
            "'greedy-by-breadth', 'best'.");
  EXPECT_EQ(error_of("best", {}, 0), "The alignment of a memory plan is 0; it must be at least 1.");
  EXPECT_EQ(error_of("best", {{0, 1, 4}, {5, 3, 4}}, 1),
            "The usage record 1 ends at step 3, before it begins at step 5.");
}

}  // namespace
}  // namespace driftwood::graph
