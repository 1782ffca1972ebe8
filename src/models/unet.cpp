#include "models/unet.h"

#include <fmt/format.h>

#include <vector>

#include "base/error.h"
#include "models/unet_blocks.h"

namespace driftwood::models {
namespace {

// Far above what any device has memory for: 16,384 pixels either way.
constexpr std::uint32_t most_latents = 2048;
constexpr std::uint32_t most_batch = 64;
constexpr std::uint32_t most_context = 1 << 16;

class UnetBuilder {
 public:
  UnetBuilder(const ImageCheckpoint& checkpoint, const UnetSettings& settings)
      : config_(checkpoint.unet_config()),
        settings_(settings),
        b_({.activation = settings.activation_type, .max_tokens = 1}),
        layers_(checkpoint, ImageComponent::Unet, b_, settings.inner_outputs) {}

  graph::Graph build() && {
    const auto latent = b_.input(
        "latent", {.b = settings_.batch, .h = settings_.height, .w = settings_.width, .c = config_.in_channels});
    const auto context =
        b_.input("context", {.b = settings_.batch, .w = settings_.context_tokens, .c = config_.context},
                 settings_.activation_type);
    resnets_ = {.groups = config_.groups, .epsilon = config_.epsilon, .time = time()};
    b_.set_scope("");
    auto x = layers_.inner("conv_in", layers_.convolution_3x3(latent, "conv_in", config_.levels[0].channels));
    skips_ = {x};
    for (std::size_t level = 0; level < config_.levels.size(); ++level) x = down(x, context, level);
    x = middle(x, context);
    for (std::size_t level = config_.levels.size(); level-- > 0;) x = up(x, context, level);
    b_.set_scope("");
    x = b_.silu(layers_.group_norm(x, "conv_norm_out", config_.groups, config_.epsilon));
    b_.output("prediction", layers_.convolution_3x3(x, "conv_out", config_.out_channels));
    return std::move(b_).build();
  }

 private:
  /// The embedding as every resnet reads it. It is small, and all of the network depends on it: f32 always.
  graph::Tensor time() {
    b_.set_scope("time_embedding");
    const auto input = b_.input("time", {.c = config_.time_channels()});
    const std::uint32_t size = config_.time_embedding_channels();
    const auto f32 = [&](const graph::Tensor& tensor) { return b_.as_type(DataType::F32, tensor); };
    const auto hidden = f32(b_.silu(f32(layers_.linear(input, "time_embedding.linear_1", size))));
    const auto embedding = f32(layers_.linear(hidden, "time_embedding.linear_2", size));
    return f32(b_.silu(layers_.inner("time_embedding", embedding)));
  }

  graph::Tensor down(graph::Tensor x, const graph::Tensor& context, std::size_t number) {
    const UnetLevel& level = config_.levels[number];
    const std::string block = fmt::format("down_blocks.{}", number);
    for (std::uint32_t layer = 0; layer < level.layers; ++layer) {
      x = layers_.resnet(x, fmt::format("{}.resnets.{}", block, layer), level.channels, resnets_);
      if (level.attends_down) x = transformer(x, context, fmt::format("{}.attentions.{}", block, layer), level);
      skips_.push_back(x);
    }
    if (number + 1 < config_.levels.size()) {
      const std::string module = block + ".downsamplers.0";
      b_.set_scope(module);
      x = layers_.inner(module, layers_.convolution(x, module + ".conv", level.channels,
                                                    {.window_h = 3,
                                                     .window_w = 3,
                                                     .stride = 2,
                                                     .pad_top = 1,
                                                     .pad_left = 1,
                                                     .pad_bottom = 1,
                                                     .pad_right = 1}));
      skips_.push_back(x);
    }
    return layers_.inner(block, x);
  }

  graph::Tensor middle(graph::Tensor x, const graph::Tensor& context) {
    const UnetLevel& level = config_.levels.back();
    x = layers_.resnet(x, "mid_block.resnets.0", level.channels, resnets_);
    x = transformer(x, context, "mid_block.attentions.0", level);
    return layers_.resnet(x, "mid_block.resnets.1", level.channels, resnets_);
  }

  graph::Tensor up(graph::Tensor x, const graph::Tensor& context, std::size_t number) {
    const UnetLevel& level = config_.levels[number];
    const std::string block = fmt::format("up_blocks.{}", config_.levels.size() - 1 - number);
    for (std::uint32_t layer = 0; layer <= level.layers; ++layer) {
      const std::string module = fmt::format("{}.resnets.{}", block, layer);
      b_.set_scope(module);
      const auto joined = b_.concat(x, skips_.back());
      skips_.pop_back();
      x = layers_.resnet(joined, module, level.channels, resnets_);
      if (level.attends_up) x = transformer(x, context, fmt::format("{}.attentions.{}", block, layer), level);
    }
    if (number > 0) {
      // The skip's extents are twice those of x or, where halving rounded up, one less.
      const Shape& skip = skips_.back().shape();
      x = layers_.upsampler(x, block + ".upsamplers.0", 2 * x.shape().h - skip.h, 2 * x.shape().w - skip.w);
    }
    return layers_.inner(block, x);
  }

  graph::Tensor transformer(const graph::Tensor& x, const graph::Tensor& context, const std::string& module,
                            const UnetLevel& level) {
    return spatial_transformer(layers_, x, context, module, level.heads, config_.groups);
  }

  const UnetConfig& config_;
  const UnetSettings& settings_;
  graph::Builder b_;
  ImageLayers layers_;
  ResnetSettings resnets_;
  std::vector<graph::Tensor> skips_;
};

}  // namespace

graph::Graph unet_graph(const ImageCheckpoint& checkpoint, const UnetSettings& settings) try {
  check_extent("batch", settings.batch, 1, most_batch);
  check_extent("height of the latents", settings.height, 1, most_latents);
  check_extent("width of the latents", settings.width, 1, most_latents);
  check_extent("number of tokens of the text", settings.context_tokens, 1, most_context);
  return UnetBuilder(checkpoint, settings).build();
} catch (Error& error) {
  error.add_context(fmt::format("While building the UNet of '{}'.", checkpoint.path().string()));
  throw;
}

}  // namespace driftwood::models
