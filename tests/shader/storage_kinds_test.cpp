// One kernel, unchanged, over every storage kind, layout, number of objects and data type, with odd channel counts: the
// numbers must be those of the same arithmetic on the host.
#include <gmock/gmock.h>

#include <random>

#include "kernels/source.h"
#include "run_kernel.h"
#include "shader/compile.h"
#include "tensor/pack.h"
#include "tensor/storage.h"

namespace driftwood {
namespace {

// out(b, y, x, d, s) = 2 * in(b, y, x, d, s) + in(B - 1 - b, H - 1 - y, W - 1 - x, D - 1 - d, S - 1 - s)
constexpr const char* kernel = R"(
alias number = f32;
@tensor var<read> source: tensor<number>;
@tensor var<write> mirrored: tensor<number>;

@compute @workgroup_size(2, 3)
fn mirror(@builtin(global_invocation_id) id: vec3u) {
  let s = id.x;
  let x = id.y % tensorWidth(source);
  let d = id.y / tensorWidth(source);
  let y = id.z % tensorHeight(source);
  let b = id.z / tensorHeight(source);
  if (s >= tensorSlices(source) || d >= tensorDepth(source)) {
    return;
  }
  let last = vec3u(tensorBatch(source), tensorHeight(source), tensorWidth(source)) - vec3u(1u);
  let far = tensorLoad(source, last - vec3u(b, y, x), tensorDepth(source) - 1u - d, tensorSlices(source) - 1u - s);
  tensorStore(mirrored, b, y, x, d, s, tensorLoad(source, b, y, x, d, s) * number(2) + far);
}
)";

constexpr StorageKind kinds[] = {StorageKind::Buffer, StorageKind::ImageBuffer, StorageKind::Texture2D,
                                 StorageKind::Texture3D, StorageKind::Texture2DArray};

std::string value_type_of(DataType type) {
  if (type == DataType::I8 || type == DataType::I32) return "i32";
  if (type == DataType::U8 || type == DataType::U32) return "u32";
  return "f32";
}

void add(test::Contents& contents, const std::string& name, const TensorDescriptor& tensor,
         const std::vector<float>& values) {
  const auto objects = pack(tensor, values);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    contents[objects.size() == 1 ? name : name + "_" + std::to_string(i)] = objects[i];
  }
}

std::vector<float> mirrored(const Shape& shape, const std::vector<float>& in) {
  // Mirrored slices pair channel 4 s + k with 4 (S - 1 - s) + k; padding counts as zero.
  std::vector<float> out(in.size());
  const auto index = [&](std::uint32_t b, std::uint32_t y, std::uint32_t x, std::uint32_t d, std::uint32_t c) {
    return (((std::size_t{b} * shape.h + y) * shape.w + x) * shape.d + d) * shape.c + c;
  };
  for (std::uint32_t b = 0; b < shape.b; ++b) {
    for (std::uint32_t y = 0; y < shape.h; ++y) {
      for (std::uint32_t x = 0; x < shape.w; ++x) {
        for (std::uint32_t d = 0; d < shape.d; ++d) {
          for (std::uint32_t c = 0; c < shape.c; ++c) {
            const std::uint32_t far = 4 * (shape.slices() - 1 - c / 4) + c % 4;
            const float other =
                far < shape.c ? in[index(shape.b - 1 - b, shape.h - 1 - y, shape.w - 1 - x, shape.d - 1 - d, far)] : 0;
            out[index(b, y, x, d, c)] = 2 * in[index(b, y, x, d, c)] + other;
          }
        }
      }
    }
  }
  return out;
}

