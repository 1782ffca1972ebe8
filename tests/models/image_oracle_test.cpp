// The text encoder, UNet and VAE of tests/data/sd/tiny against diffusers in double precision: outputs, and what the
// modules inside give.
#include <gtest/gtest.h>

#include "diffusion/timestep_embedding.h"
#include "graph/program.h"
#include "kernels/source.h"
#include "models/clip_text.h"
#include "models/image_folder.h"
#include "models/unet.h"
#include "models/vae.h"
#include "support/limited_devices.h"
#include "support/oracle.h"

namespace driftwood {
namespace {

using models::ImageCheckpoint;
using models::ImageComponent;
using testing::ImageFolder;

struct Case {
  std::string device, precision;
  StorageKind storage = StorageKind::Buffer;
  std::string part;  // "text", a case of expected.json, or "legacy"
};

std::string name_of(const Case& row) {
  std::string name = row.part + "_" + row.device + "_" + row.precision +
                     (row.storage == StorageKind::Buffer ? "_buffers" : "_textures");
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

std::ostream& operator<<(std::ostream& stream, const Case& row) { return stream << name_of(row); }

const SafetensorsFile& expected() {
  static const SafetensorsFile file = SafetensorsFile::open(ImageFolder::source() / "expected.safetensors");
  return file;
}

/// A case of expected.json.
const nlohmann::json& numbers_of(const std::string& name) {
  static const nlohmann::json file = test::read_json(ImageFolder::source() / "expected.json");
  return test::find_case(file.at(name.substr(0, name.find('.'))), name);
}

const ImageCheckpoint& model() {
  static const ImageCheckpoint checkpoint = ImageCheckpoint::open(ImageFolder::source());
  return checkpoint;
}

/// The published names of the VAE's attention; everything else is the same model's.
const ImageCheckpoint& legacy_model() {
  static const ImageFolder folder;
  static const ImageCheckpoint checkpoint = [] {
    folder.remove(ImageFolder::weights(ImageComponent::Vae));
    std::filesystem::create_symlink(
        std::string(DRIFTWOOD_TEST_DATA) + "/sd/vae_legacy/diffusion_pytorch_model.safetensors",
        folder.path() / ImageFolder::weights(ImageComponent::Vae));
    return ImageCheckpoint::open(folder.path());
  }();
  return checkpoint;
}

/// Stored values with the channels innermost: [B, C, H, W] is turned, other ranks have them so.
std::vector<float> values(const std::string& name) {
  const StoredTensor& tensor = expected().tensors().get(name);
  std::vector<float> stored(static_cast<std::size_t>(tensor.size()));
  decode_row(tensor.type, tensor.bytes, stored);
  if (tensor.dims.size() != 4) return stored;
  const std::size_t positions = static_cast<std::size_t>(tensor.dims[0] * tensor.dims[1]);
  const std::size_t channels = static_cast<std::size_t>(tensor.dims[2]);
  std::vector<float> turned(stored.size());
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const std::size_t image = i / (channels * positions), c = i / positions % channels, p = i % positions;
    turned[(image * positions + p) * channels + c] = stored[i];
  }
  return turned;
}

class ImageOracle : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    device = test::limited_device(GetParam().device);
    if (device == nullptr) GTEST_SKIP() << "there is no device " << GetParam().device;
    settings.options.precision = *graph::precision_from_name(GetParam().precision);
    settings.options.storage = GetParam().storage;
    settings.kernels = kernel_cache();
  }

  bool is_f16() const { return GetParam().precision == "f16"; }
  DataType type() const { return is_f16() ? DataType::F16 : DataType::F32; }
  double limit(double of_f16) const { return is_f16() ? of_f16 : 1e-5; }

  /// Compiled kernels are shared between the programs of a device.
  std::shared_ptr<graph::KernelCache> kernel_cache() const {
    static std::map<gpu::Device*, std::shared_ptr<graph::KernelCache>> caches;
    auto& cache = caches[device];
    if (!cache) cache = std::make_shared<graph::KernelCache>(*device, kernels::source);
    return cache;
  }

  graph::Program program(graph::Graph graph, ImageComponent component, const ImageCheckpoint& checkpoint = model()) {
    settings.store = std::make_shared<graph::ResourceStore>(
        *device, [&checkpoint, component](std::string_view name) { return checkpoint.find(component, name)->bytes; });
    graph::Program program(*device, std::move(graph), settings);
    expect_stored_as_asked(program);
    return program;
  }

