// Stable Diffusion 1.4 at its real size with random weights (tools/make_random_sd14.py), against diffusers in single
// precision: sampled values of each component's output (tests/data/sd/sd14_expected.json). The folder is named by
// DRIFTWOOD_SD14, else models/random-sd14; the device by DRIFTWOOD_DEVICE, else it is opencl:0.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "diffusion/pipeline.h"
#include "diffusion/pixels.h"
#include "diffusion/timestep_embedding.h"
#include "models/clip_text.h"
#include "models/unet.h"
#include "models/vae.h"
#include "support/devices.h"
#include "support/oracle.h"

namespace driftwood {
namespace {

std::string variable(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

/// The stream of numbers that a name stands for, as make_random_sd14.py makes it: about normal.
std::vector<float> normals(std::string_view text, std::size_t count) {
  std::uint64_t state = 0xCBF29CE484222325U;
  for (const char c : text) state = (state ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  std::vector<float> values;
  for (std::uint64_t k = 0; k < count; ++k) {
    std::uint64_t z = state + (k + 1) * 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    z ^= z >> 31;
    double sum = 0;
    for (unsigned piece = 0; piece < 4; ++piece) sum += static_cast<double>((z >> (16 * piece)) & 0xFFFF);
    values.push_back(static_cast<float>((2 * sum - 4 * 65535) / 65536 * std::sqrt(3.0) / 2));
  }
  return values;
}

class Sd14 : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string folder = variable("DRIFTWOOD_SD14", std::string(DRIFTWOOD_SOURCE_DIR) + "/models/random-sd14");
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "there is no model " << folder;
    device_ = test::device(variable("DRIFTWOOD_DEVICE", "opencl:0"));
    if (device_ == nullptr) GTEST_SKIP() << "there is no such device";
    options_.precision = *graph::precision_from_name(GetParam());
    if (GetParam() == "f16" && device_->facts().is_cpu) GTEST_SKIP() << "a CPU would take long";
    checkpoint_.emplace(models::ImageCheckpoint::open(folder));
    type_ = diffusion::activation_type(options_.precision, device_->facts());
    expected_ = test::read_json(DRIFTWOOD_TEST_DATA "/sd/sd14_expected.json");
  }

  std::unique_ptr<graph::Program> program(graph::Graph graph, models::ImageComponent component) {
    graph::ProgramSettings settings;
    settings.options = options_;
    settings.store = std::make_shared<graph::ResourceStore>(
        *device_, [this, component](std::string_view name) { return checkpoint_->find(component, name)->bytes; });
    return std::make_unique<graph::Program>(*device_, std::move(graph), settings);
  }

  /// Relative L2 over the sampled values. `got` has the channels innermost, the reference's positions count them first.
  double error(const std::string& component, const std::vector<float>& got, std::size_t channels) {
    const nlohmann::json& output = expected_[component];
    const std::size_t positions = got.size() / channels;
    std::vector<float> sampled;
    for (const std::size_t at : output["positions"]) sampled.push_back(got[at % positions * channels + at / positions]);
    return test::relative_error(sampled, output["values"].get<std::vector<double>>());
  }

  double tolerance(double half) const { return type_ == DataType::F16 ? half : 1e-5; }

  gpu::Device* device_ = nullptr;
  graph::GraphOptions options_;
  DataType type_ = DataType::F32;
  std::optional<models::ImageCheckpoint> checkpoint_;
  nlohmann::json expected_;
};

std::vector<float> read(const graph::Program& program, std::string_view name) {
  std::vector<float> values(program.value(name).shape.elements());
  program.read_floats(name, values);
  return values;
}

TEST_P(Sd14, TextEncoder) {
  const auto text =
      program(models::clip_text_graph(*checkpoint_, {.activation_type = type_}), models::ImageComponent::TextEncoder);
  const auto ids = expected_["token_ids"].get<std::vector<std::int32_t>>();
  text->write("ids", std::as_bytes(std::span(ids)));
  text->run({.tokens = 77});
  const std::vector<float> hidden = read(*text, "hidden");
  // The reference counts tokens, then channels: as channels of which each has one position.
  EXPECT_LT(error("text_encoder", hidden, hidden.size()), tolerance(2.5e-3));
}

TEST_P(Sd14, Unet) {
  const auto unet = program(models::unet_graph(*checkpoint_, {.activation_type = type_}), models::ImageComponent::Unet);
  unet->write_floats("latent", diffusion::channels_last(normals("0/inputs/unet.latent", std::size_t{4} * 64 * 64), 4));
  unet->write_floats("context", normals("0/inputs/unet.context", std::size_t{77} * 768));
  std::vector<float> time(320);
  diffusion::embed_timestep(expected_["timestep"], time);
  unet->write_floats("time", time);
  unet->run({.tokens = 1});
  const double found = error("unet", read(*unet, "prediction"), 4);
  RecordProperty("relative_error", std::to_string(found));
  EXPECT_LT(found, tolerance(2e-3));
}

TEST_P(Sd14, VaeDecoder) {
  const auto decoder =
      program(models::vae_decoder_graph(*checkpoint_, {.activation_type = type_}), models::ImageComponent::Vae);
  std::vector<float> latent = diffusion::channels_last(normals("0/inputs/vae.latent", std::size_t{4} * 64 * 64), 4);
  for (float& value : latent) value *= 2;
  decoder->write_floats("latent", latent);
  decoder->run({.tokens = 1});
  EXPECT_LT(error("vae_decoder", read(*decoder, "image"), 3), tolerance(4e-3));
}

INSTANTIATE_TEST_SUITE_P(Precisions, Sd14, testing::Values("f32", "f16"));

}  // namespace
}  // namespace driftwood
