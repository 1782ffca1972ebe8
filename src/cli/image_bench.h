// Speed of a text-to-image model, for `driftwood bench FOLDER`, and its memory plan, for `driftwood memory FOLDER`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cli/image_options.h"
#include "cli/options.h"

namespace driftwood::cli {

struct ImageBench {
  std::string model;
  std::string size;  // "512x512"; empty: the model's own
  std::uint32_t steps = 20, repetitions = 5;
  double guidance = 7.5;
  std::string scheduler, output = "md";
  ImageOptions image;
  RunOptions run;
};

/// Times the text encoder (both prompts), the sampling, the decoder and all of it, warmed up.
void bench_image(const ImageBench& arguments);

/// A pipeline that has made one picture of noise, for profiles.
std::unique_ptr<diffusion::Pipeline> run_once(const ImageBench& arguments, const models::ImageCheckpoint& checkpoint,
                                              gpu::Device& device);

/// The size asked for, or the model's own.
void set_size(diffusion::PipelineSettings& settings, const models::ImageCheckpoint& checkpoint,
              const std::string& size);

}  // namespace driftwood::cli
