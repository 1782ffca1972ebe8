// Whole models on devices that are made as small as each profile of tests/data/limits, with the kernels of GPUs:
// SmolLM2's greedy tokens are the oracle's, shapes-sd's picture that of the device as it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "diffusion/pipeline.h"
#include "diffusion/scheduler.h"
#include "llm/real_model.h"
#include "support/limited_devices.h"
#include "support/oracle.h"
#include "text/clip_tokenizer.h"

namespace driftwood {
namespace {

const std::string models_folder = std::string(DRIFTWOOD_SOURCE_DIR) + "/models/";

class LimitedDeviceRun : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    device_ = test::limited_device("opencl:0/" + GetParam());
    if (device_ == nullptr) GTEST_SKIP() << "this machine has no OpenCL device";
  }
  gpu::Device* device_ = nullptr;
};

TEST_P(LimitedDeviceRun, SmolLm2SaysTheSame) {
  const std::string file = models_folder + "SmolLM2-135M-Instruct.Q4_1.gguf";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "there is no " << file;
  nlohmann::json prompts = llm::real_oracle("smollm2-135m", "generate");
  prompts.erase(prompts.begin() + 1, prompts.end());
  const auto checkpoint = models::Checkpoint::open(file);
  graph::GraphOptions options;
  options.precision = graph::Precision::F32;
  llm::Session session(*device_, checkpoint, {.context = 512, .options = options});
  llm::expect_greedy(session, prompts);
}

std::vector<float> picture(gpu::Device& device, const models::ImageCheckpoint& model) {
  const ClipTokenizer tokenizer = ClipTokenizer::open(models_folder + "shapes-sd/tokenizer");
  diffusion::PipelineSettings settings{.width = 128, .height = 128};
  settings.options.precision = graph::Precision::F32;
  diffusion::Pipeline pipeline(device, model, settings);
  const auto scheduler = diffusion::make_scheduler(
      diffusion::parse_scheduler_kind("ddim"),
      diffusion::for_latents(diffusion::scheduler_config(*model.scheduler_config(), "scheduler_config.json")));
  scheduler->set_timesteps(2);
  const std::vector<float> context = pipeline.encode_text(tokenizer.encode("a red circle on a blue background").ids);
  const std::vector<float> negative = pipeline.encode_text(tokenizer.encode("").ids);
  std::vector<float> latents(std::size_t{4} * pipeline.latent_height() * pipeline.latent_width());
  for (std::size_t i = 0; i < latents.size(); ++i) latents[i] = std::sin(static_cast<float>(i * i % 1009));
  diffusion::DenoiseRequest request;
  request.context = context;
  request.negative = negative;
  request.guidance = 3;
  request.scheduler = scheduler.get();
  request.latents = std::move(latents);
  return pipeline.decode_floats(pipeline.denoise(std::move(request)));
}

TEST_P(LimitedDeviceRun, ShapesGiveTheSamePicture) {
  if (!std::filesystem::exists(models_folder + "shapes-sd/unet")) GTEST_SKIP() << "there is no models/shapes-sd";
  const auto model = models::ImageCheckpoint::open(models_folder + "shapes-sd");
  static const std::vector<float> expected = picture(*test::device("opencl:0"), model);
  EXPECT_LT(test::relative_error(picture(*device_, model), expected), 1e-3);
}

INSTANTIATE_TEST_SUITE_P(All, LimitedDeviceRun, ::testing::ValuesIn(test::profiles()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace driftwood