  /// Most activations are in the kind of object asked for; what no kernel reads from a texture is not.
  static void expect_stored_as_asked(const graph::Program& program) {
    std::size_t activations = 0, as_asked = 0;
    for (const graph::Value& value : program.lowered().graph.values()) {
      if (value.role != graph::Role::Activation || !value.descriptor) continue;
      ++activations;
      if (value.descriptor->storage == GetParam().storage) ++as_asked;
    }
    EXPECT_GT(2 * as_asked, activations);
  }

  static std::vector<float> read(const graph::Program& program, const std::string& name) {
    std::vector<float> result(program.value(name).shape.elements());
    program.read_floats(name, result);
    return result;
  }

  static void expect_output(const graph::Program& program, const std::string& name, const std::string& wanted,
                            double tolerance) {
    EXPECT_LT(test::relative_error(read(program, name), values(wanted)), tolerance) << wanted;
  }

  /// Every output "inner/MODULE" of a program against that of a case.
  static void expect_inner(const graph::Program& program, const std::string& name, double tolerance) {
    std::size_t compared = 0;
    for (const graph::Value& value : program.lowered().graph.values()) {
      if (value.role != graph::Role::Output || !value.name.starts_with("inner/")) continue;
      const std::string wanted = name + "." + value.name;
      if (expected().tensors().find(wanted) == nullptr) continue;
      expect_output(program, value.name, wanted, tolerance);
      ++compared;
    }
    EXPECT_GE(compared, 7U);
  }

  void encode_texts(bool inner) {
    auto encoder = program(models::clip_text_graph(model(), {.activation_type = type(), .inner_outputs = inner}),
                           ImageComponent::TextEncoder);
    const StoredTensor& ids = expected().tensors().get("text.ids");
    const std::size_t bytes = 77 * sizeof(std::int32_t);
    for (std::size_t prompt = 0; prompt < (inner ? 1 : 6); ++prompt) {
      encoder.write("ids", ids.bytes.subspan(prompt * bytes, bytes));
      encoder.run({.tokens = 77, .position = 0});
      expect_output(encoder, "hidden", "text." + std::to_string(prompt) + ".out", limit(2.5e-3));
    }
    if (inner) expect_inner(encoder, "text.0", limit(5e-3));
  }

  void predict(const std::string& name, bool inner) {
    const auto& numbers = numbers_of(name);
    auto unet = program(models::unet_graph(model(), {.batch = numbers.at("batch"),
                                                     .height = numbers.at("height"),
                                                     .width = numbers.at("width"),
                                                     .activation_type = type(),
                                                     .inner_outputs = inner}),
                        ImageComponent::Unet);
    std::vector<float> time(model().unet_config().time_channels());
    diffusion::embed_timestep(numbers.at("timestep"), time);
    unet.write_floats("time", time);
    unet.write_floats("latent", values(name + ".latent"));
    unet.write_floats("context", values(name + ".context"));
    unet.run({.tokens = 1, .position = 0});
    expect_output(unet, "prediction", name + ".out", limit(2e-3));
    if (inner) expect_inner(unet, name, limit(5e-3));
  }

  void decode(const std::string& name, bool inner, const ImageCheckpoint& checkpoint = model()) {
    const auto& numbers = numbers_of(name);
    auto decoder = program(models::vae_decoder_graph(checkpoint, {.height = numbers.at("height"),
                                                                  .width = numbers.at("width"),
                                                                  .activation_type = type(),
                                                                  .inner_outputs = inner}),
                           ImageComponent::Vae, checkpoint);
    decoder.write_floats("latent", values(name + ".latent"));
    decoder.run({.tokens = 1, .position = 0});
    expect_output(decoder, "image", name + ".out", limit(4e-3));
    if (inner) expect_inner(decoder, name, limit(6e-3));
  }

  void encode(const std::string& name, bool inner, const ImageCheckpoint& checkpoint = model()) {
    const auto& numbers = numbers_of(name);
    auto encoder = program(models::vae_encoder_graph(checkpoint, {.height = numbers.at("height"),
                                                                  .width = numbers.at("width"),
                                                                  .activation_type = type(),
                                                                  .inner_outputs = inner}),
                           ImageComponent::Vae, checkpoint);
    encoder.write_floats("image", values(name + ".image"));
    encoder.run({.tokens = 1, .position = 0});
    expect_output(encoder, "mean", name + ".mean", limit(5e-3));
    expect_output(encoder, "logvar", name + ".logvar", limit(5e-3));
    if (inner) expect_inner(encoder, name, limit(6e-3));
  }

  gpu::Device* device = nullptr;
  graph::ProgramSettings settings;
};

TEST_P(ImageOracle, Outputs) {
  const std::string& part = GetParam().part;
  if (part == "text") encode_texts(false);
  if (part.starts_with("unet")) predict(part, false);
  if (part.starts_with("decode")) decode(part, false);
  if (part.starts_with("encode")) encode(part, false);
  if (part == "legacy") {
    decode("decode.2", false, legacy_model());
    encode("encode.1", false, legacy_model());
  }
}

