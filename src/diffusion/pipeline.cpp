#include "diffusion/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/finite.h"
#include "base/stopwatch.h"
#include "diffusion/noise.h"
#include "diffusion/pixels.h"
#include "diffusion/timestep_embedding.h"
#include "diffusion/vae_tiling.h"
#include "graph/diagnosis.h"
#include "kernels/source.h"
#include "models/clip_text.h"
#include "models/unet.h"
#include "models/vae.h"

namespace driftwood::diffusion {
namespace {

constexpr std::uint32_t largest_side = 8192;
constexpr VaeTiling tiling = {};

constexpr std::string_view component_names[] = {"text encoder", "unet", "vae decoder", "vae encoder"};

graph::WeightsProvider weights_of(const models::ImageCheckpoint& checkpoint, models::ImageComponent component) {
  // The previous tensor has been packed and uploaded when the next one is asked for; its pages of the file need not
  // stay in memory beside the device's copy.
  return [&checkpoint, component, previous = static_cast<const StoredTensor*>(nullptr)](std::string_view name) mutable {
    if (previous != nullptr) checkpoint.release(*previous);
    previous = checkpoint.find(component, name);
    if (previous == nullptr) throw InternalError(fmt::format("The checkpoint has no tensor '{}'.", name));
    return previous->bytes;
  };
}

graph::Graph make_graph(const models::ImageCheckpoint& checkpoint, const PipelineSettings& settings, DataType type,
                        std::size_t component) {
  const std::uint32_t scale = checkpoint.vae_config().scale();
  const std::uint32_t height = settings.height / scale, width = settings.width / scale;
  switch (component) {
    case 0: return models::clip_text_graph(checkpoint, {.activation_type = type});
    case 1:
      return models::unet_graph(checkpoint, {.batch = settings.batch,
                                             .height = height,
                                             .width = width,
                                             .context_tokens = checkpoint.text_config().max_tokens,
                                             .activation_type = type});
    case 2:
      return models::vae_decoder_graph(checkpoint,
                                       {.height = settings.vae_tiling ? std::min(height, tiling.tile) : height,
                                        .width = settings.vae_tiling ? std::min(width, tiling.tile) : width,
                                        .activation_type = type});
    default:
      return models::vae_encoder_graph(checkpoint,
                                       {.height = settings.height, .width = settings.width, .activation_type = type});
  }
}

}  // namespace

void check(const PipelineSettings& settings, const VaeConfig& vae) {
  for (const auto& [name, side] : {std::pair{"width", settings.width}, std::pair{"height", settings.height}}) {
    if (side == 0 || side % vae.scale() != 0) {
      throw InvalidInput(fmt::format("The {} of {} pixels is no multiple of {}.", name, side, vae.scale()));
    }
    if (side > largest_side) {
      throw InvalidInput(fmt::format("The {} of {} pixels is over the limit of {}.", name, side, largest_side));
    }
  }
  if (settings.batch != 1 && settings.batch != 2) {
    throw InvalidInput(fmt::format("A batch of {} is asked for; guidance takes 2 and no guidance 1.", settings.batch));
  }
}

void check_ids(std::span<const std::int32_t> ids, const ClipTextConfig& encoder) {
  if (ids.size() != encoder.max_tokens) {
    throw InvalidInput(fmt::format("{} ids are given; the text encoder takes {}.", ids.size(), encoder.max_tokens));
  }
  for (const std::int32_t id : ids) {
    if (id >= 0 && static_cast<std::uint32_t>(id) < encoder.vocabulary) continue;
    throw InvalidInput(fmt::format("The token id {} is not within 0 and {}, the text encoder's vocabulary.", id,
                                   encoder.vocabulary - 1));
  }
}

DataType activation_type(graph::Precision precision, const gpu::DeviceFacts& facts) {
  const bool is_half = precision == graph::Precision::F16 || (precision == graph::Precision::Auto && !facts.is_cpu);
  return is_half ? DataType::F16 : DataType::F32;
}

struct Pipeline::Loaded {
  std::shared_ptr<graph::ResourceStore> store;
  std::unique_ptr<graph::Program> program;
};

Pipeline::Pipeline(gpu::Device& device, const models::ImageCheckpoint& checkpoint, PipelineSettings settings)
    : device_(device),
      checkpoint_(checkpoint),
      settings_(std::move(settings)),
      kernels_(std::make_shared<graph::KernelCache>(device, kernels::source)),
      arena_(std::make_shared<graph::SharedArena>(device)) {
  check(settings_, checkpoint.vae_config());
  // A tensor that a component lacks is found here, before another component's kernels are compiled.
  for (const Component component : {Text, Unet, Decoder}) graph_of(component);
  if (settings_.low_memory) return;
  // The largest arena first, which the others then share.
  load(Decoder);
  load(Unet);
  load(Text);
}

Pipeline::~Pipeline() = default;

std::size_t Pipeline::latent_size() const {
  return std::size_t{checkpoint_.vae_config().latent_channels} * latent_height() * latent_width();
}

graph::Graph Pipeline::graph_of(Component component) const {
  return make_graph(checkpoint_, settings_, activation_type(settings_.options.precision, device_.facts()), component);
}

graph::ProgramSettings Pipeline::program_settings(Component component) {
  graph::ProgramSettings settings;
  settings.options = settings_.options;
  settings.store = loaded_[component]->store;
  settings.kernels = kernels_;
  settings.arena = arena_;
  settings.progress = settings_.progress;
  return settings;
}

graph::Program& Pipeline::load(Component component) {
  if (loaded_[component]) return *loaded_[component]->program;
  if (settings_.low_memory) {
    device_.finish();
    for (auto& other : loaded_) other.reset();
    arena_ = std::make_shared<graph::SharedArena>(device_);
  }
  static constexpr models::ImageComponent files[] = {models::ImageComponent::TextEncoder, models::ImageComponent::Unet,
                                                     models::ImageComponent::Vae, models::ImageComponent::Vae};
  auto loaded = std::make_unique<Loaded>();
  loaded->store = std::make_shared<graph::ResourceStore>(device_, weights_of(checkpoint_, files[component]));
  loaded_[component] = std::move(loaded);
  try {
    loaded_[component]->program =
        std::make_unique<graph::Program>(device_, graph_of(component), program_settings(component));
  } catch (Error& error) {
    loaded_[component].reset();
    error.add_context(fmt::format("While preparing the {}.", component_names[component]));
    throw;
  }
  return *loaded_[component]->program;
}

void Pipeline::report_non_finite(Component component, const std::string& when,
                                 const std::function<void(graph::Program&)>& write_inputs) {
  std::string where;
  try {
    graph::Program& program = load(component);
    const auto found = graph::first_non_finite(device_, graph_of(component), program_settings(component), write_inputs,
                                               {.tokens = program.max_tokens()});
    where = found ? fmt::format(": {}", *found) : ", though a second run with the same input is finite";
  } catch (const OutOfMemory&) {
    where = "; there is no memory left to find the operation";
  }
  throw Unsupported(
      fmt::format("{} of the {} is not finite{}. Try --precision f32.", when, component_names[component], where));
}

std::vector<float> Pipeline::encode_text(std::span<const std::int32_t> ids) {
  const auto write = [&](graph::Program& program) { program.write("ids", std::as_bytes(ids)); };
  check_ids(ids, checkpoint_.text_config());
  graph::Program& program = load(Text);
  write(program);
  program.run({.tokens = program.max_tokens()});
  std::vector<float> hidden(program.value("hidden").shape.elements());
  program.read_floats("hidden", hidden);
  if (!all_finite(hidden)) report_non_finite(Text, "The encoding of the prompt", write);
  return hidden;
}

std::vector<float> Pipeline::denoise(DenoiseRequest request) {
  graph::Program& unet = load(Unet);
  Scheduler& scheduler = *request.scheduler;
  const std::size_t size = latent_size(), batch = settings_.batch;
  std::vector<float> context;
  if (batch == 2) context.assign(request.negative.begin(), request.negative.end());
  context.insert(context.end(), request.context.begin(), request.context.end());
  if (request.latents.size() != size || context.size() != unet.value("context").shape.elements()) {
    throw InvalidInput(fmt::format("{} latents and {} values of text are given; this pipeline takes {} and {}.",
                                   request.latents.size(), context.size(), size,
                                   unet.value("context").shape.elements()));
  }
  if (!std::isfinite(request.guidance)) {
    throw InvalidInput(fmt::format("The guidance is {}; it must be finite.", request.guidance));
  }
  unet.write_floats("context", context);
  const UnetConfig& config = checkpoint_.unet_config();
  std::vector<float> latents = std::move(request.latents), input, noise(size), prediction(size);
  std::vector<float> time(config.time_channels()), both(batch * size), predictions(batch * size);
  const std::size_t calls = scheduler.timesteps().size();
  for (std::size_t call = 0; call < calls; ++call) {
    const Stopwatch watch;
    input = latents;
    scheduler.scale_model_input(input, call);
    embed_timestep(scheduler.timesteps()[call], time,
                   {.flip_sin_to_cos = config.flip_sin_to_cos, .freq_shift = static_cast<float>(config.freq_shift)});
    const std::vector<float> pixels = channels_last(input, config.in_channels);
    for (std::size_t b = 0; b < batch; ++b)
      std::ranges::copy(pixels, both.begin() + static_cast<std::ptrdiff_t>(b * size));
    const auto write = [&](graph::Program& program) {
      program.write_floats("latent", both);
      program.write_floats("time", time);
      program.write_floats("context", context);
    };
    unet.write_floats("latent", both);
    unet.write_floats("time", time);
    unet.run({.tokens = 1});
    unet.read_floats("prediction", predictions);
    if (!all_finite(predictions)) {
      report_non_finite(Unet, fmt::format("At step {} of {} the prediction", call + 1, calls), write);
    }
    // Batch order: negative, positive.
    const std::span<const float> last = std::span(predictions).last(size);
    prediction.assign(last.begin(), last.end());
    if (batch == 2) {
      const auto scale = static_cast<float>(request.guidance);
      for (std::size_t i = 0; i < size; ++i) {
        prediction[i] = predictions[i] + scale * (predictions[size + i] - predictions[i]);
      }
    }
    prediction = channels_first(prediction, config.out_channels);
    if (request.prediction) request.prediction(call, prediction);
    if (scheduler.draws_noise(call)) NoiseSource(request.seed, first_step_stream + call).fill(noise);
    scheduler.step(call, prediction, latents, noise);
    if (!all_finite(latents)) {
      throw Unsupported(
          fmt::format("At step {} of {} the scheduler gives latents that are not finite.", call + 1, calls));
    }
    if (request.step) request.step(call + 1, calls, watch.milliseconds(), latents);
  }
  return latents;
}

std::vector<float> Pipeline::decode_tile(std::span<const float> latents, std::uint32_t y, std::uint32_t x) {
  graph::Program& decoder = load(Decoder);
  const Shape& tile = decoder.value("latent").shape;
  const std::uint32_t channels = tile.c, height = latent_height(), width = latent_width();
  std::vector<float> input;
  input.reserve(tile.elements());
  for (std::uint32_t row = y; row < y + tile.h; ++row) {
    for (std::uint32_t column = x; column < x + tile.w; ++column) {
      for (std::uint32_t c = 0; c < channels; ++c) {
        input.push_back(latents[(std::size_t{c} * height + row) * width + column]);
      }
    }
  }
  const auto write = [&](graph::Program& program) { program.write_floats("latent", input); };
  write(decoder);
  decoder.run({.tokens = 1});
  std::vector<float> pixels(decoder.value("image").shape.elements());
  decoder.read_floats("image", pixels);
  if (!all_finite(pixels)) report_non_finite(Decoder, "The picture", write);
  return pixels;
}

std::vector<float> Pipeline::decode_floats(std::span<const float> latents) {
  if (latents.size() != latent_size()) {
    throw InvalidInput(fmt::format("{} latents are given; this pipeline takes {}.", latents.size(), latent_size()));
  }
  std::vector<float> scaled(latents.begin(), latents.end());
  const auto factor = static_cast<float>(checkpoint_.vae_config().scaling_factor);
  for (float& value : scaled) value /= factor;
  if (!settings_.vae_tiling) return decode_tile(scaled, 0, 0);
  const std::uint32_t scale = checkpoint_.vae_config().scale();
  const auto rows = tile_starts(latent_height(), tiling), columns = tile_starts(latent_width(), tiling);
  const auto row_weights = tile_weights(latent_height(), scale, tiling);
  const auto column_weights = tile_weights(latent_width(), scale, tiling);
  std::vector<float> picture(std::size_t{3} * settings_.width * settings_.height, 0.0F);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const std::vector<float> tile = decode_tile(scaled, rows[i], columns[j]);
      const std::size_t height = row_weights[i].size(), width = column_weights[j].size();
      for (std::size_t y = 0; y < height; ++y) {
        for (std::size_t x = 0; x < width; ++x) {
          const float weight = row_weights[i][y] * column_weights[j][x];
          const std::size_t to =
              ((std::size_t{rows[i]} * scale + y) * settings_.width + std::size_t{columns[j]} * scale + x) * 3;
          for (std::size_t c = 0; c < 3; ++c) picture[to + c] += weight * tile[(y * width + x) * 3 + c];
        }
      }
    }
  }
  return picture;
}

