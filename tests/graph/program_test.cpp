#include "graph/program.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "base/error.h"
#include "gpu/reference/reference_device.h"
#include "graph/builder.h"
#include "kernels/source.h"
#include "support/error_of.h"
#include "support/random_floats.h"

namespace driftwood::graph {
namespace {

using test::error_of;

// As far from zero as tells activations apart.
std::vector<float> random_floats(std::size_t count, unsigned seed) { return test::random_floats(count, seed, 2); }

// y = silu(x + bias) * gelu(r), clamped; and z = tanh(y) / 2, of an odd number of channels.
Graph two_outputs(const Shape& shape, std::uint32_t tokens) {
  Builder b({.max_tokens = tokens});
  const Tensor x = b.input("x", shape), r = b.input("r", shape);
  const Tensor bias = b.vector("bias", random_floats(shape.c, 9));
  const Tensor y = b.clamp(b.multiply(b.silu(b.add(x, bias)), b.gelu_erf(r)), -1, 1.5F);
  b.output("z", b.scale(b.unary(ElementOp::Tanh, b.silu(y)), 0.5F));
  b.output("y", y);
  return std::move(b).build();
}

struct Reference {
  std::vector<float> y, z;
};
Reference reference(const std::vector<float>& x, const std::vector<float>& r, std::uint32_t channels) {
  const auto silu = [](double v) { return v / (1 + std::exp(-v)); };
  const std::vector<float> bias = random_floats(channels, 9);
  Reference result;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = silu(double{x[i]} + bias[i % channels]);
    const double y = std::clamp(a * 0.5 * r[i] * (1 + std::erf(r[i] / std::sqrt(2.0))), -1.0, 1.5);
    result.y.push_back(static_cast<float>(y));
    result.z.push_back(static_cast<float>(std::tanh(silu(y)) / 2));
  }
  return result;
}

void expect_near(const std::vector<float>& values, const std::vector<float>& expected, float tolerance) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_NEAR(values[i], expected[i], tolerance) << "at " << i;
}

class EveryStorage : public ::testing::TestWithParam<std::tuple<StorageKind, bool>> {};

TEST_P(EveryStorage, ElementWiseNodesGiveTheNumbersOfTheirDefinition) {
  const auto [storage, fused] = GetParam();
  const Shape shape{.b = 2, .h = 3, .w = 5, .c = 7};
  const auto device = gpu::make_reference_device();
  GraphOptions options{.storage = storage};
  if (!fused) options.disabled_passes = {"fuse-elementwise"};
  Program program(*device, two_outputs(shape, 1), {.options = options});
  EXPECT_EQ(program.dispatches(), fused ? 2U : 8U);
  const std::vector<float> x = random_floats(shape.elements(), 1), r = random_floats(shape.elements(), 2);
  program.write_floats("x", x);
  program.write_floats("r", r);
  program.run({});
  std::vector<float> y(x.size()), z(x.size());
  program.read_floats("y", y);
  program.read_floats("z", z);
  const Reference expected = reference(x, r, shape.c);
  expect_near(y, expected.y, 1e-6F);
  expect_near(z, expected.z, 1e-6F);
}

INSTANTIATE_TEST_SUITE_P(Program, EveryStorage,
                         ::testing::Combine(::testing::Values(StorageKind::Buffer, StorageKind::ImageBuffer,
                                                              StorageKind::Texture2D, StorageKind::Texture3D,
                                                              StorageKind::Texture2DArray),
                                            ::testing::Bool()));

TEST(Program, RunsOnlyTheActiveTokens) {
  const Shape shape{.w = 8, .c = 6};
  const auto device = gpu::make_reference_device();
  Program program(*device, two_outputs(shape, 8), {});
  for (const std::uint32_t tokens : {3U, 8U, 1U}) {
    const std::vector<float> x = random_floats(tokens * 6, tokens), r = random_floats(tokens * 6, tokens + 100);
    program.write_floats("x", x);
    program.write_floats("r", r);
    program.run({.tokens = tokens});
    std::vector<float> y(x.size());
    program.read_floats("y", y);
    expect_near(y, reference(x, r, 6).y, 1e-6F);
  }
}

