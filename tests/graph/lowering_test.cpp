#include "graph/lowering.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "graph/builder.h"
#include "graph/launches.h"
#include "graph/lifetimes.h"
#include "graph/storage_choice.h"
#include "layer.h"

namespace driftwood::graph {
namespace {

gpu::DeviceFacts facts() {
  gpu::DeviceFacts facts;
  facts.id = "test";
  facts.max_workgroup_size = 256;
  facts.max_workgroup_extent = {256, 256, 64};
  facts.local_memory = 32768;
  facts.buffer_alignment = 64;
  return facts;
}

// A chain of element-wise nodes that no pass joins, as each is also read by the last.
Graph chain(std::uint32_t length, const Shape& shape = {.w = 4, .c = 8}) {
  Builder b({.max_tokens = 4});
  Tensor x = b.input("x", shape);
  for (std::uint32_t i = 0; i < length; ++i) x = b.as("s" + std::to_string(i), b.silu(x));
  b.output("y", b.silu(x));
  return std::move(b).build();
}

const GraphOptions unfused{.disabled_passes = {"fuse-elementwise", "fuse-add-norm"}};

TEST(Lowering, QuantizedCachesAreBoundAsWords) {
  const LoweredGraph lowered = lower(testing::decoder_layer({.cache_type = DataType::Q8_0}), facts(), {});
  EXPECT_EQ(lowered.memory.state, 2U * 2 * 16 * 36);  // two caches of 2 heads and 16 places, one block a row
  std::size_t readers = 0;
  for (const LoweredStep& step : lowered.steps) {
    for (const ResourceUse& resource : step.use.resources) {
      EXPECT_NE(resource.name, "k_cache");
      if (resource.name != "k_words") continue;
      ++readers;
      EXPECT_EQ(step.use.specialization.overrides.at("k_quantized"), 1) << step.kernel;
    }
  }
  EXPECT_EQ(readers, 2U);
}

TEST(Grid, GroupsFollowTokensAndContext) {
  const Parameters p{.tokens = 5, .position = 12};
  EXPECT_EQ((GridExtent{}.groups(p)), 1U);
  EXPECT_EQ((GridExtent{.fixed = 7}.groups(p)), 7U);
  EXPECT_EQ((GridExtent{.fixed = 7, .rows_per_group = 2}.groups(p)), 21U);
  EXPECT_EQ((GridExtent{.rows_per_group = 4, .rows_per_token = 3}.groups(p)), 4U);
  EXPECT_EQ((GridExtent{.context_per_group = 8}.groups(p)), 3U);
  EXPECT_EQ((GridExtent{.fixed = 2, .rows_per_group = 1, .context_per_group = 17}.groups(p)), 10U);
  EXPECT_EQ((GridExtent{.context_per_group = 2, .most_groups = 8}.groups(p)), 8U);
  EXPECT_EQ((GridExtent{.fixed = 3, .least_context = 17}.groups(p)), 3U);
  EXPECT_EQ((GridExtent{.fixed = 3, .least_context = 18}.groups(p)), 0U);
  EXPECT_EQ((GridExtent{.fixed = 3, .most_context = 17}.groups(p)), 3U);
  EXPECT_EQ((GridExtent{.fixed = 3, .most_context = 16}.groups(p)), 0U);
}

TEST(Selection, NoKernelIsAnErrorThatNamesTheNode) {
  const KernelRow rows[] = {{ElementWise::name, "never", [](const Node&, const SelectionContext&) { return false; },
                             [](const Node&, const SelectionContext&) { return Lowering{}; }}};
  try {
    lower(chain(0), facts(), {}, rows);
    FAIL() << "no error";
  } catch (const Unsupported& error) {
    EXPECT_EQ(error.message(),
              "No kernel on the device 'test' runs the node 'element-wise_0', element-wise of 'x' (1, 1, 4, 8) f32. "
              "Its workgroups have at most 256 invocations and 32768 bytes of memory.");
  }
}

TEST(Selection, TheFirstRowThatAppliesIsTaken) {
  const auto always = [](const Node&, const SelectionContext&) { return true; };
  const auto lowering = [](const Node& node, const SelectionContext&) {
    return Lowering{.kernels = {{.resources = {read("x", node.inputs[0]), write("y", node.outputs[0])}}}};
  };
  const KernelRow rows[] = {
      {Linear::name, "linear", always, lowering},
      {ElementWise::name, "cpu only", [](const Node&, const SelectionContext& c) { return c.facts.is_cpu; }, lowering},
      {ElementWise::name, "any", always, lowering}};
  const LoweredGraph lowered = lower(chain(0), facts(), {}, rows);
  EXPECT_EQ(lowered.steps.at(0).kernel, "any");
  EXPECT_EQ(lowered.steps[0].use.label, "element-wise_0");
  EXPECT_EQ(lowered.steps[0].use.specialization.tensors.at("x").shape, (Shape{.w = 4, .c = 8}));
}

TEST(Lowering, ElementWiseChainsRunInPlace) {
  const LoweredGraph apart = lower(chain(6), facts(), {.disabled_passes = {"fuse-elementwise"}, .in_place = false});
  const LoweredGraph in_place = lower(chain(6), facts(), unfused);
  EXPECT_EQ(apart.arena_bytes, 256U);
  EXPECT_EQ(in_place.arena_bytes, 128U);
  EXPECT_EQ(in_place.memory.activations_naive, 6 * 128U);
  EXPECT_EQ(in_place.memory.lower_bound, 128U);
}

TEST(Lowering, AValueReadLaterIsNotOverwritten) {
  Builder b({.max_tokens = 4});
  const Tensor a = b.as("a", b.silu(b.input("x", {.w = 4, .c = 8})));
  const Tensor c = b.as("c", b.silu(a));
  b.output("y", b.add(a, c));
  const LoweredGraph lowered = lower(std::move(b).build(), facts(), unfused);
  const Placement& place_a = lowered.values[lowered.graph.find("a")->id];
  const Placement& place_c = lowered.values[lowered.graph.find("c")->id];
  EXPECT_NE(place_a.offset, place_c.offset);
}

TEST(Lowering, ScratchLivesFromItsWriterToItsReader) {
  const auto always = [](const Node&, const SelectionContext&) { return true; };
  const KernelRow rows[] = {{ElementWise::name, "two steps", always, [](const Node& node, const SelectionContext&) {
                               return Lowering{
                                   .kernels = {{.resources = {read("x", node.inputs[0]), write_scratch("t", 0)}},
                                               {.resources = {read_scratch("t", 0), write("y", node.outputs[0])}}},
                                   .scratch = {{.name = "t", .bytes = 1000}}};
                             }}};
  const LoweredGraph lowered = lower(chain(2), facts(), unfused, rows);
  ASSERT_EQ(lowered.scratch.size(), 3U);
  EXPECT_EQ(lowered.steps.at(3).use.resources.at(0).index, 1U);
  // One scratch at a time, beside the value before or after it.
  EXPECT_EQ(lowered.arena_bytes, 1024U + 128);
}

TEST(Lowering, ReadingWhatNoKernelWritesIsFound) {
  const KernelRow rows[] = {{ElementWise::name, "reads only", [](const Node&, const SelectionContext&) { return true; },
                             [](const Node& node, const SelectionContext&) {
                               return Lowering{.kernels = {{.resources = {read("x", node.inputs[0])}}}};
                             }}};
  EXPECT_THROW(lower(chain(2), facts(), unfused, rows), InternalError);
}

TEST(Lowering, AnArenaTooLargeForTheDeviceBecomesObjects) {
  gpu::DeviceFacts small = facts();
  small.max_allocation = 200;
  const LoweredGraph lowered = lower(chain(6), small, {.disabled_passes = {"fuse-elementwise"}, .in_place = false});
  EXPECT_EQ(lowered.arena_bytes, 0U);
  ASSERT_EQ(lowered.objects.size(), 2U);
  EXPECT_EQ(lowered.objects[0].bytes, 128U);
  EXPECT_EQ(lowered.memory.activations_planned, 256U);
}

TEST(StorageChoice, ImagesWhereTheyFitAndBuffersElsewhere) {
  gpu::DeviceFacts with_images = facts();
  with_images.has_images = true;
  with_images.max_image_2d = {64, 64};
  GraphOptions options = unfused;
  options.storage = StorageKind::Texture2D;
  const LoweredGraph lowered = lower(chain(3), with_images, options);
  EXPECT_EQ(lowered.graph.find("s1")->descriptor->storage, StorageKind::Texture2D);
  EXPECT_EQ(lowered.graph.find("x")->descriptor->storage, StorageKind::Buffer);
  EXPECT_EQ(lowered.arena_bytes, 0U);
  EXPECT_EQ(lowered.objects.size(), 2U);  // never in place: a kernel may not read and write one image

  const LoweredGraph large = lower(chain(3, {.w = 100, .c = 8}), with_images, options);
  EXPECT_EQ(large.graph.find("s1")->descriptor->storage, StorageKind::Buffer);
  options.storage = StorageKind::Texture3D;
  EXPECT_EQ(lower(chain(3), with_images, options).graph.find("s1")->descriptor->storage, StorageKind::Buffer);
}

TEST(Lowering, MemoryOfADecoderLayer) {
  const MemoryReport memory = lower(testing::decoder_layer(), facts(), {}).memory;
  EXPECT_EQ(memory.state, 2 * 2 * 16 * 8 * 2U);
  EXPECT_EQ(memory.constants, (32 + 32 + 4) * 4U);
  EXPECT_EQ(memory.inputs_outputs, 4 * 4 + 64 * 4 + 16U);
  // 64 + 64 + 32 + 64 + 64 + 32 + 64 rows, blocks of 18 bytes for 32 values, 36 bytes for the two of a unit.
  EXPECT_GE(memory.weights, (64 + 64 + 32 + 64 + 64 + 64 + 64) * 18U);
  EXPECT_EQ(memory.activations_planned, memory.lower_bound);
  EXPECT_LT(memory.activations_planned, memory.activations_naive);
  EXPECT_EQ(memory.allocated, 0U);
}

TEST(Launches, OfAGraphWithoutLayersAreATotal) {
  const Launches launches = count_launches(lower(testing::decoder_layer({.tokens = 1}), facts(), {}));
  // Embedding and head, six between, and what joins the parts that a GPU divides attention into.
  EXPECT_EQ(launches, (Launches{.total = 9, .elsewhere = 9}));
  EXPECT_EQ(to_text(launches), "9 launches");
}

TEST(Launches, AreCountedByLayer) {
  Builder b;
  Tensor x = b.input("x", {.c = 8});
  const Tensor w = b.weights({.format = DataType::F32, .columns = 8, .blocks = {{"w", 8}}});
  x = b.linear(x, w);
  for (const char* scope : {"blk.0", "blk.1", "blk.10"}) {
    b.set_scope(scope);
    x = b.linear(b.linear(x, w), w);
  }
  b.set_scope("head");
  b.output("y", b.linear(x, w));
  EXPECT_EQ(to_text(count_launches(lower(std::move(b).build(), facts(), {}))), "8 launches: 2 a layer x 3 + 2");
  EXPECT_EQ(to_text({.total = 20, .layers = 3, .least_of_layer = 5, .most_of_layer = 7, .elsewhere = 2}),
            "20 launches: 5 to 7 a layer x 3 + 2");
}

// Of matrices with few rows each row is shared by more invocations, with many rows by fewer.
TEST(Selection, RowsOfOneTokenAreSharedByAsManyInvocationsAsKeepTheDeviceBusy) {
  gpu::DeviceFacts device = facts();
  device.compute_units = 132;
  device.max_workgroup_size = 1024;
  device.max_workgroup_extent = {1024, 1024, 64};
  device.local_memory = 49152;
  struct Wanted {
    std::uint32_t rows, columns, splits, turns;
  };
  for (const Wanted& wanted : {Wanted{4096, 4096, 32, 2}, Wanted{6144, 4096, 16, 2}, Wanted{14336, 4096, 8, 2},
                               Wanted{128256, 4096, 8, 2}, Wanted{4096, 96, 2, 1}}) {
    Builder b;
    const Tensor w = b.weights({.format = DataType::F16, .columns = wanted.columns, .blocks = {{"w", wanted.rows}}});
    const Tensor gamma = b.vector("gamma", std::vector<float>(wanted.columns, 1.0F));
    b.output("y", b.linear(b.rms_norm(b.input("x", {.c = wanted.columns}), gamma, 1e-5F), w));
    const LoweredGraph lowered = lower(std::move(b).build(), device, {});
    ASSERT_EQ(lowered.steps.size(), 1U);
    const auto& overrides = lowered.steps[0].use.specialization.overrides;
    EXPECT_EQ(overrides.at("splits"), wanted.splits) << wanted.rows;
    EXPECT_EQ(overrides.at("turns"), wanted.turns) << wanted.rows;
    EXPECT_EQ(overrides.at("blocks"), wanted.rows > 100000 ? 3 : 1);
    EXPECT_EQ(overrides.at("staged_slices"), wanted.columns / 4) << wanted.rows;
  }
}

TEST(Lowering, TokensBoundTheGridOfElementWiseKernels) {
  const LoweredGraph lowered = lower(chain(1, {.w = 4, .c = 200}), facts(), unfused);
  const KernelUse& use = lowered.steps.at(0).use;
  EXPECT_EQ(use.specialization.overrides.at("lanes_s"), 64);
  EXPECT_EQ(use.grid[0], (GridExtent{.fixed = 1}));
  EXPECT_EQ(use.grid[1], (GridExtent{.rows_per_group = 1, .rows_per_token = 1}));
}

}  // namespace
}  // namespace driftwood::graph
