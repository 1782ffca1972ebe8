#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/error.h"
#include "base/log.h"
#include "base/stopwatch.h"
#include "cli/bench_output.h"
#include "cli/command.h"
#include "cli/image_files.h"
#include "cli/image_options.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "diffusion/noise.h"
#include "diffusion/pipeline.h"
#include "diffusion/pixels.h"
#include "text/utf8.h"

namespace driftwood::cli {
namespace {

struct ImageArguments {
  std::string model, prompt, negative, output;
  std::uint32_t steps = 20, count = 1;
  double guidance = 7.5, strength = 0.75;
  std::string scheduler;
  std::optional<std::uint64_t> seed;
  std::optional<std::string> size, latents, save_latents, init_image, tokenizer;
  bool json = false;
  RunOptions run;
  ImageOptions image;
};

/// One picture: what is known before, and what is measured.
struct Picture {
  std::filesystem::path file;
  std::uint64_t seed = 0;
  std::vector<float> latents = {};
  std::vector<double> step_ms = {};
  double decode_ms = 0;

  nlohmann::json timings(double text_ms) const {
    double total = text_ms + decode_ms;
    for (const double ms : step_ms) total += ms;
    return {{"text_ms", text_ms}, {"step_ms", step_ms}, {"decode_ms", decode_ms}, {"total_ms", total}};
  }
};

/// A text from a user or a file, fit for a terminal: without control characters, and cut where it is long.
std::string shown(std::string_view text) {
  constexpr std::size_t most = 300;
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const utf8::Character character = utf8::decode(text, at);
    if (at + character.length > most) {
      result += "...";
      break;
    }
    const bool is_control = character.code < 0x20 || (character.code >= 0x7F && character.code < 0xA0);
    utf8::append(result, is_control ? U' ' : character.code);
    at += character.length;
  }
  return '"' + result + '"';
}

void check_arguments(const ImageArguments& arguments) {
  if (!std::isfinite(arguments.guidance) || arguments.guidance < 0 || arguments.guidance > 1000) {
    throw InvalidInput(fmt::format("The guidance is {}; it must lie within 0 and 1000.", arguments.guidance));
  }
  if (!(arguments.strength > 0 && arguments.strength <= 1)) {
    throw InvalidInput(fmt::format("The strength is {}; it must be over 0 and at most 1.", arguments.strength));
  }
  if (arguments.latents && (arguments.init_image || arguments.count > 1)) {
    throw CLI::ValidationError("image", "--latents starts one picture and excludes --init-image and --count");
  }
  for (std::uint32_t i = 0; i < arguments.count; ++i) check_writable(numbered(arguments.output, i, arguments.count));
  if (!arguments.save_latents) return;
  check_writable(*arguments.save_latents);
  if (std::filesystem::path(*arguments.save_latents).lexically_normal() ==
      std::filesystem::path(arguments.output).lexically_normal()) {
    throw CLI::ValidationError("image", "--save-latents and --output are the same file");
  }
}

std::vector<std::int32_t> prompt_ids(const ClipTokenizer& tokenizer, const std::string& text,
                                     const ClipTextConfig& encoder, std::string_view what) {
  const ClipEncoding encoding = tokenizer.encode(text, encoder.max_tokens);
  diffusion::check_ids(encoding.ids, encoder);
  if (encoding.dropped_tokens > 0) {
    log(LogLevel::Warning,
        fmt::format("the {} has {} tokens, {} more than fit; dropped: {}", what,
                    encoding.tokens - 2 + encoding.dropped_tokens, encoding.dropped_tokens, shown(encoding.dropped)));
  }
  return encoding.ids;
}

/// The text that image programs look for under the key "parameters".
std::string parameters_text(const ImageArguments& arguments, const Picture& picture, std::string_view scheduler,
                            const diffusion::PipelineSettings& settings, const std::string& model) {
  std::string text = arguments.prompt;
  if (settings.batch == 2 && !arguments.negative.empty()) text += "\nNegative prompt: " + arguments.negative;
  text += fmt::format("\nSteps: {}, Sampler: {}, CFG scale: {}, Seed: {}, Size: {}x{}, Model: {}", arguments.steps,
                      scheduler, arguments.guidance, picture.seed, settings.width, settings.height, model);
  if (arguments.init_image) text += fmt::format(", Denoising strength: {}", arguments.strength);
  return text + ", Version: driftwood " DRIFTWOOD_VERSION;
}

class Run {
 public:
  explicit Run(const ImageArguments& arguments)
      : arguments_(arguments), checkpoint_(models::ImageCheckpoint::open(arguments.model)) {
    if (arguments.latents) start_ = read_latents(*arguments.latents);
    if (arguments.init_image) init_image_ = read_image(*arguments.init_image);
    choose_size();
    settings_.batch = arguments.guidance > 1 ? 2 : 1;
    settings_.options = arguments.run.image_graph_options();
    arguments.image.apply(settings_);
    scheduler_name_ = arguments.scheduler;
    scheduler_ = open_scheduler(checkpoint_, scheduler_name_);
    // As many of the steps as the strength says, the last ones.
    if (init_image_) first_step_ = arguments.steps - static_cast<std::uint32_t>(arguments.steps * arguments.strength);
    if (first_step_ == arguments.steps) {
      throw InvalidInput(fmt::format("A strength of {} leaves none of the {} steps; at least {} are needed for it.",
                                     arguments.strength, arguments.steps, std::ceil(1 / arguments.strength)));
    }
    scheduler_->set_timesteps(arguments.steps, first_step_);
    const ClipTokenizer tokenizer = open_clip_tokenizer(checkpoint_, arguments.tokenizer);
    const ClipTextConfig& encoder = checkpoint_.text_config();
    ids_ = prompt_ids(tokenizer, arguments.prompt, encoder, "prompt");
    if (settings_.batch == 2) negative_ids_ = prompt_ids(tokenizer, arguments.negative, encoder, "negative prompt");
    const std::uint64_t seed = arguments.seed ? *arguments.seed : std::random_device()();
    if (!arguments.seed) log(LogLevel::Info, fmt::format("seed {}", seed));
    for (std::uint32_t i = 0; i < arguments.count; ++i) {
      pictures_.push_back({.file = numbered(arguments.output, i, arguments.count), .seed = seed + i});
    }
  }

