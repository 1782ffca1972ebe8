// Options that the commands for text-to-image models share, and what they open.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diffusion/pipeline.h"
#include "diffusion/scheduler.h"
#include "models/image_checkpoint.h"
#include "text/clip_tokenizer.h"

namespace driftwood::cli {

struct ImageOptions {
  bool low_memory = false, vae_tiling = false;

  /// Adds --low-memory and --vae-tiling.
  void add_to(CLI::App& command);
  void apply(diffusion::PipelineSettings& settings) const;
};

/// The names that --scheduler takes.
std::vector<std::string> scheduler_names();

/// The scheduler of a name, or the model's own where it is empty; `name` is then set to that.
std::unique_ptr<diffusion::Scheduler> open_scheduler(const models::ImageCheckpoint& checkpoint, std::string& name);

/// The tokenizer of a model, or of `folder` where one is given. Throws InvalidInput where the model has none.
ClipTokenizer open_clip_tokenizer(const models::ImageCheckpoint& checkpoint, const std::optional<std::string>& folder);

}  // namespace driftwood::cli