TEST(Program, EqualKernelsAreCompiledOnce) {
  const auto device = gpu::make_reference_device();
  Builder b({.max_tokens = 2});
  Tensor x = b.input("x", {.w = 2, .c = 8});
  for (int i = 0; i < 5; ++i) x = b.silu(x);
  b.output("y", x);
  const auto kernels = std::make_shared<KernelCache>(*device, kernels::source);
  std::size_t done = 0, all = 0;
  Program program(*device, std::move(b).build(),
                  {.options = {.disabled_passes = {"fuse-elementwise"}},
                   .kernels = kernels,
                   .progress = [&](std::size_t part, std::size_t whole) { done = part, all = whole; }});
  EXPECT_EQ(program.dispatches(), 5U);
  EXPECT_EQ(kernels->size(), 1U);
  EXPECT_EQ(done, 5U);
  EXPECT_EQ(all, 5U);
  const MemoryReport memory = program.memory();
  EXPECT_EQ(memory.activations_naive, 4 * 64U);
  EXPECT_EQ(memory.activations_planned, 64U);
  EXPECT_EQ(memory.allocated, memory.planned_total());
}

TEST(Program, SelectsAgainWithinWhatACompiledKernelTakes) {
  Builder b({.max_tokens = 2});
  const Shape shape{.w = 2, .c = 1024};
  b.output("y", b.rms_norm(b.input("x", shape), b.vector("gamma", std::vector<float>(1024, 2.0F)), 0));
  const auto device = gpu::make_reference_device({.max_kernel_workgroup_size = 32});
  Program program(*device, std::move(b).build(), {});
  EXPECT_EQ(program.lowered().steps.at(0).use.specialization.overrides.at("lanes"), 32);

  program.write_floats("x", std::vector<float>(2048, -3.0F));
  program.run({.tokens = 2});
  std::vector<float> y(2048);
  program.read_floats("y", y);
  expect_near(y, std::vector<float>(2048, -2.0F), 1e-5F);
}

TEST(Program, ProfilesNameTheNodesThatRan) {
  const auto device = gpu::make_reference_device();
  Program program(*device, two_outputs({.w = 4, .c = 8}, 4), {});
  program.write_floats("x", random_floats(32, 1));
  program.write_floats("r", random_floats(32, 2));
  const std::vector<DispatchProfile> profiles = program.run_profiled({.tokens = 4});
  ASSERT_EQ(profiles.size(), 2U);
  EXPECT_EQ(profiles[0].kernel, "elementwise");
  EXPECT_EQ(profiles[0].bytes, 3 * 4 * 32 + 32);
  EXPECT_GT(profiles[0].flops, 0);
}

TEST(Program, MemoryFromOutsideIsUsed) {
  const auto device = gpu::make_reference_device();
  const gpu::Binding y{
      .memory = device->allocate({.kind = StorageKind::Buffer, .bytes = 256}), .offset = 128, .size = 128};
  Program program(*device, two_outputs({.w = 4, .c = 8}, 4), {.bindings = {{"y", y}}});
  const std::vector<float> x = random_floats(32, 1), r = random_floats(32, 2);
  program.write_floats("x", x);
  program.write_floats("r", r);
  program.run({.tokens = 4});
  std::vector<float> values(32);
  device->read(*y.memory, 128, std::as_writable_bytes(std::span(values)));
  expect_near(values, reference(x, r, 8).y, 1e-6F);
}

