#include "models/vae.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "models/image_layers.h"

namespace driftwood::models {
namespace {

constexpr float epsilon = 1e-6F;  // of every norm
constexpr std::uint32_t most_latents = 2048;
constexpr std::uint32_t most_pixels = 16384;

/// What both halves have.
class VaeBuilder {
 public:
  VaeBuilder(const ImageCheckpoint& checkpoint, DataType activation, bool inner_outputs)
      : config_(checkpoint.vae_config()),
        b_({.activation = activation, .max_tokens = 1}),
        layers_(checkpoint, ImageComponent::Vae, b_, inner_outputs) {}

  graph::Graph decoder(std::uint32_t height, std::uint32_t width) && {
    auto x = b_.input("latent", {.h = height, .w = width, .c = config_.latent_channels});
    b_.set_scope("decoder");
    if (config_.post_quant_conv) {
      x = layers_.inner("post_quant_conv", layers_.convolution_1x1(x, "post_quant_conv", config_.latent_channels));
    }
    x = layers_.inner("decoder.conv_in", layers_.convolution_3x3(x, "decoder.conv_in", config_.channels.back()));
    x = middle(x, "decoder.mid_block");
    for (std::size_t level = config_.channels.size(); level-- > 0;) {
      const std::string block = fmt::format("decoder.up_blocks.{}", config_.channels.size() - 1 - level);
      for (std::uint32_t layer = 0; layer <= config_.layers; ++layer) {
        x = layers_.resnet(x, fmt::format("{}.resnets.{}", block, layer), config_.channels[level], resnets());
      }
      if (level > 0) x = layers_.upsampler(x, block + ".upsamplers.0");
      layers_.inner(block, x);
    }
    b_.set_scope("decoder");
    x = b_.silu(layers_.group_norm(x, "decoder.conv_norm_out", config_.groups, epsilon));
    b_.output("image", layers_.convolution_3x3(x, "decoder.conv_out", config_.image_channels));
    return std::move(b_).build();
  }

  graph::Graph encoder(std::uint32_t height, std::uint32_t width) && {
    auto x = b_.input("image", {.h = height, .w = width, .c = config_.image_channels});
    b_.set_scope("encoder");
    x = layers_.inner("encoder.conv_in", layers_.convolution_3x3(x, "encoder.conv_in", config_.channels.front()));
    for (std::size_t level = 0; level < config_.channels.size(); ++level) {
      const std::string block = fmt::format("encoder.down_blocks.{}", level);
      for (std::uint32_t layer = 0; layer < config_.layers; ++layer) {
        x = layers_.resnet(x, fmt::format("{}.resnets.{}", block, layer), config_.channels[level], resnets());
      }
      if (level + 1 < config_.channels.size()) x = downsampler(x, block + ".downsamplers.0");
      layers_.inner(block, x);
    }
    x = middle(x, "encoder.mid_block");
    b_.set_scope("encoder");
    x = b_.silu(layers_.group_norm(x, "encoder.conv_norm_out", config_.groups, epsilon));
    moments(x);
    return std::move(b_).build();
  }

 private:
  ResnetSettings resnets() const { return {.groups = config_.groups, .epsilon = epsilon}; }

  graph::Tensor middle(graph::Tensor x, const std::string& block) {
    const std::uint32_t channels = x.shape().c;
    x = layers_.resnet(x, block + ".resnets.0", channels, resnets());
    x = attention(x, block + ".attentions.0");
    return layers_.inner(block, layers_.resnet(x, block + ".resnets.1", channels, resnets()));
  }

  /// One head over all channels.
  graph::Tensor attention(const graph::Tensor& x, const std::string& module) {
    b_.set_scope(module);
    const std::uint32_t channels = x.shape().c;
    const auto normed = layers_.group_norm(x, module + ".group_norm", config_.groups, epsilon);
    const auto q = layers_.linear(normed, module + ".to_q", channels);
    const auto k = layers_.linear(normed, module + ".to_k", channels);
    const auto v = layers_.linear(normed, module + ".to_v", channels);
    const auto attended =
        b_.multi_head_attention(q, k, v, {.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(channels)))});
    return layers_.inner(module, b_.add(layers_.linear(attended, module + ".to_out.0", channels), x));
  }

  /// The encoder pads at the end alone.
  graph::Tensor downsampler(const graph::Tensor& x, const std::string& module) {
    b_.set_scope(module);
    return layers_.inner(
        module, layers_.convolution(x, module + ".conv", x.shape().c,
                                    {.window_h = 3, .window_w = 3, .stride = 2, .pad_bottom = 1, .pad_right = 1}));
  }

  /// Means and logarithms of variances are the two halves of the last convolution's channels.
  void moments(graph::Tensor x) {
    const std::uint32_t latents = config_.latent_channels;
    std::string last = "encoder.conv_out";
    graph::Conv2d window{.window_h = 3, .window_w = 3, .pad_top = 1, .pad_left = 1, .pad_bottom = 1, .pad_right = 1};
    if (config_.quant_conv) {
      x = layers_.inner(last, layers_.convolution_3x3(x, last, 2 * latents));
      last = "quant_conv";
      window = {};
    }
    b_.output("mean", layers_.convolution(x, last, latents, window, 0, 2 * latents));
    b_.output("logvar", b_.clamp(layers_.convolution(x, last, latents, window, latents, 2 * latents), -30, 20));
  }

  const VaeConfig& config_;
  graph::Builder b_;
  ImageLayers layers_;
};

}  // namespace

graph::Graph vae_decoder_graph(const ImageCheckpoint& checkpoint, const VaeDecoderSettings& settings) try {
  check_extent("height of the latents", settings.height, 1, most_latents);
  check_extent("width of the latents", settings.width, 1, most_latents);
  return VaeBuilder(checkpoint, settings.activation_type, settings.inner_outputs)
      .decoder(settings.height, settings.width);
} catch (Error& error) {
  error.add_context(fmt::format("While building the VAE's decoder of '{}'.", checkpoint.path().string()));
  throw;
}

graph::Graph vae_encoder_graph(const ImageCheckpoint& checkpoint, const VaeEncoderSettings& settings) try {
  const std::uint32_t scale = checkpoint.vae_config().scale();
  check_extent("height of the image", settings.height, scale, most_pixels);
  check_extent("width of the image", settings.width, scale, most_pixels);
  if (settings.height % scale != 0 || settings.width % scale != 0) {
    throw InvalidInput(fmt::format("The image is {} pixels wide and {} high; both must be multiples of {}.",
                                   settings.width, settings.height, scale));
  }
  return VaeBuilder(checkpoint, settings.activation_type, settings.inner_outputs)
      .encoder(settings.height, settings.width);
} catch (Error& error) {
  error.add_context(fmt::format("While building the VAE's encoder of '{}'.", checkpoint.path().string()));
  throw;
}

}  // namespace driftwood::models
