// What Metal on the CPU does beyond other devices: faults of kernels, and every kind of storage against the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "base/half.h"
#include "device_work.h"
#include "gpu/device.h"
#include "shader/checker.h"
#include "shader/virtualize.h"
#include "support/devices.h"
#include "support/error_of.h"
#include "support/metal_cpu/clang.h"

namespace driftwood::test {
namespace {

using gpu::Dispatch;
using gpu::MemoryDescriptor;
using u32 = std::uint32_t;

class MetalCpuDevice : public testing::Test, public DeviceWork {
 protected:
  void SetUp() override {
    if (!Clang::find()) GTEST_SKIP() << Clang::why_not();
  }
  gpu::Device& device() override { return *test::device("metal-cpu"); }

  static shader::Module module_of(const std::string& text, std::map<std::string, TensorDescriptor> tensors = {}) {
    const shader::SourceProvider sources = [&](std::string_view) -> std::optional<shader::SourceFile> {
      return shader::SourceFile{"test.wgsl", text};
    };
    shader::Specialization specialization;
    specialization.tensors = std::move(tensors);
    shader::Module module = shader::check(sources, "package::test", specialization);
    shader::virtualize(module);
    return module;
  }
};

constexpr const char* doubling = R"(
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) at: vec3u) {
  b[at.x] = 2 * a[at.x];
}
)";

TEST_F(MetalCpuDevice, AWriteBehindABufferIsAFault) {
  const auto a = buffer_of(std::vector<u32>(16)), b = buffer_of(std::vector<u32>(12));
  const auto recording = device().record({{.kernel = device().compile(module_of(doubling), "double"),
                                           .bindings = {{a}, {b}},
                                           .workgroups = {2, 1, 1},
                                           .label = "over"}});
  EXPECT_EQ(error_of([&] { device().submit(*recording); }),
            "The Metal kernel 'over' writes before or behind a buffer of 48 bytes.");
}

// ---- storage kinds: as the reference device reads and writes them

struct Storage {
  StorageKind kind;
  Layout layout;
  std::array<u32, 3> extent;
};

const std::vector<Storage> storages = {
    {StorageKind::Buffer, {{AxisList{Axis::S, Axis::H, Axis::W}, AxisList{}, AxisList{}}}, {24, 1, 1}},
    {StorageKind::ImageBuffer, {{AxisList{Axis::S, Axis::H, Axis::W}, AxisList{}, AxisList{}}}, {24, 1, 1}},
    {StorageKind::Texture2D, {{AxisList{Axis::W}, AxisList{Axis::H, Axis::S}, AxisList{}}}, {4, 6, 1}},
    {StorageKind::Texture3D, {{AxisList{Axis::W}, AxisList{Axis::H}, AxisList{Axis::S}}}, {4, 3, 2}},
    {StorageKind::Texture2DArray, {{AxisList{Axis::W}, AxisList{Axis::H}, AxisList{Axis::S}}}, {4, 3, 2}},
};

struct Element {
  DataType type;
  std::string value;  // of the kernel
};

const std::vector<Element> elements = {{DataType::F32, "f32"}, {DataType::F16, "f32"}, {DataType::F32, "f16"},
                                       {DataType::F16, "f16"}, {DataType::I32, "i32"}, {DataType::U32, "u32"},
                                       {DataType::I8, "i32"},  {DataType::U8, "u32"},  {DataType::I8, "f32"},
                                       {DataType::U8, "f32"}};

// Numbers that every type holds or is to be converted to, among them ties and what does not fit.
std::vector<std::byte> bytes_for(DataType type) {
  std::vector<std::byte> bytes;
  const auto append = [&](auto value) {
    const auto* begin = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), begin, begin + sizeof value);
  };
  for (int i = 0; i < 24 * 4; ++i) {
    const float number = static_cast<float>(i * i) * (i % 2 == 0 ? 0.5F : -0.3F);
    switch (type) {
      case DataType::F32: append(number); break;
      case DataType::F16: append(float_to_half(number)); break;
      case DataType::I32:
      case DataType::U32: append(i * 1234567); break;
      default: append(static_cast<std::uint8_t>(i * 8 + 3)); break;
    }
  }
  return bytes;
}

class MetalCpuStorage : public MetalCpuDevice, public testing::WithParamInterface<std::size_t> {};

TEST_P(MetalCpuStorage, HoldsWhatTheReferenceHolds) {
  const Storage& storage = storages[GetParam()];
  std::string declarations = "enable f16;\n", statements;
  std::map<std::string, TensorDescriptor> tensors;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const auto& [type, value] = elements[i];
    const std::string in = "x" + std::to_string(i), out = "y" + std::to_string(i);
    tensors[in] = tensors[out] = {
        .shape = {.h = 3, .w = 4, .c = 8}, .data_type = type, .storage = storage.kind, .layout = storage.layout};
    declarations += "@tensor var<read> " + in + ": tensor<" + value + ">;\n@tensor var<write> " + out + ": tensor<" +
                    value + ">;\n";
    statements += "  tensorStore(" + out + ", at.y, at.x, at.z, tensorLoad(" + in + ", at.y, at.x, at.z) + " + value +
                  "(1.5));\n";
  }
  const std::string text = declarations +
                           "@compute @workgroup_size(4, 3, 2)\nfn main(@builtin(local_invocation_id) at: vec3u) {\n" +
                           statements + "}\n";
  std::vector<std::vector<std::byte>> results;
  for (gpu::Device* each : {test::device("reference"), &device()}) {
    Dispatch dispatch;
    dispatch.kernel = each->compile(module_of(text, tensors), "add");
    for (const Element& element : elements) {
      const std::vector<std::byte> bytes = bytes_for(element.type);
      MemoryDescriptor descriptor = {.kind = storage.kind, .texel = element.type, .extent = storage.extent};
      if (storage.kind == StorageKind::Buffer) descriptor.bytes = bytes.size();
      const auto in = each->allocate(descriptor), out = each->allocate(descriptor);
      each->write(*in, 0, bytes);
      dispatch.bindings.insert(dispatch.bindings.end(), {{in}, {out}});
    }
    each->submit(*each->record({dispatch}));
    for (std::size_t i = 0; i < elements.size(); ++i) {
      results.emplace_back(bytes_for(elements[i].type).size());
      each->read(*dispatch.bindings[2 * i + 1].memory, 0, results.back());
    }
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    EXPECT_EQ(results[i], results[elements.size() + i]) << to_string(elements[i].type) << " as " << elements[i].value;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, MetalCpuStorage, testing::Range(std::size_t{0}, storages.size()), [](const auto& info) {
  std::string name(to_string(storages[info.param].kind));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace driftwood::test
