// A device made smaller refuses what a small one would; the reference device is the large one here.
#include "gpu/limited_device.h"

#include <gmock/gmock.h>

#include "gpu/reference/reference_device.h"
#include "shader/checker.h"
#include "shader/virtualize.h"
#include "support/error_of.h"

namespace driftwood::gpu {
namespace {

using test::error_of;
using testing::AllOf;
using testing::HasSubstr;

shader::Module module_of(const std::string& text, const shader::Specialization& specialization = {}) {
  const shader::SourceProvider sources = [&](std::string_view) -> std::optional<shader::SourceFile> {
    return shader::SourceFile{"test.wgsl", text};
  };
  shader::Module module = shader::check(sources, "package::test", specialization);
  shader::virtualize(module);
  return module;
}

std::shared_ptr<Device> large() { return make_reference_device(); }

const std::string doubling = R"(
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(4) fn double(@builtin(global_invocation_id) id: vec3u) { y[id.x] = x[id.x] * 2u; }
)";

std::string refused(const DeviceLimits& limits) {
  return error_of([&] { limited_facts(large()->facts(), limits); });
}

TEST(DeviceLimitsTest, OnlyASmallerDeviceCanBeMade) {
  EXPECT_THAT(refused({.max_workgroup_size = 2048}),
              AllOf(HasSubstr("'max_workgroup_size' of 2048"), HasSubstr("its own is 1024"), HasSubstr("'reference'")));
  EXPECT_THAT(refused({.max_workgroup_size = 0}), HasSubstr("the least is 1"));
  EXPECT_THAT(refused({.max_workgroup_extent = {{64, 64, 4096}}}), HasSubstr("'max_workgroup_extent[2]' of 4096"));
  EXPECT_THAT(refused({.local_memory = 1 << 30}), HasSubstr("its own is 262144"));
  EXPECT_THAT(refused({.max_binding = 8}), HasSubstr("the least is 16"));
  EXPECT_THAT(refused({.buffer_alignment = 6}),
              AllOf(HasSubstr("'buffer_alignment' of 6"), HasSubstr("a power of two")));
  EXPECT_THAT(refused({.buffer_alignment = 0}), HasSubstr("the least is 1"));
  EXPECT_THAT(refused({.is_cpu = true}), HasSubstr("'is_cpu' of true"));
  EXPECT_THAT(refused({.subgroup_size = 16}), HasSubstr("its own 32 cannot be changed"));
  EXPECT_EQ(refused({.max_binding = 1 << 27, .max_bindings = 8, .subgroup_size = 32}), "no error");
  DeviceFacts few = large()->facts();
  few.max_bindings = 4;
  EXPECT_THAT(error_of([&] { limited_facts(few, {.max_bindings = 8}); }), HasSubstr("its own is 4"));
  few.has_packed_dot = false;
  EXPECT_THAT(error_of([&] { limited_facts(few, {.has_packed_dot = true}); }), HasSubstr("only takes away"));
}

TEST(DeviceLimitsTest, OffsetsThatTheDeviceCannotTakeAreNotAllowedByALimit) {
  ASSERT_EQ(large()->facts().buffer_alignment, 4u);
  EXPECT_EQ(limited_facts(large()->facts(), {.buffer_alignment = 2}).buffer_alignment, 4u);
  EXPECT_EQ(limited_facts(large()->facts(), {.buffer_alignment = 128}).buffer_alignment, 128u);
}

TEST(DeviceLimitsTest, WhatStandsOnSomethingGoesWithIt) {
  const DeviceFacts facts =
      limited_facts(large()->facts(), {.max_workgroup_size = 64, .has_images = false, .has_subgroups = false});
  EXPECT_FALSE(facts.has_matrices);
  EXPECT_EQ(facts.subgroup_size, 1u);
  EXPECT_EQ(facts.max_image_buffer, 0u);
  EXPECT_EQ(facts.max_image_2d, (std::array<std::uint32_t, 2>{0, 0}));
  EXPECT_FALSE(facts.has_3d_image_writes);
  EXPECT_EQ(facts.max_workgroup_extent, (std::array<std::uint32_t, 3>{64, 64, 64}));
  EXPECT_FALSE(limited_facts(large()->facts(), {.subgroup_size = 1}).has_subgroups);
}

TEST(LimitedDeviceTest, WorksWithinItsLimits) {
  LimitedDevice device(large(), {.max_workgroup_size = 4, .max_binding = 256, .max_bindings = 2});
  const auto x = device.allocate({.bytes = 256}), y = device.allocate({.bytes = 256});
  std::vector<std::uint32_t> values(64, 21), result(64);
  device.write(*x, 0, std::as_bytes(std::span(values)));
  const auto kernel = device.compile(module_of(doubling), "double");
  const auto work = device.record({{.kernel = kernel, .bindings = {{x}, {y}}, .workgroups = {16, 1, 1}}});
  device.submit(*work);
  EXPECT_EQ(device.submit_profiled(*work).size(), 1u);
  device.finish();
  device.read(*y, 0, std::as_writable_bytes(std::span(result)));
  EXPECT_THAT(result, testing::Each(42u));
  EXPECT_EQ(device.allocated_bytes(), 512u);
}

TEST(LimitedDeviceTest, AllocationsAreRefused) {
  LimitedDevice device(large(), {.global_memory = 4096, .max_allocation = 2048, .max_image_2d = {{64, 32}}});
  EXPECT_THAT(error_of([&] { device.allocate({.bytes = 2049}); }),
              AllOf(HasSubstr("2049 bytes"), HasSubstr("limit of 2048")));
  const auto first = device.allocate({.bytes = 2048});
  const auto second = device.allocate({.bytes = 1024});
  EXPECT_THAT(error_of([&] { device.allocate({.bytes = 1025}); }), HasSubstr("3072 of the device's 4096"));
  EXPECT_THROW(device.allocate({.bytes = 1025}), OutOfMemory);
  EXPECT_THAT(error_of([&] {
                device.allocate({.kind = StorageKind::Texture2D, .extent = {8, 33, 1}});
              }),
              AllOf(HasSubstr("extent 33 along y"), HasSubstr("limit is 32")));
  EXPECT_THROW(device.allocate({.kind = StorageKind::Texture3D, .extent = {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}}),
               OutOfMemory);
  LimitedDevice blind(large(), {.has_images = false});
  EXPECT_THAT(error_of([&] { blind.allocate({.kind = StorageKind::Texture2D}); }), HasSubstr("has no images"));
}

TEST(LimitedDeviceTest, BindingsAndGridsAreRefused) {
  LimitedDevice device(large(), {.max_workgroup_count = {{32, 1, 1}}, .max_binding = 128, .buffer_alignment = 64});
  const auto x = device.allocate({.bytes = 256}), y = device.allocate({.bytes = 128});
  const auto kernel = device.compile(module_of(doubling), "double");
  const auto record = [&](Binding first, std::array<std::uint32_t, 3> groups) {
    return device.record({{.kernel = kernel, .bindings = {std::move(first), {y}}, .workgroups = groups}});
  };
  EXPECT_THAT(error_of([&] {
                record({x}, {1, 1, 1});
              }),
              AllOf(HasSubstr("'double'"), HasSubstr("256 bytes"), HasSubstr("reaches 128")));
  EXPECT_THAT(error_of([&] {
                record({x, 32, 64}, {1, 1, 1});
              }),
              AllOf(HasSubstr("offset 32"), HasSubstr("multiple of 64")));
  EXPECT_THAT(error_of([&] { record({x, 64, 128}, {33, 1, 1}); }), HasSubstr("limit of 32 x 1 x 1"));
  const auto work = record({x, 128}, {8, 1, 1});
  EXPECT_THAT(error_of([&] { work->set_workgroups(0, {1, 2, 1}); }), HasSubstr("1 x 2 x 1"));
  EXPECT_THAT(error_of([&] { large()->submit(*work); }), HasSubstr("another device"));
  EXPECT_THAT(error_of([&] { device.submit(*large()->record({})); }), HasSubstr("another device"));
}

TEST(LimitedDeviceTest, KernelsAreRefused) {
  const shader::Module plain = module_of(doubling);
  const auto compiled = [&](const DeviceLimits& limits, const shader::Module& module) {
    return error_of([&] { LimitedDevice(large(), limits).compile(module, "kernel"); });
  };
  EXPECT_THAT(compiled({.max_workgroup_size = 2}, plain), AllOf(HasSubstr("4 x 1 x 1"), HasSubstr("at most 2")));
  EXPECT_THAT(compiled({.max_workgroup_extent = {{2, 64, 64}}}, plain), HasSubstr("allows 2 x 64 x 64"));
  EXPECT_THAT(compiled({.max_bindings = 1}, plain), HasSubstr("binds 2 buffers; the device allows 1"));

  const shader::Module staged = module_of(R"(
var<workgroup> a: array<f32, 60>;
var<workgroup> b: array<vec4f, 16>;
@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(16) fn stage(@builtin(local_invocation_index) i: u32) {
  a[i] = f32(i);
  b[i] = vec4f(a[i]);
  workgroupBarrier();
  y[i] = b[15u - i].x;
}
)");
  EXPECT_EQ(compiled({.local_memory = 496}, staged), "no error");
  EXPECT_THAT(compiled({.local_memory = 495}, staged), AllOf(HasSubstr("496 bytes"), HasSubstr("the device has 495")));

  const shader::Module half = module_of(R"(
enable f16;
@group(0) @binding(0) var<storage, read_write> y: array<f16>;
@compute @workgroup_size(1) fn half() { y[0] = y[1] * y[2]; }
)");
  EXPECT_THAT(compiled({.has_f16_arithmetic = false}, half), HasSubstr("f16 arithmetic"));
  const shader::Module subgroup = module_of(R"(
enable subgroups;
@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(32) fn add(@builtin(local_invocation_index) i: u32) { y[i] = subgroupAdd(y[i]); }
)");
  EXPECT_THAT(compiled({.has_subgroups = false}, subgroup), HasSubstr("subgroups, which the device does not have"));
}

TEST(LimitedDeviceTest, ImagesOfKernelsAreRefused) {
  const TensorDescriptor image{.shape = {.w = 8, .c = 4},
                               .storage = StorageKind::Texture3D,
                               .layout = default_layout(StorageKind::Texture3D, {})};
  shader::Specialization specialization;
  specialization.tensors = {{"x", image}, {"y", image}};
  const shader::Module copy = module_of(R"(
@tensor var<read> x: tensor<f32>;
@tensor var<write> y: tensor<f32>;
@compute @workgroup_size(1) fn copy(@builtin(workgroup_id) id: vec3u) {
  tensorStore(y, 0u, id.x, 0u, tensorLoad(x, 0u, id.x, 0u));
}
)",
                                        specialization);
  EXPECT_EQ(error_of([&] { LimitedDevice(large(), {}).compile(copy, "copy"); }), "no error");
  EXPECT_THAT(error_of([&] { LimitedDevice(large(), {.has_3d_image_writes = false}).compile(copy, "copy"); }),
              HasSubstr("writes to the 3D image 'y'"));
  EXPECT_THAT(error_of([&] { LimitedDevice(large(), {.has_images = false}).compile(copy, "copy"); }),
              HasSubstr("the image 'x'"));
}

}  // namespace
}  // namespace driftwood::gpu
