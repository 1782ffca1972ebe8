#include "cli/image_options.h"

#include <fmt/format.h>

#include <array>

#include "base/error.h"

namespace driftwood::cli {
namespace {

using diffusion::SchedulerKind;

constexpr std::array kinds = {SchedulerKind::Pndm,      SchedulerKind::Ddim,
                              SchedulerKind::Euler,     SchedulerKind::EulerAncestral,
                              SchedulerKind::DpmSolver, SchedulerKind::DpmSolverKarras,
                              SchedulerKind::Lcm};

/// What a single file stands for: the scheduler that Stable Diffusion 1.x was published with.
constexpr std::string_view published_scheduler =
    R"({"_class_name": "PNDMScheduler", "beta_start": 0.00085, "beta_end": 0.012, "beta_schedule": "scaled_linear",
        "num_train_timesteps": 1000, "set_alpha_to_one": false, "skip_prk_steps": true, "steps_offset": 1})";

}  // namespace

void ImageOptions::add_to(CLI::App& command) {
  command.add_flag("--low-memory", low_memory, "Hold the weights of one component at a time");
  command.add_flag("--vae-tiling", vae_tiling, "Decode the picture in overlapping tiles of 256 x 256 pixels");
}

void ImageOptions::apply(diffusion::PipelineSettings& settings) const {
  settings.low_memory = low_memory;
  settings.vae_tiling = vae_tiling;
}

std::vector<std::string> scheduler_names() {
  std::vector<std::string> names;
  names.reserve(std::size(kinds));
  for (const SchedulerKind kind : kinds) names.emplace_back(diffusion::to_string(kind));
  return names;
}

std::unique_ptr<diffusion::Scheduler> open_scheduler(const models::ImageCheckpoint& checkpoint, std::string& name) {
  const std::optional<std::string>& text = checkpoint.scheduler_config();
  const diffusion::SchedulerConfig config = diffusion::for_latents(diffusion::scheduler_config(
      text ? std::string_view(*text) : published_scheduler, "scheduler/scheduler_config.json"));
  const SchedulerKind kind =
      name.empty() ? diffusion::default_scheduler(config) : diffusion::parse_scheduler_kind(name);
  name = diffusion::to_string(kind);
  return diffusion::make_scheduler(kind, config);
}

ClipTokenizer open_clip_tokenizer(const models::ImageCheckpoint& checkpoint, const std::optional<std::string>& folder) {
  if (folder) return ClipTokenizer::open(*folder);
  if (!checkpoint.tokenizer_folder()) {
    throw InvalidInput(
        fmt::format("'{}' holds no tokenizer: give a folder with CLIP's vocab.json and merges.txt by "
                    "--tokenizer.",
                    checkpoint.path().string()));
  }
  return ClipTokenizer::open(*checkpoint.tokenizer_folder());
}

}  // namespace driftwood::cli
