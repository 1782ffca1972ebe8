// Products of one token as they are cut for workgroups that stay on a device: on the reference device, as one with few
// units and as one with many.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "conformance/machines.h"
#include "conformance/random_blocks.h"
#include "gpu/amended_device.h"
#include "gpu/reference/reference_device.h"
#include "graph/builder.h"
#include "graph/lowering.h"
#include "graph/program.h"
#include "kernels/source.h"
#include "tensor/block_decode.h"

namespace driftwood::test {
namespace {

using namespace conformance;

// The facts of a device that decodes in one launch.
gpu::DeviceFacts facts_of(const gpu::Device& below, std::uint32_t units, bool has_dot) {
  gpu::DeviceFacts facts = below.facts();
  facts.joins_dispatches = true;
  facts.compute_units = units;
  facts.has_packed_dot = has_dot;
  return facts;
}

TEST(ResidentRows, ComputeWhatTheOperationSays) {
  std::set<double> lanes;
  for (const auto& [units, has_dot] :
       {std::pair(1U, true), std::pair(48U, true), std::pair(1U, false), std::pair(48U, false)}) {
    const auto below = gpu::make_reference_device({});
    const gpu::DeviceFacts facts = facts_of(*below, units, has_dot);
    gpu::AmendedDevice device(*below, facts);
    const Subject subject{device, std::make_shared<graph::KernelCache>(device, kernels::source)};
    std::size_t count = 0;
    for (const Case& each : all_cases()) {
      if (each.packed != "weights" || each.setting.storage != StorageKind::Buffer) continue;
      const Problem sketch = sketch_of(each, facts);
      if (!sketch.refusal.empty()) continue;
      const graph::LoweredGraph lowered = graph::lower(sketch.graph, facts, options_of(each.setting));
      const auto step =
          std::ranges::find_if(lowered.steps, [](const auto& s) { return s.kernel.ends_with("-halves"); });
      if (step == lowered.steps.end()) continue;
      lanes.insert(step->use.specialization.overrides.at("lanes"));
      const Verdict verdict = check(subject, each, problem_of(each, facts, seed() + static_cast<unsigned>(count++)));
      EXPECT_EQ(verdict.judgement, Judgement::Right) << describe(each) << "\n" << verdict.message;
    }
    EXPECT_GT(count, 0U);
  }
  EXPECT_THAT(lanes, testing::ElementsAre(16, 32));
}

// Whatever the number of steps that an invocation goes through, and however much of the last there is.
TEST(ResidentRows, EveryNumberOfSteps) {
  const auto below = gpu::make_reference_device({});
  std::mt19937 random(seed());
  for (const bool has_dot : {false, true}) {
    const gpu::DeviceFacts facts = facts_of(*below, 1, has_dot);
    gpu::AmendedDevice device(*below, facts);
    constexpr std::uint32_t rows = 32, splits = 4;
    for (std::uint32_t chunks = 1; chunks <= 32; ++chunks) {
      const std::uint32_t columns = 32 * chunks;
      const std::vector<std::byte> packed = random_rows(DataType::Q4_0, rows, columns, random, 0.01F);
      std::vector<float> x(columns), expected(rows, 0.0F);
      std::uniform_real_distribution<float> value(-1, 1);
      for (float& each : x) each = value(random);
      std::vector<float> row(columns);
      for (std::uint32_t r = 0; r < rows; ++r) {
        const std::byte* begin = &packed[r * row_bytes(DataType::Q4_0, columns)];
        for (std::uint32_t c = 0; c < chunks; ++c) decode_block_q4_0(begin + 18 * c, &row[32 * c]);
        for (std::uint32_t c = 0; c < columns; ++c) expected[r] += x[c] * row[c];
      }
      const auto store = std::make_shared<graph::ResourceStore>(
          device, [&](std::string_view) { return std::span<const std::byte>(packed); });
      for (const std::uint32_t turns : {1U, 2U}) {
        if (turns * splits > chunks) continue;
        graph::Builder builder;
        const auto weights = builder.weights({.format = DataType::Q4_0, .columns = columns, .blocks = {{"w", rows}}});
        builder.output("y", builder.linear(builder.input("x", {.c = columns}), weights));
        const auto choices = std::make_shared<graph::Choices>();
        choices->add_for_all(
            {.kernel = "linear-halves",
             .values = {{"resident_lanes", 8}, {"resident_splits", splits}, {"resident_turns", turns}}});
        graph::Program program(device, std::move(builder).build(), {.options = {.choices = choices}, .store = store});
        const auto& overrides = program.lowered().steps.at(0).use.specialization.overrides;
        EXPECT_EQ(overrides.at("splits"), splits);
        EXPECT_EQ(overrides.at("turns"), turns);
        program.write_floats("x", x);
        program.run({.tokens = 1});
        std::vector<float> y(rows);
        program.read_floats("y", y);
        for (std::uint32_t r = 0; r < rows; ++r) {
          EXPECT_NEAR(y[r], expected[r], 2e-3F) << chunks << " chunks, " << turns << " turns, row " << r;
        }
      }
    }
  }
}

// A token that is not finite must not become numbers that are.
TEST(ResidentRows, KeepWhatIsNotFinite) {
  const auto below = gpu::make_reference_device({});
  for (const bool has_dot : {false, true}) {
    const gpu::DeviceFacts facts = facts_of(*below, 1, has_dot);
    gpu::AmendedDevice device(*below, facts);
    graph::Builder builder;
    const auto weights = builder.weights({.format = DataType::Q4_0, .columns = 64, .blocks = {{"w", 32}}});
    builder.output("y", builder.linear(builder.input("x", {.c = 64}), weights));
    std::mt19937 random(1);
    const std::vector<std::byte> rows = random_rows(DataType::Q4_0, 32, 64, random, 0.01F);
    const auto store = std::make_shared<graph::ResourceStore>(
        device, [&](std::string_view) { return std::span<const std::byte>(rows); });
    graph::Program program(device, std::move(builder).build(), {.store = store});
    EXPECT_EQ(program.lowered().steps.at(0).kernel, "linear-halves");
    for (const float wrong : {NAN, INFINITY, -INFINITY}) {
      std::vector<float> x(64, 0.5F), y(32);
      x[41] = wrong;
      program.write_floats("x", x);
      program.run({.tokens = 1});
      program.read_floats("y", y);
      for (const float value : y) EXPECT_FALSE(std::isfinite(value)) << wrong << (has_dot ? " in bytes" : " in halves");
    }
  }
}

}  // namespace
}  // namespace driftwood::test
