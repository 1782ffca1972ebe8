// Which kernel attends to a KV cache, and how the cache is divided.
#include <gmock/gmock.h>

#include "graph/builder.h"
#include "graph/lowering.h"

namespace driftwood::graph {
namespace {

using testing::ElementsAre;

struct Choice {
  std::uint32_t tokens = 1;
  std::uint32_t head_size = 128;
  std::uint32_t heads = 24, kv_heads = 8;
  std::uint32_t places = 4096;
  std::uint32_t window = 0;
  DataType cache = DataType::F16;
  bool is_cpu = false;
  bool has_matrices = true;
  bool has_subgroups = true;
  bool is_token_minor = false;
  Precision precision = Precision::Auto;
  std::uint64_t local_memory = 48 << 10;
  std::uint64_t pipeline_memory = 0;
};

LoweredGraph lowered(const Choice& choice) {
  gpu::DeviceFacts facts;
  facts.id = "test";
  facts.is_cpu = choice.is_cpu;
  facts.compute_units = 132;
  facts.max_workgroup_size = 1024;
  facts.max_workgroup_extent = {1024, 1024, 64};
  facts.local_memory = choice.local_memory;
  facts.has_subgroups = choice.has_subgroups;
  facts.subgroup_size = 32;
  facts.has_matrices = choice.has_matrices;
  facts.pipeline_memory = choice.pipeline_memory;
  facts.max_allocation = 1 << 30;
  Builder b({.max_tokens = choice.tokens});
  const std::uint32_t rows = choice.tokens * (choice.heads / choice.kv_heads);
  const Tensor q = b.input("q", {.h = choice.kv_heads, .w = rows, .c = choice.head_size});
  const Shape cache{.h = choice.kv_heads, .w = choice.places, .c = choice.head_size};
  b.output("y", b.attention(q, b.state("k", cache, choice.cache), b.state("v", cache, choice.cache),
                            {.heads = choice.heads, .window = choice.window}));
  return lower(std::move(b).build(), facts,
               {.precision = choice.precision,
                .cache_layout = choice.is_token_minor ? CacheLayout::TokenMinor : CacheLayout::TokenMajor});
}

std::vector<std::string> kernels_of(const Choice& choice) {
  std::vector<std::string> kernels;
  for (const LoweredStep& step : lowered(choice).steps) kernels.emplace_back(step.kernel);
  return kernels;
}

TEST(AttentionSelection, FewTokensDivideTheCache) {
  // Undivided up to some length, over that in parts, which are then joined.
  const auto halves = ElementsAre("attention-split-halves", "attention-split-halves", "attention-split-halves");
  EXPECT_THAT(kernels_of({}), halves);
  EXPECT_THAT(kernels_of({.tokens = 16}), halves);
  EXPECT_THAT(kernels_of({.head_size = 256, .heads = 4, .kv_heads = 1}), halves);
  EXPECT_THAT(kernels_of({.local_memory = 16 << 10}), halves);
  const auto split = ElementsAre("attention-split", "attention-split");
  EXPECT_THAT(kernels_of({.cache = DataType::Q8_0}), split);
  EXPECT_THAT(kernels_of({.cache = DataType::F32}), split);
  EXPECT_THAT(kernels_of({.head_size = 260}), split);
  EXPECT_THAT(kernels_of({.head_size = 12}), split);
  EXPECT_THAT(kernels_of({.has_subgroups = false}), split);
  EXPECT_THAT(kernels_of({.is_token_minor = true}), split);
}

TEST(AttentionSelection, OneKernelOfTheThreeOrTwoRun) {
  const LoweredGraph graph = lowered({});
  const auto groups = [&](std::uint32_t position) {
    std::vector<std::uint64_t> all;
    for (const LoweredStep& step : graph.steps) {
      const Parameters parameters{.tokens = 1, .position = position};
      all.push_back(step.use.grid[0].groups(parameters) * step.use.grid[1].groups(parameters) *
                    step.use.grid[2].groups(parameters));
    }
    return all;
  };
  // 24 query heads, a workgroup each; three of them to a workgroup in blocks of 16 positions; and joined one by one.
  EXPECT_THAT(groups(0), ElementsAre(24, 0, 0));
  EXPECT_THAT(groups(383), ElementsAre(24, 0, 0));
  EXPECT_THAT(groups(384), ElementsAre(0, 8 * 25, 24));
  EXPECT_THAT(groups(4000), ElementsAre(0, 8 * 64, 24));
}

TEST(AttentionSelection, ManyTokensGoToMatrixUnitsWhereThereAreAny) {
  EXPECT_THAT(kernels_of({.tokens = 512}), ElementsAre("attention-cache-matrix"));
  EXPECT_THAT(kernels_of({.tokens = 512, .cache = DataType::Q8_0}), ElementsAre("attention-cache-matrix"));
  EXPECT_THAT(kernels_of({.tokens = 512, .head_size = 256}), ElementsAre("attention-cache-matrix"));
  const auto tile = ElementsAre("attention-cache-tile");
  EXPECT_THAT(kernels_of({.tokens = 512, .has_matrices = false}), tile);
  EXPECT_THAT(kernels_of({.tokens = 512, .cache = DataType::F32}), tile);
  EXPECT_THAT(kernels_of({.tokens = 512, .precision = Precision::F32}), tile);
  EXPECT_THAT(kernels_of({.tokens = 512, .head_size = 260}), tile);
}

TEST(AttentionSelection, ManyTokensGoThroughThePipelineWhereThereIsOne) {
  constexpr std::uint64_t memory = 224 << 10;
  const auto pipeline = ElementsAre("attention-cache-pipeline", "attention-cache-pipeline");
  EXPECT_THAT(kernels_of({.tokens = 512, .pipeline_memory = memory}), pipeline);
  EXPECT_THAT(kernels_of({.tokens = 512, .cache = DataType::Q8_0, .pipeline_memory = memory}), pipeline);
  EXPECT_THAT(kernels_of({.tokens = 512, .head_size = 256, .pipeline_memory = memory}), pipeline);
  const auto matrix = ElementsAre("attention-cache-matrix");
  EXPECT_THAT(kernels_of({.tokens = 512, .pipeline_memory = 4 << 10}), matrix);
  EXPECT_THAT(kernels_of({.tokens = 512, .has_subgroups = false, .pipeline_memory = memory}), matrix);
  const auto tile = ElementsAre("attention-cache-tile");
  EXPECT_THAT(kernels_of({.tokens = 512, .cache = DataType::F32, .pipeline_memory = memory}), tile);
  EXPECT_THAT(kernels_of({.tokens = 512, .precision = Precision::F32, .pipeline_memory = memory}), tile);
  EXPECT_THAT(kernels_of({.pipeline_memory = memory}).front(), "attention-split-halves");
  EXPECT_THAT(kernels_of({.tokens = 512, .is_cpu = true, .pipeline_memory = memory}),
              ElementsAre("attention-cache-wide"));
}

TEST(AttentionSelection, TilesForThePipelineAreThoseThatARunSees) {
  const LoweredGraph graph = lowered({.tokens = 512, .pipeline_memory = 224 << 10});
  const Parameters parameters{.tokens = 100, .position = 1000};
  const std::uint64_t keys = static_cast<std::uint64_t>(graph.steps[0].use.specialization.overrides.at("keys"));
  EXPECT_EQ(graph.steps[0].use.grid[0].groups(parameters), (1100 + keys - 1) / keys);
  EXPECT_EQ(graph.steps[0].use.grid[1].groups(parameters), 8U);
  EXPECT_EQ(graph.steps[1].use.grid[0].groups(parameters), (300 + 127) / 128U);
}

TEST(AttentionSelection, CpusTakeRowsInVectorsOrOneByOne) {
  EXPECT_THAT(kernels_of({.tokens = 512, .is_cpu = true}), ElementsAre("attention-cache-wide"));
  EXPECT_THAT(kernels_of({.tokens = 3, .is_cpu = true}), ElementsAre("attention-cache-wide"));
  EXPECT_THAT(kernels_of({.tokens = 2, .is_cpu = true}), ElementsAre("attention-cache-row"));
  EXPECT_THAT(kernels_of({.is_cpu = true}), ElementsAre("attention-cache-row"));
}

TEST(AttentionSelection, HeadsThatAreNoWholeSlicesAreJoinedAfterwards) {
  const auto online = ElementsAre("attention-online", "attention-online");
  EXPECT_THAT(kernels_of({.head_size = 22}), online);
  EXPECT_THAT(kernels_of({.tokens = 512, .head_size = 22}), online);
  EXPECT_THAT(kernels_of({.head_size = 22, .is_cpu = true}), online);
}

// Of the kernel that takes parts: workgroups for the rows of queries, and for the parts of the cache.
TEST(AttentionSelection, ThePartsKeepTheDeviceBusyAndAreNoSmallerThanABlock) {
  const auto groups = [](const Choice& choice) {
    const bool is_halves = choice.cache == DataType::F16;
    const Grid grid = lowered(choice).steps.at(is_halves ? 1 : 0).use.grid;
    const Parameters parameters{.tokens = choice.tokens, .position = 4000};
    return std::pair(grid[0].groups(parameters), grid[2].groups(parameters));
  };
  EXPECT_EQ(groups({}), std::pair(1UL, 64UL));                             // 8 KV heads: 512 workgroups
  EXPECT_EQ(groups({.heads = 32, .kv_heads = 32}), std::pair(1UL, 17UL));  // 544
  EXPECT_EQ(groups({.heads = 8, .kv_heads = 1}), std::pair(8UL, 63UL));    // 504, each row by itself
  EXPECT_EQ(groups({.tokens = 16}), std::pair(12UL, 8UL));                 // 48 rows of queries, four at a time: 768
  EXPECT_EQ(groups({.heads = 40, .kv_heads = 40, .places = 100}), std::pair(1UL, 2UL));
  EXPECT_EQ(groups({.window = 512}), std::pair(1UL, 32UL));
  EXPECT_EQ(groups({.tokens = 4, .window = 126}), std::pair(3UL, 9UL));              // a window for each of four tokens
  EXPECT_EQ(groups({.tokens = 16, .cache = DataType::Q8_0}), std::pair(6UL, 11UL));  // eight rows at a time: 528
}

}  // namespace
}  // namespace driftwood::graph