  void run() {
    const auto device = open_device(arguments_.run, selftest::Scope::Images);
    settings_.options.choices = arguments_.run.choices(device->facts());
    const auto compiling = std::make_shared<ProgressLine>("preparing kernels");
    settings_.progress = [compiling](std::size_t done, std::size_t all) { compiling->update(done, all); };
    diffusion::Pipeline pipeline(*device, checkpoint_, settings_);
    if (init_image_) {
      for (const Picture& picture : pictures_) encoded_.push_back(pipeline.encode(*init_image_, picture.seed));
    }
    const Stopwatch watch;
    context_ = pipeline.encode_text(ids_);
    if (settings_.batch == 2) negative_ = pipeline.encode_text(negative_ids_);
    text_ms_ = watch.milliseconds();
    // With the weights of one component at a time, a component is loaded once for all pictures.
    if (settings_.low_memory) {
      for (std::size_t i = 0; i < pictures_.size(); ++i) sample(pipeline, i);
      for (Picture& picture : pictures_) finish(pipeline, picture);
    } else {
      for (std::size_t i = 0; i < pictures_.size(); ++i) {
        sample(pipeline, i);
        finish(pipeline, pictures_[i]);
      }
    }
    if (arguments_.json) print_result(device->facts().id);
  }

 private:
  void choose_size() {
    const std::uint32_t scale = checkpoint_.vae_config().scale();
    settings_.width = settings_.height = checkpoint_.unet_config().sample_size * scale;
    if (init_image_) {
      settings_.width = std::max(init_image_->width / scale, 1u) * scale;
      settings_.height = std::max(init_image_->height / scale, 1u) * scale;
    }
    if (arguments_.latents) {
      settings_.width = start_.width * scale;
      settings_.height = start_.height * scale;
    }
    if (arguments_.size) {
      const auto [width, height] = parse_size(*arguments_.size);
      if (arguments_.latents && (width != settings_.width || height != settings_.height)) {
        throw InvalidInput(fmt::format("The size is {}x{}, but the latents of '{}' are {}x{} and give {}x{}.", width,
                                       height, *arguments_.latents, start_.width, start_.height, settings_.width,
                                       settings_.height));
      }
      settings_.width = width;
      settings_.height = height;
    }
    check_latents();
    diffusion::check(settings_, checkpoint_.vae_config());
    if (init_image_) *init_image_ = diffusion::resized(*init_image_, settings_.width, settings_.height);
  }

