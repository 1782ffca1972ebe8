// How products on matrix units are cut, and which nodes go there.
#include <gmock/gmock.h>

#include "base/checked.h"
#include "graph/builder.h"
#include "graph/lowering.h"
#include "graph/selection/matrix_product.h"

namespace driftwood::graph {
namespace {

using testing::ElementsAre;

gpu::DeviceFacts facts(std::uint32_t units = 132) {
  gpu::DeviceFacts facts;
  facts.id = "test";
  facts.compute_units = units;
  facts.max_workgroup_size = 1024;
  facts.max_workgroup_extent = {1024, 1024, 64};
  facts.local_memory = 48 << 10;
  facts.has_f16_arithmetic = true;
  facts.has_subgroups = true;
  facts.subgroup_size = 32;
  facts.has_matrices = true;
  return facts;
}

constexpr std::uint64_t any_bytes = std::uint64_t{1} << 40;

std::uint64_t groups(const MatrixTiling& tiling, std::uint32_t positions, std::uint32_t outputs) {
  return divide_up(positions, tiling.tile->positions) * divide_up(outputs, tiling.tile->outputs) * tiling.splits;
}

TEST(MatrixTiling, ManyTilesAreTheLargestAndShareNothing) {
  const MatrixTiling tiling = choose_tiling(65536, 1024, 4096, any_bytes, facts());
  EXPECT_EQ(tiling.tile, matrix_tiles().data());
  EXPECT_EQ(tiling.splits, 1U);
}

TEST(MatrixTiling, OpaqueMatricesAreSharedByMoreSubgroups) {
  gpu::DeviceFacts opaque = facts();
  opaque.has_opaque_matrices = true;
  const MatrixTiling tiling = choose_tiling(65536, 1024, 4096, any_bytes, opaque);
  ASSERT_NE(tiling.tile, nullptr);
  EXPECT_EQ(tiling.tile->positions, 128U);
  EXPECT_EQ(tiling.tile->outputs, 128U);
  EXPECT_EQ(tiling.tile->invocations(), 512U);
  opaque.max_workgroup_size = 256;
  EXPECT_EQ(choose_tiling(65536, 1024, 4096, any_bytes, opaque).tile->invocations(), 256U);
}

// The levels of a UNet of 64 x 64 positions, two pictures at once.
TEST(MatrixTiling, UnitsAreBusyAtEveryLevel) {
  struct Level {
    std::uint32_t positions, outputs, columns;
  };
  for (const Level& level : {Level{8192, 320, 2880}, Level{2048, 640, 5760}, Level{512, 1280, 11520},
                             Level{128, 1280, 11520}, Level{128, 1280, 23040}, Level{512, 1280, 1280}}) {
    const MatrixTiling tiling = choose_tiling(level.positions, level.outputs, level.columns, any_bytes, facts());
    ASSERT_NE(tiling.tile, nullptr);
    EXPECT_GE(groups(tiling, level.positions, level.outputs), 80U) << level.positions << " x " << level.outputs;
  }
}

TEST(MatrixTiling, SharesTakeNoMoreMemoryThanTheyMay) {
  EXPECT_EQ(choose_tiling(2048, 640, 5760, any_bytes, facts()).splits, 3U);
  EXPECT_EQ(choose_tiling(2048, 640, 5760, 2 * 2048 * 640 * 4, facts()).splits, 2U);
  EXPECT_EQ(choose_tiling(2048, 640, 5760, 2 * 2048 * 640 * 4 - 1, facts()).splits, 1U);
  EXPECT_EQ(choose_tiling(2048, 640, 5760, 0, facts()).splits, 1U);
}

TEST(MatrixTiling, NoShareIsEmpty) {
  for (std::uint32_t columns = 32; columns < 12000; columns += 32) {
    const MatrixTiling tiling = choose_tiling(128, 320, columns, any_bytes, facts());
    const auto steps = static_cast<std::uint32_t>(divide_up(columns, 32));
    const auto share = static_cast<std::uint32_t>(divide_up(steps, tiling.splits));
    EXPECT_LT((tiling.splits - 1) * share, steps) << columns;
    EXPECT_TRUE(tiling.splits == 1 || share >= 4) << columns;
  }
}

TEST(MatrixTiling, SmallDevicesGetSmallTilesOrNone) {
  gpu::DeviceFacts small = facts();
  small.local_memory = 24 << 10;
  EXPECT_EQ(choose_tiling(65536, 1024, 4096, any_bytes, small).tile->bytes(small), 20480U);
  small.local_memory = 16 << 10;
  EXPECT_EQ(choose_tiling(65536, 1024, 4096, any_bytes, small).tile, nullptr);
  small = facts();
  small.max_workgroup_size = 64;
  EXPECT_EQ(choose_tiling(65536, 1024, 4096, any_bytes, small).tile, nullptr);
}

// ---- the rows of the table

struct Options {
  DataType activation = DataType::F16;
  Precision precision = Precision::Auto;
  bool has_matrices = true;
  std::uint32_t width = 64;
};

std::vector<std::string> kernels_of(const Options& options) {
  Builder b({.activation = options.activation});
  const Tensor x = b.input("x", {.b = 2, .h = 8, .w = options.width, .c = 64}, options.activation);
  const Tensor w =
      b.weights({.format = DataType::F16, .columns = 576, .blocks = {{"w", 32}}, .taps = 9, .channels = 64});
  const Conv2d window{.window_h = 3, .window_w = 3, .pad_top = 1, .pad_left = 1, .pad_bottom = 1, .pad_right = 1};
  b.output("y", b.conv2d(x, w, window), options.activation);
  gpu::DeviceFacts device = facts(4);
  device.has_matrices = options.has_matrices;
  // Whatever else there is for convolutions.
  const auto always = [](const Node&, const SelectionContext&) { return true; };
  const auto none = [](const Node& node, const SelectionContext&) {
    return Lowering{.kernels = {{.resources = {read("x", node.inputs[0]), write("y", node.outputs[0])}}}};
  };
  std::vector<KernelRow> rows;
  for (const KernelRow& row : kernel_rows()) {
    if (row.kernel.ends_with("-matrix")) rows.push_back(row);
  }
  rows.push_back({Conv2d::name, "plain", always, none});
  const LoweredGraph lowered = lower(std::move(b).build(), device, {.precision = options.precision}, rows);
  std::vector<std::string> kernels;
  for (const LoweredStep& step : lowered.steps) kernels.emplace_back(step.kernel);
  return kernels;
}

TEST(MatrixRows, HalvesGoToMatrixUnits) { EXPECT_THAT(kernels_of({}), ElementsAre("conv-matrix")); }

TEST(MatrixRows, FloatsAndF32DoNot) {
  EXPECT_THAT(kernels_of({.activation = DataType::F32}), ElementsAre("plain"));
  EXPECT_THAT(kernels_of({.precision = Precision::F32}), ElementsAre("plain"));
}

TEST(MatrixRows, OtherDevicesAndFewPositionsDoNot) {
  EXPECT_THAT(kernels_of({.has_matrices = false}), ElementsAre("plain"));
  EXPECT_THAT(kernels_of({.width = 1}), ElementsAre("plain"));
}

// Of the largest tensor of a graph a convolution transforms what it loads, instead of a copy: where it loads halves.
TEST(MatrixRows, OnlyHalvesInBuffersAreTransformedInTheLoad) {
  const auto transforms = [](StorageKind storage) {
    Builder b({.activation = DataType::F16});
    const auto weights = [&](const char* name) {
      return b.weights({.format = DataType::F16, .columns = 64, .blocks = {{name, 64}}});
    };
    const Tensor x = b.input("x", {.h = 512, .w = 512, .c = 64}, DataType::F16);
    const Tensor hidden = b.conv2d(x, weights("a"), Conv2d{});
    const Tensor normal = b.group_norm(hidden, b.vector("gamma", std::vector<float>(64, 1.0F)),
                                       b.vector("beta", std::vector<float>(64)), {.groups = 8});
    b.output("y", b.conv2d(normal, weights("b"), Conv2d{}), DataType::F16);
    gpu::DeviceFacts device = facts(4);
    device.has_matrices = device.has_images = true;
    device.max_image_buffer = std::uint64_t{1} << 28;
    std::vector<KernelRow> rows;
    for (const KernelRow& row : kernel_rows()) {
      if (row.kernel == "conv-matrix" || row.kernel.starts_with("group-statistics")) rows.push_back(row);
    }
    const LoweredGraph lowered = lower(std::move(b).build(), device, {.storage = storage}, rows);
    std::vector<double> found;
    for (const LoweredStep& step : lowered.steps) {
      const auto& overrides = step.use.specialization.overrides;
      if (const auto at = overrides.find("transforms"); at != overrides.end()) found.push_back(at->second);
    }
    return found;
  };
  EXPECT_THAT(transforms(StorageKind::Buffer), ElementsAre(0, 1));
  EXPECT_THAT(transforms(StorageKind::ImageBuffer), ElementsAre(0, 0));
}

}  // namespace
}  // namespace driftwood::graph