class ImageOracleInside : public ImageOracle {};

TEST_P(ImageOracleInside, OutputsOfModules) {
  const std::string& part = GetParam().part;
  if (part == "text") encode_texts(true);
  if (part.starts_with("unet")) predict(part, true);
  if (part.starts_with("decode")) decode(part, true);
  if (part.starts_with("encode")) encode(part, true);
}

/// Parts on a device, each in these ways.
void add(std::vector<Case>& list, const std::vector<std::string>& parts, const std::string& device,
         const std::vector<std::pair<std::string, StorageKind>>& ways) {
  for (const std::string& part : parts)
    for (const auto& [precision, storage] : ways) list.push_back({device, precision, storage, part});
}

constexpr StorageKind buffers = StorageKind::Buffer;
constexpr StorageKind textures = StorageKind::Texture2D;

#ifdef DRIFTWOOD_EVERY_CASE
std::vector<Case> outputs() {
  std::vector<Case> list;
  for (const char* device : {"reference", "opencl:0", "webgpu:0"})
    add(list,
        {"text", "unet.0", "unet.1", "unet.2", "unet.3", "unet.4", "decode.0", "decode.1", "decode.2", "decode.3",
         "encode.0", "encode.1", "legacy"},
        device, {{"f32", buffers}, {"f32", textures}, {"f16", buffers}, {"f16", textures}});
  for (const std::string& profile : test::profiles())
    add(list, {"text", "unet.2", "unet.4", "decode.2"}, "opencl:0/" + profile, {{"f32", buffers}, {"f32", textures}});
  return list;
}

std::vector<Case> inside() {
  std::vector<Case> list;
  for (const char* device : {"reference", "opencl:0"})
    add(list, {"text", "unet.2", "decode.3", "encode.1"}, device,
        {{"f32", buffers}, {"f32", textures}, {"f16", buffers}, {"f16", textures}});
  return list;
}
#else
// Drivers for CPUs compile the kernels of a UNet of one size for many seconds; the slow tests have every combination.
std::vector<Case> outputs() {
  std::vector<Case> list;
  const std::vector<std::string> all = {"text",     "unet.0",   "unet.1",   "unet.2",   "unet.3",
                                        "unet.4",   "decode.0", "decode.1", "decode.2", "decode.3",
                                        "encode.0", "encode.1", "legacy"};
  add(list, all, "reference", {{"f32", buffers}, {"f16", buffers}});
  add(list, {"text", "unet.4", "decode.2", "encode.1"}, "reference", {{"f32", textures}, {"f16", textures}});
  add(list, {"text", "unet.0", "unet.4", "decode.2", "encode.1"}, "reference-pipeline", {{"f16", buffers}});
  add(list, all, "opencl:0", {{"f32", buffers}, {"f32", textures}});
  add(list, {"text", "unet.4", "decode.2", "encode.1"}, "opencl:0", {{"f16", buffers}});
  add(list, {"text", "unet.0", "unet.4", "decode.2", "encode.0", "legacy"}, "webgpu:0", {{"f32", buffers}});
  add(list, {"text", "encode.1"}, "webgpu:0", {{"f32", textures}});
  add(list, {"text"}, "webgpu:0", {{"f16", buffers}});
  add(list, {"text", "unet.4"}, "webgpu:1", {{"f32", buffers}});
  // Devices that are made smaller, with the kernels of GPUs.
  for (const std::string& profile : test::profiles())
    add(list, {"text", "unet.4", "decode.2"}, "reference/" + profile, {{"f32", buffers}});
  add(list, {"text"}, "reference/mobile-64", {{"f32", textures}});
  add(list, {"text"}, "opencl:0/mobile-64", {{"f32", buffers}});
  return list;
}

std::vector<Case> inside() {
  std::vector<Case> list;
  add(list, {"text", "unet.2", "decode.3", "encode.1"}, "reference", {{"f32", buffers}});
  add(list, {"text", "unet.2", "decode.3", "encode.1"}, "reference-pipeline", {{"f16", buffers}});
  add(list, {"text", "unet.2", "decode.3", "encode.1"}, "opencl:0", {{"f32", buffers}, {"f32", textures}});
  return list;
}
#endif

const auto case_name = [](const ::testing::TestParamInfo<Case>& info) { return name_of(info.param); };
INSTANTIATE_TEST_SUITE_P(All, ImageOracle, ::testing::ValuesIn(outputs()), case_name);
INSTANTIATE_TEST_SUITE_P(All, ImageOracleInside, ::testing::ValuesIn(inside()), case_name);

}  // namespace
}  // namespace driftwood
