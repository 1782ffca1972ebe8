// The graphs of the variational autoencoder: latents to an image, and an image to latents.
#pragma once

#include "graph/graph.h"
#include "models/image_checkpoint.h"

namespace driftwood::models {

struct VaeDecoderSettings {
  std::uint32_t height = 64, width = 64;     // of the latents
  DataType activation_type = DataType::F32;  // as stored
  bool inner_outputs = false;                // also output what the modules inside give, as "inner/MODULE"
};

struct VaeEncoderSettings {
  std::uint32_t height = 512, width = 512;   // of the image: multiples of VaeConfig::scale()
  DataType activation_type = DataType::F32;  // as stored
  bool inner_outputs = false;                // also output what the modules inside give, as "inner/MODULE"
};

/// Input "latent" {H, W, C = 4}, already divided by the scaling factor, output "image" {8 H, 8 W, C = 3} in about
/// [-1, 1], both f32. Runs with one token. Throws InvalidInput for extents of 0, and, naming the tensor and both
/// shapes, where the files do not have what the configuration says.
graph::Graph vae_decoder_graph(const ImageCheckpoint& checkpoint, const VaeDecoderSettings& settings = {});

/// Input "image" {H, W, C = 3} in [-1, 1], outputs "mean" and "logvar" {H / 8, W / 8, C = 4} of the latents before they
/// are scaled, f32; "logvar" is clamped to [-30, 20]. Runs with one token. Throws as vae_decoder_graph(), and where an
/// extent is no multiple of the scale.
graph::Graph vae_encoder_graph(const ImageCheckpoint& checkpoint, const VaeEncoderSettings& settings = {});

}  // namespace driftwood::models
