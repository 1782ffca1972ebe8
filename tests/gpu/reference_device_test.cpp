// What is the reference device's own: unwritten bytes, images of every kind, limits that are set; what all devices
// share is in device_test.cpp.
#include "gpu/reference/reference_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/half.h"
#include "shader/checker.h"
#include "shader/interpreter/sanitizer_error.h"
#include "shader/virtualize.h"

namespace driftwood::gpu {
namespace {

using shader::SanitizerError;
using shader::SanitizerKind;
using testing::ElementsAre;
using testing::HasSubstr;
using u32 = std::uint32_t;

shader::Module module_of(const std::string& text, const shader::Specialization& specialization = {}) {
  const shader::SourceProvider sources = [&](std::string_view) -> std::optional<shader::SourceFile> {
    return shader::SourceFile{"test.wgsl", text};
  };
  shader::Module module = shader::check(sources, "package::test", specialization);
  shader::virtualize(module);
  return module;
}

shader::Specialization with_tensors(std::map<std::string, TensorDescriptor> tensors) {
  shader::Specialization specialization;
  specialization.tensors = std::move(tensors);
  return specialization;
}

template <class T>
void upload(Device& device, Memory& memory, const std::vector<T>& values) {
  device.write(memory, 0, std::as_bytes(std::span(values)));
}

template <class T>
std::vector<T> download(Device& device, const Memory& memory, std::size_t count) {
  std::vector<T> values(count);
  device.read(memory, 0, std::as_writable_bytes(std::span(values)));
  return values;
}

template <class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing is thrown";
}

const char* const doubling = R"(
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(4) fn double(@builtin(global_invocation_id) id: vec3u) { y[id.x] = x[id.x] * 2u; }
)";

TEST(ReferenceDevice, ReportsReadsOfUnwrittenBytes) {
  const auto device = make_reference_device();
  const auto x = device->allocate({.bytes = 16});
  const auto y = device->allocate({.bytes = 16});
  upload(*device, *x, std::vector<u32>{1, 2, 3});
  const auto kernel = device->compile(module_of(doubling), "double");
  const auto work =
      device->record({{.kernel = kernel, .bindings = {{x}, {y}}, .workgroups = {1, 1, 1}, .label = "layer 0 double"}});
  try {
    device->submit(*work);
    FAIL() << "the kernel runs without a fault";
  } catch (const SanitizerError& error) {
    EXPECT_EQ(error.sanitizer_kind(), SanitizerKind::UnwrittenRead);
    EXPECT_THAT(error.what(), HasSubstr("reads byte 12 of 16 of 'x', which nothing has written."));
    EXPECT_THAT(error.what(), HasSubstr("While running 'layer 0 double' on the reference device."));
  }
  upload(*device, *x, std::vector<u32>{1, 2, 3, 4});
  device->submit(*work);
  EXPECT_THAT(download<u32>(*device, *y, 4), ElementsAre(2, 4, 6, 8));
}

// ---- every kind of image and texel

struct KindCase {
  StorageKind storage;
  Layout layout;
  std::array<u32, 3> extent;
};

const std::vector<KindCase> kinds = {
    {StorageKind::Buffer, {{AxisList{Axis::S, Axis::H, Axis::W}, AxisList{}, AxisList{}}}, {24, 1, 1}},
    {StorageKind::ImageBuffer, {{AxisList{Axis::S, Axis::H, Axis::W}, AxisList{}, AxisList{}}}, {24, 1, 1}},
    {StorageKind::Texture2D, {{AxisList{Axis::W}, AxisList{Axis::H, Axis::S}, AxisList{}}}, {4, 6, 1}},
    {StorageKind::Texture3D, {{AxisList{Axis::W}, AxisList{Axis::H}, AxisList{Axis::S}}}, {4, 3, 2}},
    {StorageKind::Texture2DArray, {{AxisList{Axis::W}, AxisList{Axis::H}, AxisList{Axis::S}}}, {4, 3, 2}},
};

struct TexelCase {
  DataType type;
  std::string value;                    // the kernel's value type
  std::vector<float> stored, expected;  // source texel; target texel after adding 1.5 (floats) or 1000 (integers)
};

const std::vector<TexelCase> texels = {
    {DataType::F32, "f32", {1.0F, -2.0F, 0.1F, 1e30F}, {2.5F, -0.5F, 1.6F, 1e30F}},
    {DataType::F16, "f32", {1.0F, -2.0F, 2048.0F, 65504.0F}, {2.5F, -0.5F, 2050.0F, 65504.0F}},
    {DataType::I32, "i32", {1, -2, 100000, -100000}, {1001, 998, 101000, -99000}},
    {DataType::U32, "u32", {1, 2, 100000, 7}, {1001, 1002, 101000, 1007}},
    {DataType::I8, "i32", {1, -128, 127, -1}, {-23, 104, 103, -25}},
    {DataType::U8, "u32", {1, 255, 128, 0}, {233, 231, 104, 232}},
    {DataType::I8, "f32", {1, -128, 127, 0}, {2, -126, 127, 2}},
    {DataType::U8, "f32", {1, 255, 2, 0}, {2, 255, 4, 2}},
};

