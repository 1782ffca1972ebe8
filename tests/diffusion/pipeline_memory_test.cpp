// What a pipeline holds, and when it looks at what it is given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "base/error.h"
#include "diffusion/pipeline.h"
#include "formats/temporary_folder.h"
#include "support/devices.h"

namespace driftwood::diffusion {
namespace {

const std::filesystem::path tiny = std::filesystem::path(DRIFTWOOD_TEST_DATA) / "sd/tiny";

constexpr std::uint32_t side = 16;

PipelineSettings small(bool low_memory) {
  return {.width = side, .height = side, .batch = 1, .low_memory = low_memory};
}

/// The phases of a picture, each of which uses one component.
struct Phase {
  const char* component;
  std::function<void(Pipeline&)> run;
};

std::vector<Phase> phases(const models::ImageCheckpoint& model) {
  const std::size_t tokens = model.text_config().max_tokens, channels = model.text_config().hidden;
  return {
      {"text encoder", [=](Pipeline& pipeline) { pipeline.encode_text(std::vector<std::int32_t>(tokens, 1)); }},
      {"unet",
       [=](Pipeline& pipeline) {
         const auto scheduler = make_scheduler(SchedulerKind::Ddim, {});
         scheduler->set_timesteps(1);
         const std::vector<float> context(tokens * channels, 0.5F);
         DenoiseRequest request;
         request.context = context;
         request.scheduler = scheduler.get();
         request.latents.assign(pipeline.latent_size(), 0.5F);
         pipeline.denoise(std::move(request));
       }},
      {"vae decoder", [](Pipeline& pipeline) { pipeline.decode(std::vector<float>(pipeline.latent_size(), 0.1F)); }},
      {"vae encoder", [](Pipeline& pipeline) {
         pipeline.encode({.width = side, .height = side, .rgb = std::vector<std::uint8_t>(3 * side * side, 99)}, 1);
       }}};
}

TEST(PipelineMemory, LowMemoryHoldsOneComponentAtATime) {
  const auto model = models::ImageCheckpoint::open(tiny);
  const auto device = gpu::make_reference_device();
  Pipeline pipeline(*device, model, small(true));
  EXPECT_EQ(device->allocated_bytes(), 0u);
  for (const Phase& phase : phases(model)) {
    phase.run(pipeline);
    const auto memory = pipeline.memory();
    ASSERT_EQ(memory.size(), 1u);
    EXPECT_EQ(memory[0].name, phase.component);
    // All that the device holds is that component's; 16 bytes are a program's parameters.
    EXPECT_LE(device->allocated_bytes(), memory[0].report.planned_total() + 16) << phase.component;
    EXPECT_GE(device->allocated_bytes(), memory[0].report.weights) << phase.component;
  }
}

TEST(PipelineMemory, AllComponentsAreHeldOtherwiseAndNoneAfterIt) {
  const auto model = models::ImageCheckpoint::open(tiny);
  const auto device = gpu::make_reference_device();
  {
    Pipeline pipeline(*device, model, small(false));
    std::uint64_t weights = 0;
    for (const auto& [name, report] : pipeline.memory()) weights += report.weights;
    EXPECT_EQ(pipeline.memory().size(), 3u);
    EXPECT_GT(device->allocated_bytes(), weights);
  }
  EXPECT_EQ(device->allocated_bytes(), 0u);
}

TEST(PipelineMemory, AWrongTensorIsFoundBeforeAnythingIsPrepared) {
  // The text encoder is prepared last: one of its tensors is given another name of the same length.
  testing::TemporaryFolder folder;
  const std::filesystem::path copy = folder.path() / "model";
  std::filesystem::copy(tiny, copy, std::filesystem::copy_options::recursive);
  const std::filesystem::path weights = copy / "text_encoder/model.safetensors";
  std::ifstream stream(weights, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  const std::string name = "text_model.final_layer_norm.bias";
  ASSERT_NE(bytes.find(name), std::string::npos);
  bytes[bytes.find(name) + name.size() - 1] = 'X';
  std::filesystem::remove(weights);
  folder.write("model/text_encoder/model.safetensors", bytes);

  const auto model = models::ImageCheckpoint::open(copy);
  const auto device = gpu::make_reference_device();
  for (const bool low_memory : {false, true}) {
    PipelineSettings settings = small(low_memory);
    settings.progress = [](std::size_t, std::size_t) { ADD_FAILURE() << "A kernel is compiled."; };
    try {
      Pipeline pipeline(*device, model, settings);
      ADD_FAILURE() << "no error";
    } catch (const InvalidInput& error) {
      EXPECT_THAT(error.message(), ::testing::HasSubstr("'" + name + "' of the text encoder is missing"));
    }
    EXPECT_EQ(device->allocated_bytes(), 0u);
  }
}

TEST(PipelineMemory, APictureThatTheDeviceCannotHoldIsOutOfMemory) {
  const auto model = models::ImageCheckpoint::open(tiny);
  const auto device = gpu::make_reference_device({.global_memory = 64 << 20});
  const PipelineSettings settings{.width = 4096, .height = 4096};
  EXPECT_THROW(Pipeline(*device, model, settings), OutOfMemory);
  EXPECT_EQ(device->allocated_bytes(), 0u);
}

}  // namespace
}  // namespace driftwood::diffusion
