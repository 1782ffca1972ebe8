// Names of the tensors of a Stable Diffusion 1.x model: diffusers' own, by which everything here asks for them, the
// older ones of its attention layers, and those of the original single-file checkpoints.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace driftwood::models {

enum class ImageComponent : std::uint8_t { TextEncoder, Unet, Vae };
inline constexpr std::array image_components = {ImageComponent::TextEncoder, ImageComponent::Unet, ImageComponent::Vae};

/// "text_encoder", "unet", "vae": folders of a diffusers model.
std::string_view to_string(ImageComponent component);
/// "text encoder", "UNet", "VAE": in sentences.
std::string_view in_words(ImageComponent component);

/// The present name of a tensor of a diffusers folder: an older one of a VAE's attention
/// ("decoder.mid_block.attentions.0.query.weight") becomes the present one ("...to_q.weight"). Nothing for tensors that
/// no graph reads: position_ids, a text encoder's projection.
std::optional<std::string> diffusers_name(ImageComponent component, std::string_view name);

struct ImageTensorName {
  ImageComponent component;
  std::string name;
  bool operator==(const ImageTensorName&) const = default;
};

/// "model.diffusion_model.input_blocks.0.0.weight" -> {Unet, "conv_in.weight"}: by the rules of Stable Diffusion 1.x,
/// which has two layers a block and four levels. Nothing for tensors of no component that is read here.
std::optional<ImageTensorName> original_to_diffusers(std::string_view name);

}  // namespace driftwood::models