std::vector<std::byte> encode(DataType type, const std::vector<float>& texel, std::size_t count) {
  std::vector<std::byte> bytes;
  const auto append = [&](auto value) {
    const auto* begin = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), begin, begin + sizeof(value));
  };
  for (std::size_t t = 0; t < count; ++t) {
    for (const float x : texel) {
      switch (type) {
        case DataType::F32: append(x); break;
        case DataType::F16: append(float_to_half(x)); break;
        case DataType::I32: append(static_cast<std::int32_t>(x)); break;
        case DataType::U32: append(static_cast<std::uint32_t>(x)); break;
        case DataType::I8: append(static_cast<std::int8_t>(x)); break;
        default: append(static_cast<std::uint8_t>(x)); break;
      }
    }
  }
  return bytes;
}

TEST(ReferenceImages, EveryKindAndTexel) {
  for (const KindCase& kind : kinds) {
    for (const TexelCase& texel : texels) {
      SCOPED_TRACE(std::string(to_string(kind.storage)) + " of " + std::string(to_string(texel.type)) + " as " +
                   texel.value);
      const std::string number = texel.value == "f32" ? "1.5" : texel.value == "i32" ? "1000" : "1000u";
      const TensorDescriptor tensor{
          .shape = {.h = 3, .w = 4, .c = 8}, .data_type = texel.type, .storage = kind.storage, .layout = kind.layout};
      const auto module =
          module_of("@tensor var<read> x: tensor<" + texel.value + ">;\n@tensor var<write> y: tensor<" + texel.value +
                        ">;\n"
                        "@compute @workgroup_size(4, 3, 2) fn add(@builtin(local_invocation_id) id: "
                        "vec3u) {\n  tensorStore(y, id.y, id.x, id.z, tensorLoad(x, id.y, id.x, id.z) + " +
                        number + ");\n}",
                    with_tensors({{"x", tensor}, {"y", tensor}}));
      const auto device = make_reference_device();
      const auto source = encode(texel.type, texel.stored, 24);
      const MemoryDescriptor descriptor{
          .kind = kind.storage, .bytes = source.size(), .texel = texel.type, .extent = kind.extent};
      const auto x = device->allocate(descriptor);
      const auto y = device->allocate(descriptor);
      device->write(*x, 0, source);
      const auto kernel = device->compile(module, "add");
      device->submit(*device->record({{.kernel = kernel, .bindings = {{x}, {y}}}}));
      std::vector<std::byte> result(source.size());
      device->read(*y, 0, result);
      EXPECT_EQ(result, encode(texel.type, texel.expected, 24));
    }
  }
}

TEST(ReferenceImages, CoordinatesPastTheEdge) {
  const TensorDescriptor tensor{.shape = {.h = 3, .w = 4, .c = 8},
                                .storage = StorageKind::Texture2D,
                                .layout = {{AxisList{Axis::W}, AxisList{Axis::H, Axis::S}, AxisList{}}}};
  const auto run = [&](const std::string& coordinates) {
    const auto device = make_reference_device();
    const auto kernel = device->compile(
        module_of("@tensor var<write> y: tensor<f32>;\n@group(0) @binding(1) var<storage, read> n: array<i32>;\n"
                  "@compute @workgroup_size(1) fn f() {\n  tensorStore(y, " +
                      coordinates + ", vec4f());\n}",
                  with_tensors({{"y", tensor}})),
        "f");
    const auto y = device->allocate({.kind = StorageKind::Texture2D, .extent = {4, 6, 1}});
    const auto n = device->allocate({.bytes = 8});
    upload(*device, *n, std::vector<std::int32_t>{4, -1});
    return message_of([&] { device->submit(*device->record({{.kernel = kernel, .bindings = {{y}, {n}}}})); });
  };
  EXPECT_THAT(run("0, n[0], 0"), HasSubstr("Coordinate x 4 of 'y' is past the end; it has 4 texels that way."));
  EXPECT_THAT(run("0, n[1], 0"), HasSubstr("Coordinate x -1 of 'y' is negative; it has 4 texels that way."));
  EXPECT_THAT(run("n[0] - 1, 0, 1"), HasSubstr("Coordinate y 7 of 'y' is past the end; it has 6 texels that way."));
}

// ---- limits and misuse

