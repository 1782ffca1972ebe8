// Images of every kind: written, read by a kernel, written by a kernel, read back.
#include <numeric>

#include "base/error.h"
#include "opencl_test_device.h"

namespace driftwood::gpu::opencl::test {
namespace {

struct ImageCase {
  std::string name;
  StorageKind kind;
  std::array<std::uint32_t, 3> extent;
  std::string type;        // of the kernel's argument
  std::string coordinate;  // of the texel of invocation (x, y, z)
};

class OpenClImageTest : public OpenClTest, public testing::WithParamInterface<ImageCase> {};

std::vector<float> ramp(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

bool lacks(const DeviceFacts& facts, StorageKind kind) {
  switch (kind) {
    case StorageKind::ImageBuffer: return facts.max_image_buffer == 0;
    case StorageKind::Texture3D: return facts.max_image_3d[0] == 0 || !facts.has_3d_image_writes;
    case StorageKind::Texture2DArray: return facts.max_image_layers == 0;
    default: return !facts.has_images;
  }
}

TEST_P(OpenClImageTest, TexelsRoundTripThroughAKernel) {
  const ImageCase& image = GetParam();
  if (lacks(device().facts(), image.kind)) GTEST_SKIP() << "The device has no images of this kind.";
  const auto& extent = image.extent;
  const std::size_t count = std::size_t{4} * extent[0] * extent[1] * extent[2];
  const MemoryDescriptor descriptor{.kind = image.kind, .texel = DataType::F32, .extent = extent};
  const auto in = device().allocate(descriptor), out = device().allocate(descriptor);
  const std::vector<float> values = ramp(count);
  device().write(*in, 0, std::as_bytes(std::span(values)));
  device().fill_zero(*out, 0, count * sizeof(float));
  EXPECT_EQ(values_of<float>(*in, count), values);
  EXPECT_EQ(values_of<float>(*out, count), std::vector<float>(count, 0.0f));

  const std::string pragma =
      image.kind == StorageKind::Texture3D ? "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n" : "";
  const std::string source = pragma + "__kernel void run(__read_only " + image.type + " a, __write_only " + image.type +
                             " b) {\n  const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n" +
                             "  write_imagef(b, " + image.coordinate + ", read_imagef(a, " + image.coordinate +
                             ") * 2.0f);\n}\n";
  Parameter parameter;
  parameter.kind = image.kind;
  parameter.extent = extent;
  const auto twice = kernel(source, {parameter, parameter});
  run({{twice, {{in}, {out}}, extent}});
  std::vector<float> expected = values;
  for (float& value : expected) value *= 2.0f;
  EXPECT_EQ(values_of<float>(*out, count), expected);

  parameter.extent[0] += 1;
  EXPECT_THROW(device().record({{kernel(source, {parameter, parameter}), {{in}, {out}}, extent}}), InvalidInput)
      << "the kernel uses more texels than the image has";
  const auto plain = device().allocate({.bytes = 16});
  if (image.kind != StorageKind::ImageBuffer) {
    EXPECT_THROW(device().record({{twice, {{plain}, {out}}, extent}}), InvalidInput);
    EXPECT_THROW(device().write(*in, 0, std::as_bytes(std::span(values).first(1))), InvalidInput);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, OpenClImageTest,
    testing::Values(
        ImageCase{"ImageBuffer", StorageKind::ImageBuffer, {7, 1, 1}, "image1d_buffer_t", "x"},
        ImageCase{"Texture2D", StorageKind::Texture2D, {5, 3, 1}, "image2d_t", "(int2)(x, y)"},
        ImageCase{"Texture3D", StorageKind::Texture3D, {5, 3, 2}, "image3d_t", "(int4)(x, y, z, 0)"},
        ImageCase{"Texture2DArray", StorageKind::Texture2DArray, {5, 3, 2}, "image2d_array_t", "(int4)(x, y, z, 0)"}),
    [](const auto& info) { return info.param.name; });

TEST_F(OpenClTest, HalfTexelsConvertWhereTheyAreRead) {
  if (!device().facts().has_images) GTEST_SKIP();
  const auto image = device().allocate({.kind = StorageKind::Texture2D, .texel = DataType::F16, .extent = {1, 1, 1}});
  const std::vector<std::uint16_t> halves = {0x3C00, 0xC000, 0x3800, 0x0000};  // 1, -2, 0.5, 0
  device().write(*image, 0, std::as_bytes(std::span(halves)));
  const auto out = buffer_of(std::vector<float>(4, 9.0f));
  Parameter parameter;
  parameter.kind = StorageKind::Texture2D;
  parameter.texel = DataType::F16;
  const auto read = kernel(
      "__kernel void run(__read_only image2d_t a, __global float4* out, ulong offset) {\n"
      "  out[0] = read_imagef(a, (int2)(0, 0));\n}",
      {parameter, buffer_parameter("out")});
  run({{read, {{image}, {out}}}});
  EXPECT_EQ(values_of<float>(*out, 4), (std::vector<float>{1.0f, -2.0f, 0.5f, 0.0f}));
}

TEST_F(OpenClTest, ABufferServesAsImageBufferAndBack) {
  if (device().facts().max_image_buffer == 0) GTEST_SKIP();
  const std::uint64_t step = device().facts().buffer_alignment;
  const std::size_t stride = step / sizeof(float);
  std::vector<float> values(2 * stride, 0.0f);
  std::iota(values.begin(), values.end(), 1.0f);
  const auto memory = buffer_of(values);
  const auto out = device().allocate({.kind = StorageKind::ImageBuffer, .extent = {2, 1, 1}});
  Parameter parameter;
  parameter.kind = StorageKind::ImageBuffer;
  parameter.extent = {2, 1, 1};
  const auto copy = kernel(
      "__kernel void run(__read_only image1d_buffer_t a, __global float4* out, ulong offset) {\n"
      "  out[get_global_id(0)] = read_imagef(a, (int)get_global_id(0));\n}",
      {parameter, buffer_parameter("out", 32)});
  run({{copy, {{memory}, {out}}, {2, 1, 1}}});
  EXPECT_EQ(values_of<float>(*out, 8), (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
  try {
    run({{copy, {{memory, step}, {out}}, {2, 1, 1}}});
  } catch (const Unsupported&) {
    GTEST_SKIP() << "The driver makes no image buffer over a part of a buffer.";
  }
  const std::vector<float> second(values.begin() + static_cast<std::ptrdiff_t>(stride),
                                  values.begin() + static_cast<std::ptrdiff_t>(stride + 8));
  EXPECT_EQ(values_of<float>(*out, 8), second);
}

}  // namespace
}  // namespace driftwood::gpu::opencl::test
