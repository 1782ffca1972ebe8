#include "models/image_names.h"

#include <fmt/format.h>

#include <charconv>
#include <span>
#include <utility>

namespace driftwood::models {
namespace {

using Rename = std::pair<std::string_view, std::string_view>;

constexpr std::string_view unet_prefix = "model.diffusion_model.";
constexpr std::string_view vae_prefix = "first_stage_model.";
constexpr std::string_view text_prefix = "cond_stage_model.transformer.";
constexpr std::uint32_t layers = 2;  // of a block of the UNet of Stable Diffusion 1.x
constexpr std::uint32_t levels = 4;  // of its VAE

constexpr Rename old_attention[] = {
    {"query.", "to_q."}, {"key.", "to_k."}, {"value.", "to_v."}, {"proj_attn.", "to_out.0."}};
constexpr Rename original_attention[] = {
    {"norm.", "group_norm."}, {"q.", "to_q."}, {"k.", "to_k."}, {"v.", "to_v."}, {"proj_out.", "to_out.0."}};
constexpr Rename unet_resnet[] = {{"in_layers.0.", "norm1."},          {"in_layers.2.", "conv1."},
                                  {"emb_layers.1.", "time_emb_proj."}, {"out_layers.0.", "norm2."},
                                  {"out_layers.3.", "conv2."},         {"skip_connection.", "conv_shortcut."}};
constexpr Rename unet_outside[] = {{"time_embed.0.", "time_embedding.linear_1."},
                                   {"time_embed.2.", "time_embedding.linear_2."},
                                   {"input_blocks.0.0.", "conv_in."},
                                   {"out.0.", "conv_norm_out."},
                                   {"out.2.", "conv_out."}};
constexpr Rename vae_resnet[] = {{"nin_shortcut.", "conv_shortcut."}};
constexpr Rename vae_outside[] = {{"encoder.norm_out.", "encoder.conv_norm_out."},
                                  {"decoder.norm_out.", "decoder.conv_norm_out."}};

/// Replaces the beginning that the table has; nothing where it has none.
std::optional<std::string> replace_prefix(std::string_view name, std::span<const Rename> table) {
  for (const auto& [from, to] : table) {
    if (name.starts_with(from)) return fmt::format("{}{}", to, name.substr(from.size()));
  }
  return {};
}

std::string replaced(std::string_view name, std::span<const Rename> table) {
  return replace_prefix(name, table).value_or(std::string(name));
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Takes "12." off the beginning.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto length = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || length > 4 || length == text.size() || text[length] != '.') return {};
  text.remove_prefix(length + 1);
  return number;
}

std::string text_name(std::string_view name) {
  for (const std::string_view module : {"embeddings.", "encoder.", "final_layer_norm."}) {
    if (name.starts_with(module)) return fmt::format("text_model.{}", name);
  }
  return std::string(name);
}

/// After "input_blocks." or "output_blocks.": number of the block, number of the module in it, and the rest.
std::optional<std::string> unet_block_name(std::string_view rest, bool down) {
  const auto number = take_number(rest);
  const auto module = take_number(rest);
  if (!number || !module || (down && *number == 0)) return {};
  const std::uint32_t place = down ? *number - 1 : *number;  // the first block down is conv_in
  const std::uint32_t level = place / (layers + 1);
  const std::uint32_t layer = place % (layers + 1);
  const std::string block = fmt::format("{}_blocks.{}", down ? "down" : "up", level);
  if (down && layer == layers) {
    return take(rest, "op.") ? std::optional(fmt::format("{}.downsamplers.0.conv.{}", block, rest)) : std::nullopt;
  }
  if (*module == 0) return fmt::format("{}.resnets.{}.{}", block, layer, replaced(rest, unet_resnet));
  if (take(rest, "conv.")) return fmt::format("{}.upsamplers.0.conv.{}", block, rest);
  return fmt::format("{}.attentions.{}.{}", block, layer, rest);
}

std::optional<std::string> unet_name(std::string_view name) {
  if (auto outside = replace_prefix(name, unet_outside)) return outside;
  if (take(name, "input_blocks.")) return unet_block_name(name, true);
  if (take(name, "output_blocks.")) return unet_block_name(name, false);
  if (take(name, "middle_block.1.")) return fmt::format("mid_block.attentions.0.{}", name);
  for (const int resnet : {0, 1}) {
    if (take(name, resnet == 0 ? "middle_block.0." : "middle_block.2."))
      return fmt::format("mid_block.resnets.{}.{}", resnet, replaced(name, unet_resnet));
  }
  return {};
}

/// After "encoder." or "decoder.".
std::optional<std::string> vae_half_name(std::string_view name, std::string_view half) {
  if (take(name, "mid.attn_1."))
    return fmt::format("{}.mid_block.attentions.0.{}", half, replaced(name, original_attention));
  if (take(name, "mid.block_1.")) return fmt::format("{}.mid_block.resnets.0.{}", half, replaced(name, vae_resnet));
  if (take(name, "mid.block_2.")) return fmt::format("{}.mid_block.resnets.1.{}", half, replaced(name, vae_resnet));
  const bool down = take(name, "down.");
  if (!down && !take(name, "up.")) return fmt::format("{}.{}", half, name);
  const auto level = take_number(name);
  if (!level || *level >= levels) return {};
  // The original counts the decoder's levels from the full resolution, too.
  const std::string block =
      fmt::format("{}.{}_blocks.{}", half, down ? "down" : "up", down ? *level : levels - 1 - *level);
  if (take(name, "downsample.")) return fmt::format("{}.downsamplers.0.{}", block, name);
  if (take(name, "upsample.")) return fmt::format("{}.upsamplers.0.{}", block, name);
  if (!take(name, "block.")) return {};
  const auto layer = take_number(name);
  if (!layer) return {};
  return fmt::format("{}.resnets.{}.{}", block, *layer, replaced(name, vae_resnet));
}

std::optional<std::string> vae_name(std::string_view name) {
  if (auto outside = replace_prefix(name, vae_outside)) return outside;
  if (take(name, "encoder.")) return vae_half_name(name, "encoder");
  if (take(name, "decoder.")) return vae_half_name(name, "decoder");
  return std::string(name);  // quant_conv, post_quant_conv
}

}  // namespace