  void check_latents() const {
    const std::uint32_t channels = checkpoint_.vae_config().latent_channels;
    if (arguments_.latents && start_.channels != channels) {
      throw InvalidInput(fmt::format("The latents of '{}' have {} channels, but the model's have {}.",
                                     *arguments_.latents, start_.channels, channels));
    }
  }

  std::vector<float> first_latents(const diffusion::Pipeline& pipeline, std::size_t index) const {
    std::vector<float> noise(pipeline.latent_size());
    if (arguments_.latents) {
      noise = start_.values;
    } else {
      diffusion::NoiseSource(pictures_[index].seed, diffusion::latent_stream).fill(noise);
    }
    if (init_image_) {
      std::vector<float> latents = encoded_[index];
      scheduler_->add_noise(latents, noise, 0);
      return latents;
    }
    const auto sigma = static_cast<float>(scheduler_->init_noise_sigma());
    for (float& value : noise) value *= sigma;
    return noise;
  }

  void sample(diffusion::Pipeline& pipeline, std::size_t index) {
    Picture& picture = pictures_[index];
    scheduler_->set_timesteps(arguments_.steps, first_step_);
    const std::string what = pictures_.size() == 1
                                 ? std::string("sampling")
                                 : fmt::format("picture {}/{}: sampling", index + 1, pictures_.size());
    ProgressLine progress(what);
    diffusion::DenoiseRequest request;
    request.context = context_;
    request.negative = negative_;
    request.guidance = arguments_.guidance;
    request.scheduler = scheduler_.get();
    request.latents = first_latents(pipeline, index);
    request.seed = picture.seed;
    request.step = [&](std::size_t done, std::size_t all, double ms, std::span<const float>) {
      picture.step_ms.push_back(ms);
      progress.update(done, all, fmt::format("{:.2f} s/it", ms / 1000));
    };
    picture.latents = pipeline.denoise(std::move(request));
    if (arguments_.save_latents) {
      write_latents(numbered(*arguments_.save_latents, static_cast<std::uint32_t>(index), arguments_.count),
                    {.channels = checkpoint_.vae_config().latent_channels,
                     .height = pipeline.latent_height(),
                     .width = pipeline.latent_width(),
                     .values = picture.latents});
    }
  }

  void finish(diffusion::Pipeline& pipeline, Picture& picture) {
    const Stopwatch watch;
    RgbImage image = pipeline.decode(picture.latents);
    picture.decode_ms = watch.milliseconds();
    image.texts = {
        {"parameters", parameters_text(arguments_, picture, scheduler_name_, settings_, checkpoint_.name())}};
    write_png(picture.file, image);
    if (arguments_.json) return;
    fmt::print("{}\n", picture.file.string());
    std::fflush(stdout);
    const nlohmann::json timings = picture.timings(text_ms_);
    log(LogLevel::Info, fmt::format("text {:.0f} ms, {} steps {:.3f} s/it, decode {:.0f} ms, total {:.2f} s", text_ms_,
                                    picture.step_ms.size(), mean(picture.step_ms) / 1000, picture.decode_ms,
                                    timings["total_ms"].get<double>() / 1000));
  }

