// How products of one token are cut for workgroups that stay on the device.
#include <gmock/gmock.h>

#include "graph/builder.h"
#include "graph/lowering.h"

namespace driftwood::graph {
namespace {

using testing::ElementsAre;

// Lanes, splits, turns and blocks of a product, and its workgroups, on a device of 132 units.
std::vector<double> cut(std::uint32_t rows, std::uint32_t columns, DataType format = DataType::Q4_0,
                        DecodeLaunches launches = DecodeLaunches::Auto, bool is_gated = false) {
  gpu::DeviceFacts facts;
  facts.id = "test";
  facts.compute_units = 132;
  facts.max_workgroup_size = 1024;
  facts.max_workgroup_extent = {1024, 1024, 64};
  facts.local_memory = 48 << 10;
  facts.has_f16_arithmetic = facts.has_subgroups = facts.joins_dispatches = facts.has_packed_dot = true;
  facts.subgroup_size = 32;
  Builder b;
  const Tensor x = b.input("x", {.c = columns}), w = b.weights({format, columns, {{"w", rows}}});
  b.output("y", is_gated ? b.gated_linear(x, w, b.weights({format, columns, {{"up", rows}}})) : b.linear(x, w));
  const LoweredGraph lowered = lower(std::move(b).build(), facts, {.decode_launches = launches});
  const KernelUse& use = lowered.steps.at(0).use;
  std::vector<double> values;
  for (const char* name : {"lanes", "splits", "turns", "blocks"})
    values.push_back(use.specialization.overrides.at(name));
  values.push_back(workgroups(use.grid, {.tokens = 1}, false, facts.max_workgroup_count)->at(0));
  return values;
}

// Behind each what it took in us among stages on an H200, and what the fastest of all cuts did (docs/performance.md).
TEST(ResidentTiling, IsAmongTheFastest) {
  const auto gated = [](std::uint32_t rows, std::uint32_t columns) {
    return cut(rows, columns, DataType::Q4_0, DecodeLaunches::Auto, true);
  };
  EXPECT_THAT(cut(4096, 4096), ElementsAre(32, 16, 4, 1, 128));     // 4.9, 4.9
  EXPECT_THAT(cut(4096, 14336), ElementsAre(32, 16, 4, 1, 128));    // 12.9, 12.9
  EXPECT_THAT(cut(6144, 4096), ElementsAre(16, 32, 4, 3, 128));     // 6.6, 6.5
  EXPECT_THAT(gated(14336, 4096), ElementsAre(16, 16, 4, 7, 128));  // 19.3, 19.1
  EXPECT_THAT(cut(5120, 3072), ElementsAre(32, 8, 4, 1, 160));      // 5.2, 5.2
  EXPECT_THAT(cut(3072, 3072), ElementsAre(32, 16, 4, 1, 96));      // 4.2, 4.0
  EXPECT_THAT(cut(2048, 16384), ElementsAre(16, 32, 4, 1, 128));    // 10.1, 9.9
  EXPECT_THAT(cut(1152, 6912), ElementsAre(16, 32, 4, 1, 72));      // 5.0, 5.0
  EXPECT_THAT(cut(256000, 2048), ElementsAre(32, 8, 4, 31, 259));   // 72.0, 72.0
  EXPECT_THAT(cut(262144, 1152), ElementsAre(32, 8, 4, 32, 256));   // 46.4, 46.4
  EXPECT_THAT(gated(16384, 2048), ElementsAre(32, 8, 4, 4, 128));   // 11.6, 11.6
}

TEST(ResidentTiling, HasFewerChunksUnderWayWhereTheyAreLarger) {
  EXPECT_THAT(cut(4096, 14336, DataType::Q8_0), ElementsAre(32, 16, 2, 1, 128));
  EXPECT_THAT(cut(4096, 4096, DataType::Q8_0).at(2), 4);  // two steps, and none follows
  EXPECT_THAT(cut(4096, 4096, DataType::Q6_K).at(2), 1);
}

TEST(ResidentTiling, IsForLaunchesThatAreOne) {
  EXPECT_NE(cut(6144, 4096), cut(6144, 4096, DataType::Q4_0, DecodeLaunches::Many));
}

}  // namespace
}  // namespace driftwood::graph
