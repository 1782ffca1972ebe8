// The search: nodes of a graph run one by one in other ways, and which of them are taken.
#include "tuning/search.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "gpu/amended_device.h"
#include "gpu/reference/reference_device.h"
#include "graph/builder.h"
#include "kernels/source.h"
#include "tuning/race.h"
#include "tuning/standard.h"
#include "tuning/tuner.h"

namespace driftwood::tuning {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;

// Two equal linears, then one of another shape.
graph::Graph small_graph(std::uint32_t tokens) {
  graph::Builder b({.max_tokens = tokens});
  const auto w = [&](const std::string& name, std::uint32_t rows) {
    return b.weights({.format = DataType::Q8_0, .columns = 64, .blocks = {{name, rows}}});
  };
  graph::Tensor x = b.input("x", {.w = tokens, .c = 64});
  x = b.linear(b.linear(x, w("a", 64)), w("b", 64));
  b.output("y", b.linear(x, w("c", 32)));
  return std::move(b).build();
}

graph::WeightsProvider ones() {
  // Blocks of 32: a scale of 1/64 and ones.
  return [bytes = std::vector<std::byte>()](std::string_view) mutable {
    bytes.assign(64 * 2 * 34, std::byte{1});
    for (std::size_t i = 0; i < bytes.size(); i += 34) bytes[i] = std::byte{0}, bytes[i + 1] = std::byte{0x24};
    return std::span<const std::byte>(bytes);
  };
}

class SmallStage : public testing::Test {
 protected:
  SmallStage() {
    shared_ = {std::make_shared<graph::ResourceStore>(*device_,
                                                      [provider = ones()](std::string_view name) mutable {
                                                        const auto bytes = provider(name);
                                                        return name == "c" ? bytes.first(32 * 2 * 34) : bytes;
                                                      }),
               std::make_shared<graph::KernelCache>(*device_, kernels::source)};
  }

  StageSettings settings(std::uint32_t tokens = 2) const {
    return {.name = "small", .graph = small_graph(tokens), .parameters = {.tokens = tokens}};
  }