std::string_view to_string(ImageComponent component) {
  constexpr std::string_view names[] = {"text_encoder", "unet", "vae"};
  return names[static_cast<std::size_t>(component)];
}

std::string_view in_words(ImageComponent component) {
  constexpr std::string_view names[] = {"text encoder", "UNet", "VAE"};
  return names[static_cast<std::size_t>(component)];
}

std::optional<std::string> diffusers_name(ImageComponent component, std::string_view name) {
  if (component == ImageComponent::Unet) return std::string(name);
  if (component == ImageComponent::TextEncoder) {
    std::string full = text_name(name);
    if (!full.starts_with("text_model.") || full.ends_with(".position_ids")) return {};
    return full;
  }
  constexpr std::string_view attention = ".attentions.0.";
  const std::size_t place = name.find(attention);
  if (place == std::string_view::npos) return std::string(name);
  const std::size_t end = place + attention.size();
  return fmt::format("{}{}", name.substr(0, end), replaced(name.substr(end), old_attention));
}

std::optional<ImageTensorName> original_to_diffusers(std::string_view name) {
  std::optional<std::string> result;
  ImageComponent component = ImageComponent::Unet;
  if (take(name, unet_prefix)) {
    result = unet_name(name);
  } else if (take(name, vae_prefix)) {
    component = ImageComponent::Vae;
    result = vae_name(name);
  } else if (take(name, text_prefix)) {
    component = ImageComponent::TextEncoder;
    result = diffusers_name(component, name);
  }
  if (!result) return {};
  return ImageTensorName{component, std::move(*result)};
}

}  // namespace driftwood::models