RgbImage Pipeline::decode(std::span<const float> latents) {
  return to_image(decode_floats(latents), settings_.width, settings_.height);
}

std::vector<float> Pipeline::encode(const RgbImage& image, std::uint64_t seed) {
  if (image.width != settings_.width || image.height != settings_.height) {
    throw InvalidInput(fmt::format("The picture has {} x {} pixels; this pipeline takes {} x {}.", image.width,
                                   image.height, settings_.width, settings_.height));
  }
  const std::vector<float> pixels = from_image(image);
  const auto write = [&](graph::Program& program) { program.write_floats("image", pixels); };
  graph::Program& encoder = load(Encoder);
  write(encoder);
  encoder.run({.tokens = 1});
  const std::uint32_t channels = checkpoint_.vae_config().latent_channels;
  std::vector<float> mean(latent_size()), deviation(latent_size()), noise(latent_size());
  encoder.read_floats("mean", mean);
  encoder.read_floats("logvar", deviation);
  if (!all_finite(mean) || !all_finite(deviation)) report_non_finite(Encoder, "The picture's encoding", write);
  mean = channels_first(mean, channels);
  deviation = channels_first(deviation, channels);
  NoiseSource(seed, picture_stream).fill(noise);
  const double factor = checkpoint_.vae_config().scaling_factor;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    mean[i] = static_cast<float>(factor * (mean[i] + std::exp(0.5 * double{deviation[i]}) * noise[i]));
  }
  return mean;
}