TEST(Program, ErrorsNameTheValueAndTheLimit) {
  const auto device = gpu::make_reference_device();
  Program program(*device, two_outputs({.w = 4, .c = 8}, 4), {});
  EXPECT_EQ(error_of([&] { program.run({.tokens = 5}); }),
            "A run of 5 tokens is asked for, but the program takes 1 to 4.");
  EXPECT_EQ(error_of([&] { program.run({.tokens = 0}); }),
            "A run of 0 tokens is asked for, but the program takes 1 to 4.");
  EXPECT_EQ(error_of([&] { program.binding("logits"); }),
            "The program has no input, output or state 'logits'; it has 'r', 'x', 'y', 'z'.");
  EXPECT_EQ(error_of([&] { program.write_floats("x", std::vector<float>(9)); }),
            "9 values are given for 'x' (1, 1, 4, 8), which holds 32, or fewer in whole positions of 8.");
  EXPECT_EQ(error_of([&] { program.write("x", std::vector<std::byte>(129)); }),
            "129 bytes are written to 'x', which holds 128.");
  const auto narrow = gpu::make_reference_device({.max_workgroup_count = {1, 2, 1}});
  EXPECT_EQ(error_of([&] { Program(*narrow, two_outputs({.w = 4, .c = 256}, 4), {}); }),
            "'element-wise_4' needs 1 x 4 x 1 workgroups, but the device 'reference' runs at most 1 x 2 x 1 in one "
            "dispatch.");
}

TEST(Program, GridsBeyondALimitAreFoldedForEveryNumberOfTokens) {
  const Shape shape{.w = 150, .c = 130};
  const auto device = gpu::make_reference_device({.max_workgroup_count = {3, 2, 40}});
  Program program(*device, two_outputs(shape, 150), {});
  for (const std::uint32_t tokens : {150U, 1U, 70U}) {
    const std::vector<float> x = random_floats(tokens * 130, tokens), r = random_floats(tokens * 130, tokens + 100);
    program.write_floats("x", x);
    program.write_floats("r", r);
    program.run({.tokens = tokens});
    std::vector<float> y(x.size());
    program.read_floats("y", y);
    expect_near(y, reference(x, r, 130).y, 1e-6F);
  }
}

TEST(Program, FoldedGridsHaveNoAxisBeyondTheLimit) {
  const Parameters parameters{.tokens = 1000, .position = 50};
  const Grid grid = {GridExtent{.fixed = 3, .rows_per_group = 7}, GridExtent{.fixed = 11}, GridExtent{}};
  ASSERT_EQ(grid[0].groups(parameters), 429U);
  using Groups = std::optional<std::array<std::uint32_t, 3>>;
  EXPECT_EQ(workgroups(grid, parameters, false, {429, 11, 1}), Groups({429, 11, 1}));
  EXPECT_EQ(workgroups(grid, parameters, false, {428, 11, 1}), Groups());
  EXPECT_EQ(workgroups(grid, parameters, true, {65535, 1, 1}), Groups({4719, 1, 1}));
  EXPECT_EQ(workgroups(grid, parameters, true, {100, 100, 100}), Groups({99, 48, 1}));  // 4752
  EXPECT_EQ(workgroups(grid, parameters, true, {100, 7, 100}), Groups({99, 7, 7}));     // 4851
  EXPECT_EQ(workgroups(grid, parameters, true, {16, 16, 16}), Groups());                // 4096 at the most
  EXPECT_EQ(workgroups({GridExtent{.fixed = 1U << 31}, GridExtent{.fixed = 2}, GridExtent{}}, {}, true,
                       {65535, 65535, 65535}),
            Groups());
  EXPECT_FALSE(must_fold(grid, 1000, {429, 11, 1}));
  EXPECT_TRUE(must_fold(grid, 1002, {429, 11, 1}));
  EXPECT_TRUE(must_fold(grid, 1000, {429, 10, 1}));
  // A context may grow to any length.
  EXPECT_TRUE(must_fold({GridExtent{.context_per_group = 256}, GridExtent{}, GridExtent{}}, 1, {65535, 1, 1}));
}

}  // namespace
}  // namespace driftwood::graph
