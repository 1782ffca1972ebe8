// The config.json of the components of a Stable Diffusion 1.x model: CLIP text encoder, UNet, VAE.
//
// Published files have few keys; a key that is absent means what the library that wrote the file takes for it. Every
// key that would change the numbers is honoured or refused: Unsupported, naming key, value and what is supported.
// Sizes are held to limits far above any real model; InvalidInput names the key and the limit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace driftwood {

enum class ClipActivation : std::uint8_t { QuickGelu, Gelu };

/// CLIPTextModel.
struct ClipTextConfig {
  std::uint32_t hidden = 768;
  std::uint32_t intermediate = 3072;
  std::uint32_t layers = 12;
  std::uint32_t heads = 12;
  std::uint32_t vocabulary = 49408;
  std::uint32_t max_tokens = 77;  // max_position_embeddings
  ClipActivation activation = ClipActivation::QuickGelu;
  float epsilon = 1e-5F;  // of the layer norms
  bool operator==(const ClipTextConfig&) const = default;
};

/// One resolution of a UNet, on the way down or up.
struct UnetLevel {
  std::uint32_t channels = 0;
  std::uint32_t layers = 2;  // resnets on the way down; one more on the way up
  std::uint32_t heads = 8;   // of its attentions; what the files call attention_head_dim
  bool attends_down = true;  // CrossAttnDownBlock2D, not DownBlock2D
  bool attends_up = true;    // CrossAttnUpBlock2D (at this resolution), not UpBlock2D
  bool operator==(const UnetLevel&) const = default;
};

/// UNet2DConditionModel.
struct UnetConfig {
  std::uint32_t in_channels = 4;
  std::uint32_t out_channels = 4;
  std::vector<UnetLevel> levels = {};  // from the full resolution to the coarsest
  std::uint32_t groups = 32;           // of the group norms
  std::uint32_t context = 768;         // channels of the text encoding
  std::uint32_t sample_size = 64;      // latents' height and width by default
  float epsilon = 1e-5F;               // of the resnets' group norms and the last one
  bool flip_sin_to_cos = true;         // time embedding: cosines before sines
  double freq_shift = 0;               // time embedding: frequencies fall as 10000^(-i / (n - shift))

  /// Channels of the sinusoidal time embedding, and of what the resnets see of it.
  std::uint32_t time_channels() const { return levels.front().channels; }
  std::uint32_t time_embedding_channels() const { return 4 * levels.front().channels; }
  bool operator==(const UnetConfig&) const = default;
};

/// AutoencoderKL.
struct VaeConfig {
  std::uint32_t image_channels = 3;
  std::uint32_t latent_channels = 4;
  std::vector<std::uint32_t> channels = {};  // block_out_channels, from the full resolution to the latents'
  std::uint32_t layers = 2;                  // resnets of a level of the encoder; the decoder has one more
  std::uint32_t groups = 32;
  std::uint32_t sample_size = 512;
  double scaling_factor = 0.18215;  // latents are the encoder's means times this
  bool quant_conv = true;           // a 1x1 convolution after the encoder
  bool post_quant_conv = true;      // one before the decoder

  /// Pixels of the image along H and W for each of the latents.
  std::uint32_t scale() const { return 1U << (channels.size() - 1); }
  bool operator==(const VaeConfig&) const = default;
};

/// From the text of a config.json. Throws InvalidInput or Unsupported, naming the key.
ClipTextConfig parse_clip_text_config(std::string_view json);
UnetConfig parse_unet_config(std::string_view json);
VaeConfig parse_vae_config(std::string_view json);

/// Stable Diffusion 1.x's own: what a single-file checkpoint, which holds no configuration, has.
ClipTextConfig stable_diffusion_clip_config();
UnetConfig stable_diffusion_unet_config();
VaeConfig stable_diffusion_vae_config();

/// The text of a small file (a configuration, an index). Throws InvalidInput where there is none, or where it is larger
/// than 16 MiB.
std::string read_config_text(const std::filesystem::path& path);

}  // namespace driftwood