std::vector<Pipeline::ComponentMemory> Pipeline::memory() const {
  std::vector<ComponentMemory> components;
  for (std::size_t i = 0; i < component_count; ++i) {
    if (loaded_[i]) components.push_back({component_names[i], loaded_[i]->program->memory()});
  }
  return components;
}

std::vector<std::pair<std::string_view, graph::Program*>> Pipeline::programs() const {
  std::vector<std::pair<std::string_view, graph::Program*>> programs;
  for (std::size_t i = 0; i < component_count; ++i) {
    if (loaded_[i]) programs.emplace_back(component_names[i], loaded_[i]->program.get());
  }
  return programs;
}

graph::Graph component_graph(const models::ImageCheckpoint& checkpoint, const PipelineSettings& settings,
                             const gpu::DeviceFacts& facts, std::string_view name) {
  const auto* const found = std::ranges::find(component_names, name);
  if (found == std::end(component_names)) {
    throw InvalidInput(
        fmt::format("There is no component '{}'; there are '{}'.", name, fmt::join(component_names, "', '")));
  }
  check(settings, checkpoint.vae_config());
  return make_graph(checkpoint, settings, activation_type(settings.options.precision, facts),
                    static_cast<std::size_t>(found - std::begin(component_names)));
}

std::vector<Pipeline::ComponentMemory> plan_memory(const models::ImageCheckpoint& checkpoint,
                                                   const PipelineSettings& settings, const gpu::DeviceFacts& facts) {
  check(settings, checkpoint.vae_config());
  const DataType type = activation_type(settings.options.precision, facts);
  std::vector<Pipeline::ComponentMemory> components;
  for (std::size_t i = 0; i < 3; ++i) {
    components.push_back(
        {component_names[i], graph::lower(make_graph(checkpoint, settings, type, i), facts, settings.options).memory});
  }
  return components;
}

}  // namespace driftwood::diffusion