  std::unique_ptr<gpu::Device> device_ = gpu::make_reference_device({.has_images = false, .has_f16_arithmetic = false});
  Shared shared_;
};

TEST_F(SmallStage, EqualNodesAreAGroup) {
  Stage stage(*device_, settings(), shared_);
  const std::vector<NodeGroup> groups = stage.groups();
  ASSERT_THAT(groups, SizeIs(2));
  EXPECT_THAT(groups[0].nodes, SizeIs(2));
  EXPECT_EQ(groups[0].key.tokens, 2U);
  EXPECT_EQ(stage.prepare(groups[0], {.row = stage.rows(0).at(0)}).runs, 2U);
}

TEST_F(SmallStage, NodesOfAGraphThatIsOneLaunchAreMeasuredInOne) {
  struct Counting : gpu::AmendedDevice {
    using AmendedDevice::AmendedDevice;
    std::unique_ptr<gpu::Recording> record_joined(std::vector<gpu::Dispatch> dispatches) override {
      joined.push_back(dispatches.size());
      return AmendedDevice::record_joined(std::move(dispatches));
    }
    std::vector<std::size_t> joined;
  } device(*device_, device_->facts());
  StageSettings in_one = settings();
  in_one.is_joined = true;
  Stage stage(device, std::move(in_one), shared_);
  EXPECT_THAT(device.joined, testing::IsEmpty());
  const Prepared prepared = stage.prepare(stage.groups().at(0), {.row = stage.rows(0).at(0)});
  EXPECT_THAT(device.joined, testing::ElementsAre(2));  // the two equal linears
  Stage of_many(device, settings(), shared_);
  of_many.prepare(of_many.groups().at(0), {.row = of_many.rows(0).at(0)});
  EXPECT_THAT(device.joined, SizeIs(1));
}

TEST_F(SmallStage, OtherWaysGiveTheSameNumbers) {
  Stage stage(*device_, settings(), shared_);
  const NodeGroup group = stage.groups().at(0);
  const graph::KernelRow* const row = stage.rows(0).at(0);
  Prepared by_rule = stage.prepare(group, {.row = row});
  const std::vector<float> wanted = stage.results(0, *by_rule.first);
  ASSERT_FALSE(by_rule.parameters.empty());
  for (const graph::ParameterUse& use : by_rule.parameters) {
    for (const std::uint32_t value : use.candidates) {
      Prepared other = stage.prepare(group, {.row = row, .values = {{use.name, value}}});
      EXPECT_EQ(other.choice.values.at(use.name), value);
      std::string why;
      EXPECT_TRUE(Stage::agree(stage.results(0, *other.first), wanted, why)) << use.name << " " << value << " " << why;
    }
  }
}

TEST_F(SmallStage, EveryRowAndValueOfAMatrixUnitsProductIsRight) {
  device_ = gpu::make_reference_device({.has_images = false});
  constexpr std::uint32_t tokens = 32, columns = 256;
  graph::Builder b({.activation = DataType::F16, .max_tokens = tokens});
  const graph::Tensor x = b.input("x", {.w = tokens, .c = columns}, DataType::F16);
  const graph::Tensor w = b.weights({.format = DataType::Q8_0, .columns = columns, .blocks = {{"w", 64}}});
  // What is larger than all shares lets the columns be divided.
  b.output("y", b.linear(b.silu(b.silu(x)), w));
  b.output("z",
           b.linear(b.linear(x, b.weights({.format = DataType::Q8_0, .columns = columns, .blocks = {{"v", 2048}}})),
                    b.weights({.format = DataType::Q8_0, .columns = 2048, .blocks = {{"u", 4}}})));
  const Shared shared{
      std::make_shared<graph::ResourceStore>(
          *device_,
          [bytes = std::vector<std::byte>()](std::string_view name) mutable {
            bytes.assign(name == "w" ? 64 * 8 * 34 : name == "v" ? 2048 * 8 * 34 : 4 * 64 * 34, std::byte{1});
            for (std::size_t i = 0; i < bytes.size(); i += 34) {
              bytes[i] = std::byte{0};
              bytes[i + 1] = std::byte{0x14};
            }
            return std::span<const std::byte>(bytes);
          }),
      std::make_shared<graph::KernelCache>(*device_, kernels::source)};
  Stage stage(*device_, {.name = "matrix", .graph = std::move(b).build(), .parameters = {.tokens = tokens}}, shared);
  std::size_t node = 0;
  for (const NodeGroup& group : stage.groups()) {
    if (group.key.node.find("64 x 256") != std::string::npos) node = group.nodes.front();
  }
  NodeGroup group;
  group.nodes.push_back(node);
  const std::vector<const graph::KernelRow*> rows = stage.rows(node);
  EXPECT_EQ(rows.at(0)->kernel, "linear-matrix");
  Prepared by_rule = stage.prepare(group, {.row = rows.at(0)});
  const std::vector<float> wanted = stage.results(node, *by_rule.first);
  std::size_t launches = 0;
  for (const graph::KernelRow* row : rows) {
    const Prepared plain = stage.prepare(group, {.row = row});
    for (const graph::ParameterUse& use : plain.parameters) {
      for (const std::uint32_t value : use.candidates) {
        Prepared other = stage.prepare(group, {.row = row, .values = {{use.name, value}}});
        launches = std::max(launches, other.kernels);
        std::string why;
        EXPECT_TRUE(Stage::agree(stage.results(node, *other.first), wanted, why))
            << row->kernel << " " << use.name << " " << value << " " << why;
      }
    }
  }
  EXPECT_EQ(launches, 2U);  // columns divided, and their shares added
}

TEST_F(SmallStage, ASearchNamesTheRuleAndTheBestOfWhatItTried) {
  Stage stage(*device_, settings(1), shared_);
  const Finding finding = search(stage, stage.groups().at(0), Clock::now() + std::chrono::seconds(1));
  EXPECT_EQ(finding.rule.kernel, "linear-rows");
  EXPECT_GT(finding.tried, 1U);
  EXPECT_GT(finding.rule_us, 0);
  EXPECT_LE(finding.best_us, finding.rule_us);
  EXPECT_THAT(finding.refused, SizeIs(0));
  EXPECT_THAT(finding.title, HasSubstr("q8_0 64 x 64"));
  const TableEntry entry = finding.entry();
  EXPECT_EQ(entry.choice.kernel.empty(), !finding.is_better());
  EXPECT_THAT(entry.modules, Contains("package::linear_rows"));
  EXPECT_EQ(entry.code, fingerprint(entry.modules));
}

TEST_F(SmallStage, TuningGivesATableAndTheWholeGraphsTimes) {
  std::vector<Work> work;
  work.push_back({.stage = settings(1)});
  const Tuned tuned = tune(*device_, std::move(work), shared_, {.budget_seconds = 1});
  ASSERT_THAT(tuned.whole, SizeIs(1));
  EXPECT_GT(tuned.whole[0].rule_ms, 0);
  EXPECT_EQ(tuned.findings.size() + tuned.skipped.size(), 2U);
  EXPECT_EQ(tuned.table(device_->facts()).entries.size(), tuned.findings.size());
}

// Ways that are faster alone and slower together are taken back, those of the other stage stay.
TEST(Tuned, WhatMakesAGraphSlowerIsLeftToTheRules) {
  const auto finding = [](const char* node) {
    Finding made{
        .node = node, .rule = {.kernel = "a"}, .best = {.kernel = "b"}, .rule_us = 3, .best_us = 2, .gain = 0.5};
    made.group.key.node = node;
    made.modules = {"package::b"};
    made.rule_modules = {"package::a"};
    return made;
  };
  Tuned tuned;
  tuned.findings = {{"prefill", finding("p")}, {"decode", finding("d")}};
  const WholeRun slower{.stage = "decode", .gain = -0.03, .spread = 0.001};
  EXPECT_TRUE(slower.loses());
  EXPECT_FALSE((WholeRun{.gain = -0.03, .spread = 0.02}.loses()));
  EXPECT_FALSE((WholeRun{.gain = -0.004}.loses()));
  EXPECT_FALSE((WholeRun{.gain = 0.03}.loses()));
  tuned.leave_to_rules(slower);
  EXPECT_TRUE(tuned.findings[0].second.is_better());
  const Finding& left = tuned.findings[1].second;
  EXPECT_FALSE(left.is_better());
  ASSERT_THAT(left.refused, SizeIs(1));
  EXPECT_EQ(left.refused[0].choice.kernel, "b");
  EXPECT_THAT(left.refused[0].why, HasSubstr("3.0 % slower"));
  const Table table = tuned.table({});
  ASSERT_THAT(table.entries, SizeIs(2));
  for (const TableEntry& entry : table.entries) {
    EXPECT_EQ(entry.choice.kernel, entry.key.node == "p" ? "b" : "");
    EXPECT_EQ(entry.modules, std::vector<std::string>{entry.key.node == "p" ? "package::b" : "package::a"});
  }
}

TEST(StandardShapes, GiveFiniteNumbersOfLayersThatDiffer) {
  const auto device = gpu::make_reference_device({.has_images = false});
  for (const DataType format : {DataType::Q4_0, DataType::Q8_0}) {
    const StandardModel model{"tiny", 64, 96, 2, 1, 32, 128, format};
    const Shared shared{std::make_shared<graph::ResourceStore>(*device, standard_weights(model)),
                        std::make_shared<graph::KernelCache>(*device, kernels::source)};
    graph::ProgramSettings settings;
    settings.store = shared.store;
    settings.kernels = shared.kernels;
    graph::Program program(*device, standard_graph(model, {.max_tokens = 2, .cache_size = 4}), settings);
    write_inputs(program, model.vocabulary);
    program.run({.tokens = 2});
    std::vector<float> logits(model.vocabulary);
    program.read_floats("logits", logits);
    for (const float logit : logits) ASSERT_LT(std::abs(logit), 1e4F);
    EXPECT_GT(std::ranges::max(logits), std::ranges::min(logits));
    EXPECT_THROW(standard_weights(model)("nothing"), InternalError);
  }
  EXPECT_THAT(standard_models(), SizeIs(3));
}

TEST(Results, ThatDifferAreRefusedWithAReason) {
  std::string why;
  const std::vector<float> wanted = {1, -2, 3, 4};
  EXPECT_TRUE(Stage::agree(wanted, wanted, why));
  EXPECT_TRUE(Stage::agree({1.001F, -2, 3, 4}, wanted, why));
  EXPECT_FALSE(Stage::agree({1, -2, 3, 0}, wanted, why));
  EXPECT_THAT(why, HasSubstr("over the limit of 0.01"));
  EXPECT_FALSE(Stage::agree({1, -2, 3}, wanted, why));
  EXPECT_THAT(why, HasSubstr("3 numbers, not 4"));
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(Stage::agree({1, -2, 3, nan}, wanted, why));
  EXPECT_THAT(why, HasSubstr("not finite"));
  EXPECT_TRUE(Stage::agree({1, nan}, {1, nan}, why));
  EXPECT_FALSE(Stage::agree({1, infinity}, {1, -infinity}, why));
  EXPECT_FALSE(Stage::agree({1, 0}, {0, 0}, why));
}

TEST(Race, MediansAndRatios) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({}), 0);
  const Ratio faster = ratio({2, 4, 6, 8}, {1, 2, 3, 2});
  EXPECT_EQ(faster.median, 2);
  EXPECT_EQ(faster.spread, 0);
  EXPECT_EQ(ratio({}, {}).median, 1);
}

}  // namespace
}  // namespace driftwood::tuning
