// Attention through the pipeline of a workgroup, which is plain loops on all devices but those that have it: the cases
// of the conformance suite that it takes, cut as devices of several sizes have them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/half.h"
#include "conformance/case.h"
#include "gpu/reference/reference_device.h"
#include "graph/builder.h"
#include "graph/lowering.h"
#include "graph/program.h"
#include "graph/selection/pipeline_attention.h"
#include "kernels/source.h"
#include "support/devices.h"

namespace driftwood::test {
namespace {

using namespace conformance;

// Every `stride`-th of the cases, from number `first`.
std::size_t run_cases(gpu::Device& device, const std::vector<Case>& cases, std::size_t stride, std::size_t first = 0) {
  const Subject subject{device, std::make_shared<graph::KernelCache>(device, kernels::source)};
  unsigned seed = 70;
  std::size_t taken = 0, count = 0;
  for (const Case& each : cases) {
    const Setting& setting = each.setting;
    const Problem problem = problem_of(each, device.facts(), ++seed);
    const graph::LoweredGraph lowered = graph::lower(problem.graph, device.facts(), options_of(setting));
    if (!lowered.steps.at(0).kernel.ends_with("-pipeline") || taken++ % stride != first) continue;
    ++count;
    std::string fault;
    try {
      fault = run(subject, problem, setting).fault;
    } catch (const Error& error) {
      fault = error.what();
    }
    EXPECT_EQ(fault, "") << describe(each);
  }
  return count;
}

struct Machine {
  std::uint32_t lanes;
  std::uint64_t memory;
};

class AttentionPipeline : public testing::TestWithParam<Machine> {
 protected:
  std::unique_ptr<gpu::Device> device =
      gpu::make_reference_device({.max_workgroup_size = GetParam().lanes,
                                  .max_workgroup_extent = {GetParam().lanes, GetParam().lanes, 64},
                                  .pipeline_memory = GetParam().memory});
};

TEST_P(AttentionPipeline, OverACacheComputesWhatTheOperationSays) {
  EXPECT_GE(run_cases(*device, attention_cases(), 2), 10U);
}

TEST_P(AttentionPipeline, OfImagesComputesWhatTheOperationSays) {
  EXPECT_GE(run_cases(*device, multi_head_attention_cases(), 2), 3U);
}

// Three times 64 rows of queries and tiles of 128 keys; twice, and tiles of 16 to 64.
INSTANTIATE_TEST_SUITE_P(Machines, AttentionPipeline,
                         testing::Values(Machine{1024, 224 << 10}, Machine{384, 224 << 10}, Machine{384, 40 << 10},
                                         Machine{384, 6 << 10}),
                         [](const auto& info) {
                           return std::to_string(info.param.lanes) + "_" + std::to_string(info.param.memory >> 10);
                         });

class AttentionPipelineOnADevice : public testing::TestWithParam<std::size_t> {};

TEST_P(AttentionPipelineOnADevice, ComputesWhatTheOperationSays) {
  gpu::Device* const device = test::device("opencl:0");
  if (device == nullptr || device->facts().pipeline_memory == 0) GTEST_SKIP() << "no pipeline";
  constexpr std::size_t stride = 16;  // compiling each takes a second
  EXPECT_GE(run_cases(*device, attention_cases(), stride, GetParam()), 1U);
}

// Parts, which several processes can run side by side.
INSTANTIATE_TEST_SUITE_P(Part, AttentionPipelineOnADevice, testing::Range<std::size_t>(0, 8));

// Attention of images as large as the rules ask for, which the cases of the suite are not on devices of many units:
// against sums in doubles.
TEST(AttentionPipelineOfImagesOnADevice, IsThatOfPlainArithmetic) {
  gpu::Device* const device = test::device("opencl:0");
  if (device == nullptr || device->facts().pipeline_memory == 0) GTEST_SKIP() << "no pipeline";
  constexpr std::uint32_t heads = 8;
  std::mt19937 random(3);
  std::uniform_real_distribution<float> range(-1, 1);
  for (const std::uint32_t size : {40U, 64U, 128U}) {
    const Shape shape{.h = 27, .w = 33, .c = heads * size};
    const std::size_t positions = std::size_t{shape.h} * shape.w;
    const float scale = 3 / std::sqrt(static_cast<float>(size));
    graph::Builder b({.activation = DataType::F16});
    const graph::Tensor q = b.input("q", shape, DataType::F16), k = b.input("k", shape, DataType::F16),
                        v = b.input("v", shape, DataType::F16);
    b.output("y", b.multi_head_attention(q, k, v, {.heads = heads, .scale = scale}), DataType::F32);
    graph::Program program(*device, std::move(b).build(), {});
    ASSERT_TRUE(std::ranges::any_of(program.lowered().steps, [](const graph::LoweredStep& step) {
      return step.kernel == "attention-pipeline";
    })) << size;
    std::map<std::string, std::vector<float>> inputs;
    for (const char* name : {"q", "k", "v"}) {
      std::vector<float>& values = inputs[name];
      for (std::size_t i = 0; i < positions * shape.c; ++i)
        values.push_back(half_to_float(float_to_half(range(random))));
      program.write_floats(name, values);
    }
    program.run({.tokens = 1});
    std::vector<float> y(positions * shape.c);
    program.read_floats("y", y);
    const auto at = [&](const char* name, std::size_t position, std::uint32_t channel) {
      return double{inputs[name][position * shape.c + channel]};
    };
    double worst = 0;
    for (const std::size_t position : {std::size_t{0}, std::size_t{200}, positions - 1}) {
      for (std::uint32_t first = 0; first < shape.c; first += size) {
        std::vector<double> weights(positions), sums(size);
        double all = 0;
        for (std::size_t key = 0; key < positions; ++key) {
          double score = 0;
          for (std::uint32_t c = 0; c < size; ++c) score += at("q", position, first + c) * at("k", key, first + c);
          all += weights[key] = std::exp(score * scale);
        }
        for (std::size_t key = 0; key < positions; ++key) {
          for (std::uint32_t c = 0; c < size; ++c) sums[c] += weights[key] / all * at("v", key, first + c);
        }
        for (std::uint32_t c = 0; c < size; ++c)
          worst = std::max(worst, std::abs(sums[c] - y[position * shape.c + first + c]));
      }
    }
    EXPECT_LT(worst, 2e-3) << size;
  }
}

TEST(PipelineAttention, TilesFollowHeadsAndMemory) {
  gpu::DeviceFacts facts;
  facts.max_workgroup_size = 1024;
  facts.max_workgroup_extent = {1024, 1024, 64};
  facts.pipeline_memory = 224 << 10;
  const auto tiling = [&](std::uint32_t size) { return graph::pipeline_attention(facts, size / 4); };
  using graph::PipelineAttention;
  EXPECT_EQ(tiling(40), (PipelineAttention{.teams = 3, .parts = 1, .keys = 128, .stages = 4}));
  EXPECT_EQ(tiling(128), (PipelineAttention{.teams = 2, .parts = 1, .keys = 64, .stages = 4}));
  EXPECT_EQ(tiling(256), (PipelineAttention{.teams = 2, .parts = 1, .keys = 64, .stages = 2, .query_in_memory = true}));
  EXPECT_EQ(tiling(512), (PipelineAttention{.teams = 2, .parts = 2, .keys = 32, .stages = 2, .query_in_memory = true}));
  EXPECT_EQ(tiling(1024).teams, 0U);
  facts.max_workgroup_size = 256;
  EXPECT_EQ(tiling(64).teams, 0U);
  facts.max_workgroup_size = 1024;
  facts.pipeline_memory = 1 << 10;
  EXPECT_EQ(tiling(64).teams, 0U);
}

}  // namespace
}  // namespace driftwood::test
