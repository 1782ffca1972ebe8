// Whether the statistics of a group norm take one launch or two, and how one is cut into workgroups.
#include <gmock/gmock.h>

#include "graph/builder.h"
#include "graph/lowering.h"

namespace driftwood::graph {
namespace {

using testing::ElementsAre;

struct Choice {
  std::uint32_t height = 64, width = 64, channels = 320, joined = 0, groups = 32;
  DataType type = DataType::F16;
  bool is_cpu = false;
  std::uint32_t most_invocations = 1024;
  std::uint64_t local_memory = 48 << 10;
  std::vector<std::string> disabled = {};
};

LoweredGraph lowered(const Choice& choice) {
  gpu::DeviceFacts facts;
  facts.id = "test";
  facts.is_cpu = choice.is_cpu;
  facts.compute_units = 132;
  facts.max_workgroup_size = choice.most_invocations;
  facts.max_workgroup_extent = {choice.most_invocations, choice.most_invocations, 64};
  facts.local_memory = choice.local_memory;
  facts.max_allocation = 1 << 30;
  Builder b({.activation = choice.type});
  const Shape shape{.b = 2, .h = choice.height, .w = choice.width, .c = choice.channels};
  const std::uint32_t channels = choice.channels + choice.joined;
  const Tensor x = b.input("x", shape, choice.type);
  std::optional<Tensor> x2;
  if (choice.joined > 0) {
    x2 = b.input("x2", {.b = 2, .h = choice.height, .w = choice.width, .c = choice.joined}, choice.type);
  }
  const auto [scale, shift] =
      b.group_statistics(x, b.vector("gamma", std::vector<float>(channels, 1.0F)),
                         b.vector("beta", std::vector<float>(channels)), {.groups = choice.groups}, x2);
  b.output("scale", scale);
  b.output("shift", shift);
  return lower(std::move(b).build(), facts, {.disabled_kernels = choice.disabled});
}

std::vector<std::string> kernels_of(const Choice& choice) {
  std::vector<std::string> kernels;
  for (const LoweredStep& step : lowered(choice).steps) kernels.emplace_back(step.kernel);
  return kernels;
}

// Workgroups of the first image; columns, rows.
std::vector<double> cut_of(const Choice& choice) {
  const KernelUse use = lowered(choice).steps.at(0).use;
  const auto& overrides = use.specialization.overrides;
  return {double(use.grid[0].fixed), overrides.at("columns"), overrides.at("rows")};
}

const auto one = ElementsAre("group-statistics-whole");
const auto two = ElementsAre("group-statistics", "group-statistics");

TEST(GroupStatisticsSelection, SmallTensorsTakeOneLaunch) {
  EXPECT_THAT(kernels_of({}), one);
  EXPECT_THAT(kernels_of({.joined = 320}), one);
  EXPECT_THAT(kernels_of({.height = 32, .width = 32, .channels = 1280, .joined = 640}), one);
  EXPECT_THAT(kernels_of({.height = 8, .width = 8, .channels = 1280, .joined = 1280}), one);
  EXPECT_THAT(kernels_of({.height = 32, .width = 32, .type = DataType::F32}), one);
  EXPECT_THAT(kernels_of({.disabled = {"group-statistics-whole"}}), two);
}

TEST(GroupStatisticsSelection, WhatAWorkgroupWouldTakeLongForTakesTwo) {
  EXPECT_THAT(kernels_of({.height = 512, .width = 512, .channels = 128}), two);
  EXPECT_THAT(kernels_of({.height = 64, .width = 64, .channels = 512}), one);
  EXPECT_THAT(kernels_of({.height = 256, .width = 256, .channels = 512}), two);
  // 480 KiB a workgroup.
  EXPECT_THAT(kernels_of({.joined = 640}), two);
  // 128 positions an invocation.
  EXPECT_THAT(kernels_of({.most_invocations = 160}), two);
  // One invocation would add 320 channels.
  EXPECT_THAT(kernels_of({.height = 8, .width = 8, .groups = 1}), two);
  EXPECT_THAT(kernels_of({.is_cpu = true}), two);
}

TEST(GroupStatisticsSelection, WorkgroupsAreWithinWhatTheDeviceHas) {
  // Two groups of 10 channels are 5 slices.
  EXPECT_THAT(cut_of({}), ElementsAre(16, 5, 128));
  EXPECT_THAT(cut_of({.most_invocations = 512}), ElementsAre(16, 5, 64));
  EXPECT_THAT(cut_of({.local_memory = 16 << 10}), ElementsAre(16, 5, 64));
  EXPECT_THAT(cut_of({.joined = 320}), ElementsAre(32, 5, 128));
  EXPECT_THAT(cut_of({.height = 32, .width = 32, .channels = 2560}), ElementsAre(32, 20, 32));
  // Eight positions a row at least.
  EXPECT_THAT(cut_of({.height = 8, .width = 8, .channels = 1280}), ElementsAre(32, 10, 8));
  EXPECT_THAT(cut_of({.height = 1, .width = 7, .channels = 9, .groups = 3}), ElementsAre(1, 3, 1));
}

}  // namespace
}  // namespace driftwood::graph
