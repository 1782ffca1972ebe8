// Choices that were measured: which nodes they are for, and what rows make of them.
#include "graph/choices.h"

#include <gmock/gmock.h>

#include <set>

#include "graph/lowering.h"
#include "graph/storage_choice.h"
#include "layer.h"

namespace driftwood::graph {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

gpu::DeviceFacts facts() {
  gpu::DeviceFacts facts;
  facts.id = "test";
  facts.compute_units = 16;
  facts.max_workgroup_size = 256;
  facts.max_workgroup_extent = {256, 256, 64};
  facts.local_memory = 32 << 10;
  return facts;
}

Graph one_linear(std::uint32_t tokens, std::uint32_t rows = 4096, std::uint32_t columns = 1024) {
  Builder b({.max_tokens = tokens});
  const Tensor x = b.input("x", {.w = tokens, .c = columns});
  b.output("y", b.linear(x, b.weights({.format = DataType::Q4_0, .columns = columns, .blocks = {{"w", rows}}})));
  return std::move(b).build();
}

NodeKey key_of(const Graph& graph, std::size_t node = 0) {
  const LoweredGraph lowered = lower(graph, facts(), {});
  return node_key(lowered.graph.nodes().at(node), lowered.graph, {});
}

LoweredGraph lowered(const Graph& graph, const NodeChoice& choice) {
  auto choices = std::make_shared<Choices>();
  choices->add(key_of(graph), choice);
  return lower(graph, facts(), {.choices = choices});
}

std::uint32_t value(const LoweredGraph& lowered, const std::string& name) {
  return static_cast<std::uint32_t>(lowered.steps.at(0).use.specialization.overrides.at(name));
}

TEST(Choices, KeysNameWhatASpeedDependsOn) {
  const NodeKey decode = key_of(one_linear(1)), prefill = key_of(one_linear(512));
  EXPECT_THAT(decode.node, HasSubstr("q4_0 4096 x 1024"));
  EXPECT_EQ(decode.tokens, 1U);
  EXPECT_EQ(prefill.tokens, 512U);
  EXPECT_EQ(prefill.places, 0U);
  EXPECT_NE(key_of(one_linear(1, 2048)).node, decode.node);
  EXPECT_EQ(key_of(one_linear(64)).node, prefill.node);
}

TEST(Choices, KeysOfLayersAreAlikeWhateverTheirNamesAndConstants) {
  const LoweredGraph lowered = lower(testing::decoder_layer({.tokens = 32, .cache = 64}), facts(), {});
  bool has_cache = false;
  for (const Node& node : lowered.graph.nodes()) {
    const NodeKey key = node_key(node, lowered.graph, {});
    EXPECT_THAT(key.node, Not(HasSubstr("wq")));
    EXPECT_THAT(key.node, Not(HasSubstr("1e-05")));
    has_cache = has_cache || key.places == 64;
  }
  EXPECT_TRUE(has_cache);
}

TEST(Choices, ANodeTakesTheRowAndTheValuesThatWereMeasured) {
  const Graph graph = one_linear(64);
  const LoweredGraph by_rule = lower(graph, facts(), {});
  EXPECT_EQ(by_rule.steps.at(0).kernel, "linear-tiled");
  EXPECT_EQ(by_rule.tuned_nodes, 0U);
  const LoweredGraph tuned =
      lowered(graph, {.kernel = "linear-rows", .values = {{"tile", 4}, {"splits", 2}, {"turns", 4}}});
  EXPECT_EQ(tuned.steps.at(0).kernel, "linear-rows");
  EXPECT_EQ(tuned.tuned_nodes, 1U);
  EXPECT_EQ(value(tuned, "tile"), 4U);
  EXPECT_EQ(value(tuned, "splits"), 2U);
  EXPECT_EQ(value(tuned, "turns"), 4U);
}

TEST(Choices, WhatIsWrongOnTheDeviceIsLeftToTheRules) {
  const Graph graph = one_linear(64);
  EXPECT_EQ(lowered(graph, {.kernel = "linear-wide"}).steps.at(0).kernel, "linear-tiled");  // for CPUs
  EXPECT_EQ(lowered(graph, {.kernel = "conv-tiled"}).steps.at(0).kernel, "linear-tiled");   // of another operation
  EXPECT_EQ(lowered(graph, {.kernel = "nothing"}).steps.at(0).kernel, "linear-tiled");
  const LoweredGraph tuned = lowered(graph, {.kernel = "linear-rows", .values = {{"splits", 1024}, {"tile", 3}}});
  EXPECT_EQ(tuned.steps.at(0).kernel, "linear-rows");
  EXPECT_LE(value(tuned, "splits"), 32U);
  EXPECT_EQ(value(tuned, "tile"), 8U);
  // A kernel that gives wrong numbers is not taken, whatever its speed.
  gpu::DeviceFacts distrusting = facts();
  distrusting.distrusted_kernels = {"linear-rows"};
  auto choices = std::make_shared<Choices>();
  choices->add(key_of(graph), {.kernel = "linear-rows"});
  EXPECT_EQ(lower(graph, distrusting, {.choices = choices}).steps.at(0).kernel, "linear-tiled");
}

TEST(Choices, TheNearestNumberOfTokensServes) {
  Choices choices;
  const auto key = [](std::uint32_t tokens, std::uint32_t places = 0) { return NodeKey{"n", tokens, places}; };
  choices.add(key(1), {.kernel = "one"});
  choices.add(key(512), {.kernel = "many"});
  choices.add(key(4096), {.kernel = "most"});
  choices.add(key(1, 2048), {.kernel = "cache"});
  const auto kernel = [&](std::uint32_t tokens, std::uint32_t places = 0) {
    const NodeChoice* choice = choices.find(key(tokens, places));
    return choice == nullptr ? std::string() : choice->kernel;
  };
  EXPECT_EQ(kernel(1), "one");
  EXPECT_EQ(kernel(2), "");  // few tokens have kernels of their own
  EXPECT_EQ(kernel(128), "many");
  EXPECT_EQ(kernel(1000), "many");
  EXPECT_EQ(kernel(3000), "most");
  EXPECT_EQ(kernel(32), "");
  EXPECT_EQ(kernel(1, 4096), "cache");
  EXPECT_EQ(kernel(1, 100), "");
  EXPECT_EQ(choices.size(), 4U);
  choices.add(key(1), {});  // back to the rules
  EXPECT_EQ(kernel(1), "");
  EXPECT_EQ(choices.size(), 4U);
}

TEST(Choices, OneForAllServesWhereANodeHasNone) {
  Choices choices;
  choices.add({.node = "a"}, {.kernel = "one"});
  choices.add({.node = "b"}, {});
  EXPECT_EQ(choices.find({.node = "c"}), nullptr);
  choices.add_for_all({.kernel = "other", .values = {{"tokens", 256}}});
  EXPECT_EQ(choices.find({.node = "a"})->kernel, "one");
  EXPECT_EQ(choices.find({.node = "b"}), nullptr);
  EXPECT_EQ(choices.find({.node = "c"})->values.at("tokens"), 256U);
}

TEST(Choices, ActivationsAreStoredWhereTheyWereMeasuredToBeTheBest) {
  gpu::DeviceFacts device = facts();
  device.has_images = true;
  device.max_image_2d = {4096, 4096};
  const Graph graph = testing::decoder_layer({.tokens = 32, .cache = 64});
  const auto kinds = [&](const GraphOptions& options) {
    std::set<StorageKind> kinds;
    const LoweredGraph lowered = lower(graph, device, options);
    for (const Value& value : lowered.graph.values()) {
      if (value.role == Role::Activation && !value.is_array) kinds.insert(value.descriptor->storage);
    }
    return kinds;
  };
  EXPECT_THAT(kinds({}), ElementsAre(StorageKind::Buffer));
  Graph unplaced = lower(graph, device, {}).graph;
  for (ValueId id = 0; id < unplaced.values().size(); ++id) unplaced.value(id).descriptor.reset();
  auto choices = std::make_shared<Choices>();
  choices->add(storage_key(unplaced, {}), storage_choice(StorageKind::Texture2D));
  EXPECT_THAT(kinds({.choices = choices}), Contains(StorageKind::Texture2D));
  // What is asked for by name is asked for.
  EXPECT_THAT(kinds({.storage = StorageKind::ImageBuffer, .choices = choices}), Not(Contains(StorageKind::Texture2D)));
  EXPECT_EQ(stored_kind({.kernel = "storage", .values = {{"kind", 99}}}), std::nullopt);
  EXPECT_EQ(stored_kind({.kernel = "linear-rows", .values = {{"kind", 1}}}), std::nullopt);
}

TEST(Choices, RowsSayWhatCanBeMeasured) {
  const LoweredGraph by_rule = lower(one_linear(1), facts(), {});
  const GraphOptions options;
  const gpu::DeviceFacts device = facts();
  std::vector<ParameterUse> asked;
  const SelectionContext context{.graph = by_rule.graph, .facts = device, .options = options, .asked = &asked};
  std::vector<Scratch> scratch;
  lower_node(0, context, select(by_rule.graph.nodes()[0], context, kernel_rows()), scratch);
  std::vector<std::string> names;
  for (const ParameterUse& use : asked) {
    names.push_back(use.name);
    EXPECT_EQ(use.value, use.by_rule);
    EXPECT_THAT(use.candidates, Contains(use.by_rule));
  }
  EXPECT_THAT(names, ElementsAre("splits", "turns"));
}

}  // namespace
}  // namespace driftwood::graph