class StorageKinds : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    device_ = test::device_if_any(GetParam());
    if (!device_) GTEST_SKIP() << "no device " << GetParam();
  }

  // Each case is a program to compile: a device with a compiler, which takes up to a second for one, gets a selection.
  bool takes_all() const { return device_->facts().id == "reference"; }

  bool has(StorageKind kind) const {
    const gpu::DeviceFacts& facts = device_->facts();
    if (kind == StorageKind::Buffer) return true;
    if (kind == StorageKind::ImageBuffer && facts.max_image_buffer == 0) return false;
    return facts.has_images && (kind != StorageKind::Texture3D || facts.has_3d_image_writes);
  }

  void expect_mirrored(const TensorDescriptor& source, const TensorDescriptor& target) {
    SCOPED_TRACE(to_string(source) + " to " + to_string(target));
    std::mt19937 random(source.shape.c);
    const bool is_signed = value_type_of(source.data_type) != "u32";
    std::vector<float> values(source.shape.elements());
    for (float& v : values) v = static_cast<float>(random() % 41) - (is_signed ? 20.0f : 0.0f);
    const shader::SourceProvider files = [](std::string_view path) -> std::optional<shader::SourceFile> {
      if (path == "package::mirror") return shader::SourceFile{"mirror.wgsl", kernel};
      return std::nullopt;
    };
    const shader::Specialization specialization = {.overrides = {},
                                                   .aliases = {{"number", value_type_of(source.data_type)}},
                                                   .tensors = {{"source", source}, {"mirrored", target}},
                                                   .weights = {},
                                                   .fusions = {}};
    const shader::Module module =
        shader::compile(files, "package::mirror", specialization, test::traits_of(device_->facts()));
    test::Contents contents;
    add(contents, "source", source, values);
    add(contents, "mirrored", target, std::vector<float>(values.size()));
    const Shape& shape = source.shape;
    const auto after = test::run_kernel(*device_, module, contents,
                                        {(shape.slices() + 1) / 2, (shape.w * shape.d + 2) / 3, shape.h * shape.b});
    std::vector<std::vector<std::byte>> objects;
    for (std::uint32_t i = 0; i < target.objects; ++i) {
      objects.push_back(after.at(target.objects == 1 ? "mirrored" : "mirrored_" + std::to_string(i)));
    }
    EXPECT_EQ(unpack<float>(target, objects), mirrored(shape, values));
  }

  std::unique_ptr<gpu::Device> device_;
};

TEST_P(StorageKinds, EveryPairOfKindsGivesTheSameNumbers) {
  for (const StorageKind from : kinds) {
    for (const StorageKind to : kinds) {
      if (!has(from) || !has(to)) continue;
      const int distance = static_cast<int>(to) - static_cast<int>(from);
      if (!takes_all() && distance != 1 && distance != -4) continue;
      const Shape shape = {2, 3, 5, 2, 13};
      const TensorDescriptor source = {.shape = shape, .storage = from, .layout = default_layout(from, shape)};
      const TensorDescriptor target = {.shape = shape, .storage = to, .layout = default_layout(to, shape)};
      expect_mirrored(source, target);
    }
  }
}

TEST_P(StorageKinds, EveryDataType) {
  for (const DataType type : {DataType::F32, DataType::F16, DataType::I8, DataType::U8, DataType::I32, DataType::U32}) {
    for (const StorageKind kind : kinds) {
      if (!has(kind)) continue;
      if (!takes_all() && kind != StorageKind::Buffer && kind != StorageKind::Texture2D) continue;
      const Shape shape = {.b = 2, .h = 3, .w = 2, .c = 7};
      TensorDescriptor tensor = {
          .shape = shape, .data_type = type, .storage = kind, .layout = default_layout(kind, shape)};
      expect_mirrored(tensor, tensor);
    }
  }
}

TEST_P(StorageKinds, SeveralObjects) {
  for (const std::uint32_t objects : {2u, 3u, 4u, 8u}) {
    for (const StorageKind kind : kinds) {
      if (!has(kind)) continue;
      for (const std::uint32_t channels : {3u, 17u, 32u}) {
        if (!takes_all() && (objects != 4 || channels != 17)) continue;
        const Shape shape = {.b = 2, .h = 2, .w = 3, .c = channels};
        const TensorDescriptor many = {
            .shape = shape, .storage = kind, .layout = default_layout(kind, shape), .objects = objects};
        expect_mirrored(many, many);
      }
    }
  }
}

TEST_P(StorageKinds, EveryLayout) {
  for (const NamedLayout& named : layout_table()) {
    for (const StorageKind kind : kinds) {
      if (!has(kind) || coordinate_count(kind) != named.coordinates) continue;
      if (!takes_all() && named.name != "dhwbcc4" && named.name != "token_minor" && named.name != "phwc4") continue;
      TensorDescriptor tensor = {.shape = {2, 3, 5, 2, 9}, .storage = kind, .layout = named.layout};
      const auto has_axis = [&](Axis axis) {
        for (const AxisList& list : named.layout.dimensions) {
          if (std::find(list.begin(), list.end(), axis) != list.end()) return true;
        }
        return false;
      };
      if (!has_axis(Axis::B)) tensor.shape.b = 1;
      if (!has_axis(Axis::H)) tensor.shape.h = 1;
      if (!has_axis(Axis::W)) tensor.shape.w = 1;
      if (!has_axis(Axis::D)) tensor.shape.d = 1;
      if (!has_axis(Axis::S)) tensor.shape.c = 3;
      expect_mirrored(tensor, tensor);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, StorageKinds, testing::Values("reference", "opencl:0", "metal-cpu", "webgpu:0"),
                         [](const auto& test) {
                           const std::string id = test.param;
                           return id.substr(0, id.find_first_of(":-"));
                         });

}  // namespace
}  // namespace driftwood
