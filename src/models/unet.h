// The graph of the UNet of Stable Diffusion 1.x: the noise in latents, given a time and a text.
#pragma once

#include "graph/graph.h"
#include "models/image_checkpoint.h"

namespace driftwood::models {

struct UnetSettings {
  std::uint32_t batch = 1;                   // 2 for both halves of guidance
  std::uint32_t height = 64, width = 64;     // of the latents; any from 1 on
  std::uint32_t context_tokens = 77;         // of the text's encoding
  DataType activation_type = DataType::F32;  // as stored
  bool inner_outputs = false;                // also output what the modules inside give, as "inner/MODULE"
};

/// Inputs "latent" {B, H, W, C = 4}, "context" {B, W = tokens, C} and "time" {C = time_channels()}, the sinusoidal
/// embedding of one timestep for the whole batch (diffusion/timestep_embedding.h), output "prediction" {B, H, W, C =
/// 4}; "context" is stored as activations are, the others as f32. Runs with one token. Weights are named as in
/// diffusers. Throws InvalidInput for extents of 0, and, naming the tensor and both shapes, where the files do not have
/// what the configuration says.
graph::Graph unet_graph(const ImageCheckpoint& checkpoint, const UnetSettings& settings = {});

}  // namespace driftwood::models
