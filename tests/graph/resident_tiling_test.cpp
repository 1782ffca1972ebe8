// How products of one token are cut for workgroups that stay on the device.
#include <gmock/gmock.h>

#include "graph/builder.h"
#include "graph/lowering.h"

namespace driftwood::graph {
namespace {

using testing::ElementsAre;

// Lanes, splits, turns and blocks of a product, and its workgroups, on a device of 132 units.
std::vector<double> cut(std::uint32_t rows, std::uint32_t columns, DataType format = DataType::Q4_0,
                        DecodeLaunches launches = DecodeLaunches::Auto) {
  gpu::DeviceFacts facts;
  facts.id = "test";
  facts.compute_units = 132;
  facts.max_workgroup_size = 1024;
  facts.max_workgroup_extent = {1024, 1024, 64};
  facts.local_memory = 48 << 10;
  facts.has_f16_arithmetic = facts.has_subgroups = facts.joins_dispatches = true;
  facts.subgroup_size = 32;
  Builder b;
  b.output("y", b.linear(b.input("x", {.c = columns}), b.weights({format, columns, {{"w", rows}}})));
  const LoweredGraph lowered = lower(std::move(b).build(), facts, {.decode_launches = launches});
  const KernelUse& use = lowered.steps.at(0).use;
  std::vector<double> values;
  for (const char* name : {"lanes", "splits", "turns", "blocks"})
    values.push_back(use.specialization.overrides.at(name));
  values.push_back(workgroups(use.grid, {.tokens = 1}, false, facts.max_workgroup_count)->at(0));
  return values;
}

TEST(ResidentTiling, IsOneWorkgroupAUnitWhereRowsComeOutEven) {
  EXPECT_THAT(cut(4096, 4096), ElementsAre(32, 16, 4, 1, 128));
  EXPECT_THAT(cut(4096, 14336), ElementsAre(32, 16, 4, 1, 128));
  EXPECT_THAT(cut(128256, 4096), ElementsAre(32, 16, 4, 31, 130));
}

TEST(ResidentTiling, IsTwoNarrowOnesElsewhere) {
  EXPECT_THAT(cut(6144, 4096), ElementsAre(8, 32, 4, 3, 256));
  EXPECT_THAT(cut(640, 1024), ElementsAre(8, 32, 1, 1, 80));
  EXPECT_THAT(cut(1536, 640), ElementsAre(8, 16, 1, 1, 192));
}

TEST(ResidentTiling, HasFewerChunksUnderWayWhereTheyAreLarger) {
  EXPECT_THAT(cut(4096, 4096, DataType::Q8_0), ElementsAre(32, 16, 2, 1, 128));
  EXPECT_THAT(cut(4096, 4096, DataType::Q6_K).at(2), 1);
}

TEST(ResidentTiling, IsForLaunchesThatAreOne) {
  EXPECT_NE(cut(6144, 4096), cut(6144, 4096, DataType::Q4_0, DecodeLaunches::Many));
}

}  // namespace
}  // namespace driftwood::graph