TEST(ReferenceLimits, AreKept) {
  const auto poor = make_reference_device({.max_workgroup_size = 2,
                                           .max_workgroup_count = {8, 8, 8},
                                           .local_memory = 64,
                                           .global_memory = 4096,
                                           .max_allocation = 1024,
                                           .buffer_alignment = 16,
                                           .has_images = false,
                                           .has_f16_arithmetic = false,
                                           .has_packed_dot = false,
                                           .subgroup_size = 0});
  EXPECT_FALSE(poor->facts().has_subgroups);
  EXPECT_EQ(poor->facts().subgroup_size, 1U);
  EXPECT_EQ(poor->facts().max_image_2d[0], 0U);
  EXPECT_THAT(message_of([&] { poor->allocate({.bytes = 2000}); }),
              HasSubstr("2000 bytes exceeds the device's limit of 1024"));
  EXPECT_THROW(poor->allocate({.kind = StorageKind::Texture2D}), OutOfMemory);
  EXPECT_THROW(poor->allocate({.bytes = 0}), InvalidInput);
  std::vector<std::shared_ptr<Memory>> kept;
  for (int k = 0; k < 4; ++k) kept.push_back(poor->allocate({.bytes = 1024}));
  EXPECT_THROW(poor->allocate({.bytes = 1}), OutOfMemory);

  EXPECT_THAT(message_of([&] { poor->compile(module_of(doubling), "double"); }),
              HasSubstr("has workgroups of 4 x 1 x 1; the device allows"));
  const std::string out = "@group(0) @binding(0) var<storage, read_write> r: array<f32>;\n";
  const auto compiles = [&](const std::string& text) {
    return message_of([&] { poor->compile(module_of(text), "f"); });
  };
  EXPECT_THAT(compiles("enable f16;\n" + out + "@compute @workgroup_size(1) fn f() { r[0] = f32(f16(r[1])); }"),
              HasSubstr("uses f16 arithmetic"));
  EXPECT_THAT(
      compiles("enable subgroups;\n" + out + "@compute @workgroup_size(1) fn f() { r[0] = subgroupAdd(r[1]); }"),
      HasSubstr("uses subgroups"));
  EXPECT_THAT(
      compiles(out + "var<workgroup> w: array<f32, 17>;\n@compute @workgroup_size(1) fn f() { w[0] = 1.0; r[0] = "
                     "w[0]; }"),
      HasSubstr("uses 80 bytes of workgroup memory; the device has 64."));
  const auto kernel = poor->compile(module_of(out + "@compute @workgroup_size(2) fn f() { r[0] = 1.0; }"), "f");
  EXPECT_THAT(message_of([&] {
                poor->record({{.kernel = kernel, .bindings = {{kept[0]}}, .workgroups = {9, 1, 1}}});
              }),
              HasSubstr("A grid of 9 x 1 x 1 workgroups exceeds the device's limit of 8 x 8 x 8."));
  EXPECT_THAT(message_of([&] {
                poor->record({{.kernel = kernel, .bindings = {{kept[0], 4}}}});
              }),
              HasSubstr("The offset 4 of 'r' of the kernel 'f' is no multiple of 16."));
}

TEST(ReferenceLimits, BindingsMustFit) {
  const auto device = make_reference_device();
  const auto kernel = device->compile(module_of("@group(0) @binding(0) var<storage, read_write> r: array<vec4f, 4>;\n"
                                                "@compute @workgroup_size(1) fn f() { r[0] = vec4f(); }"),
                                      "f");
  const auto small = device->allocate({.bytes = 48});
  const auto image = device->allocate({.kind = StorageKind::Texture2D, .extent = {4, 4, 1}});
  const auto record = [&](std::vector<Binding> bindings) {
    return message_of([&] { device->record({{.kernel = kernel, .bindings = std::move(bindings)}}); });
  };
  EXPECT_THAT(record({}), HasSubstr("takes 1 bindings and is given 0"));
  EXPECT_THAT(record({{nullptr}}), HasSubstr("Nothing is bound to 'r'"));
  EXPECT_THAT(record({{small}}),
              HasSubstr("The 48 bytes bound to 'r' of the kernel 'f' are less than the 64 it needs"));
  EXPECT_THAT(record({{small, 16, 40}}), HasSubstr("passes the end of a buffer of 48 bytes"));
  EXPECT_THAT(record({{image}}), HasSubstr("which takes one of kind"));
  EXPECT_THROW(device->record({{}}), InvalidInput);
}

TEST(ReferenceLimits, ImageExtents) {
  const auto device = make_reference_device(
      {.max_image_buffer = 10, .max_image_2d = {4, 5}, .max_image_3d = {4, 5, 6}, .max_image_layers = 3});
  const auto refused = [&](StorageKind kind, std::array<u32, 3> extent) {
    return message_of([&] { device->allocate({.kind = kind, .extent = extent}); });
  };
  EXPECT_THAT(refused(StorageKind::ImageBuffer, {11, 1, 1}), HasSubstr("extent 11 along x; the device's limit is 10."));
  EXPECT_THAT(refused(StorageKind::Texture2D, {4, 6, 1}), HasSubstr("extent 6 along y; the device's limit is 5."));
  EXPECT_THAT(refused(StorageKind::Texture3D, {4, 5, 7}), HasSubstr("extent 7 along z; the device's limit is 6."));
  EXPECT_THAT(refused(StorageKind::Texture2DArray, {4, 5, 4}), HasSubstr("extent 4 along z; the device's limit is 3."));
  EXPECT_EQ(refused(StorageKind::Texture2DArray, {4, 5, 3}), "nothing is thrown");
}

}  // namespace
}  // namespace driftwood::gpu
