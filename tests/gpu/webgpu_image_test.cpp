// Images of every kind and texel: written, read by a kernel, written by a kernel, read back.
#include <fmt/format.h>

#include "base/error.h"
#include "webgpu_test_device.h"

namespace driftwood::gpu::webgpu::test {
namespace {

struct Texel {
  DataType type;
  const char* component;
  const char* format;
};
constexpr std::array texels = {Texel{DataType::F32, "f32", "rgba32float"}, Texel{DataType::F16, "f32", "rgba16float"},
                               Texel{DataType::I8, "i32", "rgba8sint"},    Texel{DataType::U8, "u32", "rgba8uint"},
                               Texel{DataType::I16, "i32", "rgba16sint"},  Texel{DataType::U16, "u32", "rgba16uint"},
                               Texel{DataType::I32, "i32", "rgba32sint"},  Texel{DataType::U32, "u32", "rgba32uint"}};

struct Kind {
  StorageKind kind;
  const char* dimension;
  const char* load;
  const char* store;
};
constexpr std::array kinds = {
    Kind{StorageKind::Texture2D, "2d", "textureLoad(a, id.xy, 0)", "textureStore(b, id.xy, v)"},
    Kind{StorageKind::Texture3D, "3d", "textureLoad(a, id, 0)", "textureStore(b, id, v)"},
    Kind{StorageKind::Texture2DArray, "2d_array", "textureLoad(a, id.xy, id.z, 0)", "textureStore(b, id.xy, id.z, v)"}};

using WebGpuImageTest = WebGpuTest;
DRIFTWOOD_WEBGPU_SUITE(WebGpuImageTest);

// Small numbers of the type, as bytes.
std::vector<std::byte> ramp(DataType type, std::size_t count) {
  std::vector<std::byte> bytes(count * info(type).block_bytes);
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<std::int32_t>(i % 100) + 1;
    const float real = static_cast<float>(value);
    const auto half = static_cast<std::uint16_t>(0x3C00 + value);
    const void* from = type == DataType::F32   ? static_cast<const void*>(&real)
                       : type == DataType::F16 ? static_cast<const void*>(&half)
                                               : static_cast<const void*>(&value);
    std::memcpy(bytes.data() + i * info(type).block_bytes, from, info(type).block_bytes);
  }
  return bytes;
}

TEST_P(WebGpuImageTest, TexelsRoundTripThroughAKernel) {
  for (const Kind& kind : kinds) {
    for (const Texel& texel : texels) {
      SCOPED_TRACE(fmt::format("{} of {}", kind.dimension, texel.format));
      const std::array<std::uint32_t, 3> extent = {5, 3, kind.kind == StorageKind::Texture2D ? 1u : 2u};
      const MemoryDescriptor descriptor{.kind = kind.kind, .texel = texel.type, .extent = extent};
      const auto in = device().allocate(descriptor), out = device().allocate(descriptor);
      const std::vector<std::byte> values = ramp(texel.type, std::size_t{4} * extent[0] * extent[1] * extent[2]);
      device().write(*in, 0, values);
      device().fill_zero(*out, 0, values.size());
      EXPECT_EQ(values_of<std::byte>(*in, values.size()), values);
      EXPECT_EQ(values_of<std::byte>(*out, values.size()), std::vector<std::byte>(values.size()));
      const std::string source = fmt::format(
          "@group(0) @binding(0) var a: texture_{0}<{1}>;\n"
          "@group(0) @binding(1) var b: texture_storage_{0}<{2}, write>;\n"
          "@compute @workgroup_size(1) fn run(@builtin(global_invocation_id) id: vec3<u32>) {{\n"
          "  let v = {3};\n  {4};\n}}\n",
          kind.dimension, texel.component, texel.format, kind.load, kind.store);
      Parameter read{.name = "a", .kind = kind.kind, .texel = texel.type, .extent = extent};
      Parameter write = read;
      write.name = "b";
      write.writes = true;
      const auto copy = kernel(source, {read, write});
      run({{copy, {{in}, {out}}, extent}});
      EXPECT_EQ(values_of<std::byte>(*out, values.size()), values);
      EXPECT_THROW(device().record({{copy, {{in}, {in}}, extent}}), InvalidInput) << "read and written at once";
      EXPECT_THROW(device().write(*in, 0, std::span(values).first(4)), InvalidInput) << "images are written whole";
      const auto plain = device().allocate({.bytes = 16});
      EXPECT_THROW(device().record({{copy, {{plain}, {out}}, extent}}), InvalidInput);
    }
  }
}

TEST_P(WebGpuImageTest, LargeImagesAreCopiedInPieces) {
  // Rows of 16,000 bytes, which are no multiple of 256, and more than a piece of 16 MiB.
  const MemoryDescriptor descriptor{
      .kind = StorageKind::Texture2DArray, .texel = DataType::F32, .extent = {1000, 700, 2}};
  const auto image = device().allocate(descriptor);
  const std::vector<std::byte> values = ramp(DataType::F32, std::size_t{4} * 1000 * 700 * 2);
  device().write(*image, 0, values);
  EXPECT_EQ(values_of<std::byte>(*image, values.size()), values);
}

}  // namespace
}  // namespace driftwood::gpu::webgpu::test