  void print_result(const std::string& device) const {
    const auto entry = [&](const Picture& picture) {
      return nlohmann::json{
          {"file", picture.file.string()}, {"seed", picture.seed}, {"timings", picture.timings(text_ms_)}};
    };
    nlohmann::json document = entry(pictures_.front());
    if (pictures_.size() > 1) {
      for (const Picture& picture : pictures_) document["images"].push_back(entry(picture));
    }
    nlohmann::json options = arguments_.run.to_json();
    options["low_memory"] = settings_.low_memory;
    options["vae_tiling"] = settings_.vae_tiling;
    document.update({{"steps", arguments_.steps},
                     {"guidance", arguments_.guidance},
                     {"scheduler", scheduler_name_},
                     {"width", settings_.width},
                     {"height", settings_.height},
                     {"device", device},
                     {"options", options}});
    print_json(document);
  }

  const ImageArguments& arguments_;
  models::ImageCheckpoint checkpoint_;
  diffusion::PipelineSettings settings_;
  std::string scheduler_name_;
  std::uint32_t first_step_ = 0;
  std::unique_ptr<diffusion::Scheduler> scheduler_;
  std::vector<std::int32_t> ids_, negative_ids_;
  std::vector<float> context_, negative_;
  LatentsFile start_;
  std::optional<RgbImage> init_image_;
  std::vector<std::vector<float>> encoded_;
  std::vector<Picture> pictures_;
  double text_ms_ = 0;
};

}  // namespace

void add_image(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<ImageArguments>();
  CLI::App* command = app.add_subcommand("image", "Text to image");
  add_model(*command, arguments->model, "Diffusers folder, or a .safetensors file of Stable Diffusion 1.x");
  command->add_option("-p,--prompt", arguments->prompt, "What the picture shows")->required();
  command->add_option("--negative", arguments->negative, "What it should not show (with guidance above 1)");
  command->add_option("-o,--output", arguments->output, "The PNG file; of several pictures FILE-1.png, FILE-2.png ...")
      ->required();
  command->add_option("--steps", arguments->steps, "Steps of the scheduler")
      ->check(CLI::Range(1u, 1000u))
      ->capture_default_str();
  command->add_option("--guidance", arguments->guidance, "How strictly the prompt is followed; 1 or less: no guidance")
      ->capture_default_str();
  command->add_option("--scheduler", arguments->scheduler, "The scheduler (default: the model's own)")
      ->check(CLI::IsMember(scheduler_names()));
  command
      ->add_option("--seed", arguments->seed,
                   "Seed of the noise: the same seed gives the same picture on every device (default: random)")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--size", arguments->size,
                      "WIDTHxHEIGHT in pixels, multiples of 8 (default: the model's, or that of --init-image)");
  command->add_option("--count", arguments->count, "Pictures to make, of seeds that follow one another")
      ->check(CLI::Range(1u, 10000u))
      ->capture_default_str();
  command->add_option("--init-image", arguments->init_image, "Start from this PNG instead of from noise");
  command->add_option("--strength", arguments->strength, "How much of --init-image changes: over 0, at most 1")
      ->capture_default_str();
  command->add_option("--latents", arguments->latents,
                      "Start from the tensor 'latents' of a safetensors file: standard normal noise");
  command->add_option("--save-latents", arguments->save_latents, "Write the latents after the last step to this file");
  command->add_option("--tokenizer", arguments->tokenizer,
                      "Folder of CLIP's vocabulary, for a model in a single file that has none");
  command->add_flag("--json", arguments->json, "One JSON document on standard output");
  arguments->image.add_to(*command);
  arguments->run.add_to(*command, false);
  command->callback([arguments, &action] {
    action = [arguments] {
      check_arguments(*arguments);
      Run(*arguments).run();
    };
  });
}

}  // namespace driftwood::cli
