// Text to image: the components of a Stable Diffusion model on a device, each a compiled program.
//
//   const auto model = models::ImageCheckpoint::open(folder);
//   diffusion::Pipeline pipeline(*device, model, {.width = 512, .height = 512});
//   const std::vector<float> negative = pipeline.encode_text(negative_ids), context = pipeline.encode_text(ids);
//   const std::vector<float> latents = pipeline.denoise({.context = context, .negative = negative, ...});
//   const RgbImage image = pipeline.decode(latents);
//
// One arena serves the activations of all components, since one runs at a time. With `low_memory` a component's weights
// and program are dropped as soon as another one is needed.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diffusion/scheduler.h"
#include "formats/png.h"
#include "gpu/device.h"
#include "graph/program.h"
#include "models/image_checkpoint.h"

namespace driftwood::diffusion {

struct PipelineSettings {
  std::uint32_t width = 512, height = 512;  // of the picture: multiples of the VAE's scale (8)
  std::uint32_t batch = 2;                  // of the UNet: 2 for guidance, else 1
  graph::GraphOptions options = {};
  bool low_memory = false;  // the weights of one component at a time
  bool vae_tiling = false;  // decode in overlapping tiles
  /// Called while kernels are compiled: kernels done, kernels in all of the component.
  std::function<void(std::size_t, std::size_t)> progress = {};
};

/// Throws InvalidInput where the size is no multiple of the scale or over the limit, the batch is not 1 or 2.
void check(const PipelineSettings& settings, const VaeConfig& vae);

/// Throws InvalidInput where there are not as many ids as the text encoder takes, or one is none of its vocabulary.
void check_ids(std::span<const std::int32_t> ids, const ClipTextConfig& encoder);

/// The graphs' element type for a precision on a device: f16 on GPUs unless f32 is asked for.
DataType activation_type(graph::Precision precision, const gpu::DeviceFacts& facts);

/// A sampling run. Encodings are 77 x context channels, token by token.
struct DenoiseRequest {
  std::span<const float> context = {};   // of the prompt
  std::span<const float> negative = {};  // of the negative prompt; read where the batch is 2
  double guidance = 7.5;                 // prediction = negative + guidance * (positive - negative)
  Scheduler* scheduler = nullptr;        // with its timesteps set
  /// [channel][row][column], the scheduler's start already in them: noise times init_noise_sigma(), or a picture's
  /// latents with noise added.
  std::vector<float> latents = {};
  std::uint64_t seed = 0;  // of what the scheduler draws
  /// After each call of the UNet: calls done, calls in all, its milliseconds, latents.
  std::function<void(std::size_t, std::size_t, double, std::span<const float>)> step = {};
  /// The prediction after guidance of each call, for tests.
  std::function<void(std::size_t, std::span<const float>)> prediction = {};
};

class Pipeline {
 public:
  /// Makes the programs (with low_memory none, though all graphs are checked against the checkpoint). `device` and
  /// `checkpoint` must outlive the pipeline.
  Pipeline(gpu::Device& device, const models::ImageCheckpoint& checkpoint, PipelineSettings settings);
  ~Pipeline();

  std::uint32_t latent_height() const { return settings_.height / checkpoint_.vae_config().scale(); }
  std::uint32_t latent_width() const { return settings_.width / checkpoint_.vae_config().scale(); }
  std::size_t latent_size() const;

  /// Final hidden states of a prompt's ids (ClipTokenizer::encode), 77 x channels.
  std::vector<float> encode_text(std::span<const std::int32_t> ids);
  /// Latents after the last step. Throws Unsupported, naming the step and the operation, where they are not finite.
  std::vector<float> denoise(DenoiseRequest request);
  /// The picture of latents. Throws Unsupported, naming the operation, where it is not finite.
  RgbImage decode(std::span<const float> latents);
  /// The VAE's picture before it becomes bytes: [row][column][3], about -1 to 1.
  std::vector<float> decode_floats(std::span<const float> latents);
  /// Latents of a picture of the pipeline's size, scaled for the UNet: a sample of the encoder's distribution, drawn
  /// with stream `picture_stream` of the seed.
  std::vector<float> encode(const RgbImage& image, std::uint64_t seed);

  struct ComponentMemory {
    std::string_view name;  // "text encoder", "unet", "vae decoder"
    graph::MemoryReport report;
  };
  /// Of the components that are loaded.
  std::vector<ComponentMemory> memory() const;
  /// The programs that are loaded, by component name, for profiles.
  std::vector<std::pair<std::string_view, graph::Program*>> programs() const;

 private:
  enum Component : std::uint8_t { Text, Unet, Decoder, Encoder, component_count };
  struct Loaded;

  graph::Program& load(Component component);
  graph::Graph graph_of(Component component) const;
  graph::ProgramSettings program_settings(Component component);
  [[noreturn]] void report_non_finite(Component component, const std::string& when,
                                      const std::function<void(graph::Program&)>& write_inputs);
  std::vector<float> decode_tile(std::span<const float> latents, std::uint32_t y, std::uint32_t x);

  gpu::Device& device_;
  const models::ImageCheckpoint& checkpoint_;
  PipelineSettings settings_;
  std::shared_ptr<graph::KernelCache> kernels_;
  std::shared_ptr<graph::SharedArena> arena_;
  std::array<std::unique_ptr<Loaded>, component_count> loaded_;
};

/// Streams of a seed's noise (NoiseSource): the first latents, the encoder's sample, and from there on what the
/// scheduler draws in each call.
inline constexpr std::uint64_t latent_stream = 0, picture_stream = 1, first_step_stream = 2;

/// The graph of a component by name ("text encoder", "unet", "vae decoder", "vae encoder") as the pipeline would run it
/// on a device. Throws InvalidInput for another name, listing these.
graph::Graph component_graph(const models::ImageCheckpoint& checkpoint, const PipelineSettings& settings,
                             const gpu::DeviceFacts& facts, std::string_view name);

/// The memory of each component without a device: graphs lowered and planned for its facts.
std::vector<Pipeline::ComponentMemory> plan_memory(const models::ImageCheckpoint& checkpoint,
                                                   const PipelineSettings& settings, const gpu::DeviceFacts& facts);

}  // namespace driftwood::diffusion
