// Whole sampling runs against diffusers: a tiny model with random weights in double precision (tests/data/sd/tiny), and
// a trained one in single precision (models/shapes-sd, tests/data/shapes-sd).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "diffusion/pipeline.h"
#include "diffusion/pixels.h"
#include "support/devices.h"
#include "support/oracle.h"
#include "text/clip_tokenizer.h"

namespace driftwood::diffusion {
namespace {

using test::find_case, test::read_json, test::relative_error, test::values;

const std::string data = DRIFTWOOD_TEST_DATA;
const std::string shapes_model = std::string(DRIFTWOOD_SOURCE_DIR) + "/models/shapes-sd";

const ClipTokenizer& tokenizer() {
  static const ClipTokenizer opened = ClipTokenizer::open(shapes_model + "/tokenizer");
  return opened;
}

struct Difference {
  int largest = 0;
  double share_changed = 0;  // of the bytes
  double mean = 0;
};

Difference compare(std::span<const std::uint8_t> got, std::span<const std::uint8_t> expected) {
  EXPECT_EQ(got.size(), expected.size());
  Difference result;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const int difference = std::abs(int{got[i]} - int{expected[i]});
    result.largest = std::max(result.largest, difference);
    result.share_changed += difference != 0;
    result.mean += difference;
  }
  result.share_changed /= static_cast<double>(expected.size());
  result.mean /= static_cast<double>(expected.size());
  return result;
}

/// What a run gives.
struct Sampled {
  std::vector<std::vector<float>> latents, predictions;
  std::vector<float> final, decoded;
  RgbImage image;
};

Sampled sample(gpu::Device& device, const models::ImageCheckpoint& model, const graph::GraphOptions& options,
               const nlohmann::json& run, std::vector<float> initial) {
  const double guidance = run["guidance_scale"];
  PipelineSettings settings{.width = run["width"], .height = run["height"], .batch = guidance > 1 ? 2u : 1u};
  settings.options = options;
  Pipeline pipeline(device, model, settings);
  const auto scheduler =
      make_scheduler(parse_scheduler_kind(run["scheduler"].get<std::string>()),
                     for_latents(scheduler_config(*model.scheduler_config(), "scheduler_config.json")));
  scheduler->set_timesteps(run["steps"]);
  if (run.contains("timesteps")) {
    EXPECT_EQ(std::vector<float>(scheduler->timesteps().begin(), scheduler->timesteps().end()),
              run["timesteps"].get<std::vector<float>>());
  }
  const std::vector<float> context = pipeline.encode_text(tokenizer().encode(run["prompt"].get<std::string>()).ids);
  std::vector<float> negative;
  if (guidance > 1) negative = pipeline.encode_text(tokenizer().encode(run["negative_prompt"].get<std::string>()).ids);
  for (float& value : initial) value *= static_cast<float>(scheduler->init_noise_sigma());
  Sampled result;
  DenoiseRequest request;
  request.context = context;
  request.negative = negative;
  request.guidance = guidance;
  request.scheduler = scheduler.get();
  request.latents = std::move(initial);
  request.step = [&](std::size_t, std::size_t, double, std::span<const float> latents) {
    result.latents.emplace_back(latents.begin(), latents.end());
  };
  request.prediction = [&](std::size_t, std::span<const float> prediction) {
    result.predictions.emplace_back(prediction.begin(), prediction.end());
  };
  result.final = pipeline.denoise(std::move(request));
  const std::vector<float> pixels = pipeline.decode_floats(result.final);
  result.image = to_image(pixels, settings.width, settings.height);
  result.decoded = channels_first(pixels, 3);
  return result;
}

struct Case {
  std::string run, device, precision;
  StorageKind storage = StorageKind::Buffer;
};

class TinyPipeline : public testing::TestWithParam<Case> {};

TEST_P(TinyPipeline, GivesTheReferencesLatentsAndPicture) {
  gpu::Device* device = test::device(GetParam().device);
  if (device == nullptr) GTEST_SKIP() << "there is no device " << GetParam().device;
  const std::string folder = data + "/sd/tiny";
  const auto model = models::ImageCheckpoint::open(folder);
  const auto expected = SafetensorsFile::open(folder + "/expected.safetensors");
  const nlohmann::json index = read_json(folder + "/expected.json");
  const std::string name = "pipe." + GetParam().run;
  const nlohmann::json run = find_case(index["pipelines"], name);
  graph::GraphOptions options;
  options.precision = *graph::precision_from_name(GetParam().precision);
  options.storage = GetParam().storage;
  const Sampled got = sample(*device, model, options, run, values<float>(expected, name + ".initial"));

  // Limits of tests/data/sd/README.md.
  const bool is_half = GetParam().precision == "f16";
  for (std::size_t step = 0; step < got.latents.size(); ++step) {
    const std::string of_step = fmt::format("{}.latents.{}", name, step);
    if (expected.tensors().find(of_step) == nullptr) break;
    EXPECT_LT(relative_error(got.latents[step], values<float>(expected, of_step)), is_half ? 1.5e-2 : 3e-5) << of_step;
    EXPECT_LT(
        relative_error(got.predictions[step], values<float>(expected, fmt::format("{}.prediction.{}", name, step))),
        is_half ? 3e-2 : 3e-5)
        << of_step;
  }
  EXPECT_LT(relative_error(got.final, values<float>(expected, name + ".final")), is_half ? 1.5e-2 : 3e-5);
  EXPECT_LT(relative_error(got.decoded, values<float>(expected, name + ".decoded")), is_half ? 1.5e-2 : 3e-5);
  const Difference bytes = compare(got.image.rgb, values<std::uint8_t>(expected, name + ".bytes"));
  EXPECT_LE(bytes.largest, is_half ? 3 : 1);
  EXPECT_LT(bytes.share_changed, is_half ? 1.0 : 1e-3);
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.run + "_" + info.param.device + "_" + info.param.precision;
  if (info.param.storage != StorageKind::Buffer) name += "_textures";
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

// The reference device runs the kernels of GPUs, in f16 those for matrix units.
INSTANTIATE_TEST_SUITE_P(Runs, TinyPipeline,
                         testing::Values(Case{"pndm4", "reference", "f32"}, Case{"pndm10", "reference", "f32"},
                                         Case{"pndm20", "reference", "f32"}, Case{"pndm4", "reference", "f16"},
                                         Case{"pndm4", "opencl:0", "f32"}, Case{"pndm10", "opencl:0", "f32"},
                                         Case{"pndm20", "opencl:0", "f32"}, Case{"wide", "opencl:0", "f32"},
                                         Case{"euler6", "opencl:0", "f32"}, Case{"noguide", "opencl:0", "f32"},
                                         Case{"pndm10", "opencl:0", "f16"},
                                         Case{"pndm4", "opencl:0", "f32", StorageKind::Texture2D},
                                         Case{"pndm10", "opencl:0", "f32", StorageKind::Texture2D},
                                         Case{"pndm20", "opencl:0", "f32", StorageKind::Texture2D}),
                         case_name);

/// The median of each channel within a square.
std::array<int, 3> median_rgb(const RgbImage& image, std::uint32_t x, std::uint32_t y, std::uint32_t side) {
  std::array<int, 3> result{};
  for (std::size_t c = 0; c < 3; ++c) {
    std::vector<int> channel;
    for (std::uint32_t j = y; j < y + side; ++j) {
      for (std::uint32_t i = x; i < x + side; ++i) channel.push_back(image.rgb[(j * image.width + i) * 3 + c]);
    }
    std::ranges::nth_element(channel, channel.begin() + static_cast<std::ptrdiff_t>(channel.size() / 2));
    result[c] = channel[channel.size() / 2];
  }
  return result;
}

struct ShapesCase {
  std::string run, precision;
};

class ShapesPictures : public testing::TestWithParam<ShapesCase> {};

TEST_P(ShapesPictures, AreTheReferences) {
  gpu::Device* device = test::device("opencl:0");
  if (device == nullptr) GTEST_SKIP() << "there is no device opencl:0";
  const auto model = models::ImageCheckpoint::open(shapes_model);
  const auto expected = SafetensorsFile::open(data + "/shapes-sd/expected.safetensors");
  const nlohmann::json index = read_json(data + "/shapes-sd/expected.json");
  const nlohmann::json run = find_case(index["cases"], GetParam().run);
  graph::GraphOptions options;
  options.precision = *graph::precision_from_name(GetParam().precision);
  const Sampled got = sample(*device, model, options, run, values<float>(expected, GetParam().run + ".initial"));

  const Difference bytes = compare(got.image.rgb, values<std::uint8_t>(expected, GetParam().run + ".bytes"));
  EXPECT_LT(bytes.mean, GetParam().precision == "f32" ? 0.5 : 2.0);
  const auto centre = median_rgb(got.image, got.image.width / 2 - 8, got.image.height / 2 - 8, 16);
  const auto corner = median_rgb(got.image, 0, 0, 12);
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_LE(std::abs(centre[c] - run["centre_rgb"].at(c).get<int>()), 30) << "channel " << c;
    EXPECT_LE(std::abs(corner[c] - run["corner_rgb"].at(c).get<int>()), 30) << "channel " << c;
  }
}

INSTANTIATE_TEST_SUITE_P(Runs, ShapesPictures,
                         testing::Values(ShapesCase{"0.pndm", "f32"}, ShapesCase{"0.ddim", "f32"},
                                         ShapesCase{"1.pndm", "f32"}, ShapesCase{"1.ddim", "f32"},
                                         ShapesCase{"2.pndm", "f32"}, ShapesCase{"3.pndm", "f32"},
                                         ShapesCase{"4.pndm", "f32"}, ShapesCase{"5.pndm", "f32"},
                                         ShapesCase{"0.pndm", "f16"}),
                         [](const auto& info) {
                           std::string name = info.param.run + "_" + info.param.precision;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace driftwood::diffusion
