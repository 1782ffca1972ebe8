#include "models/unet_blocks.h"

#include <cmath>

namespace driftwood::models {
namespace {

constexpr float group_epsilon = 1e-6F;  // of the transformer alone; the resnets have the configuration's
constexpr float layer_epsilon = 1e-5F;
constexpr std::uint32_t expansion = 4;  // of the feed-forward

graph::Tensor attention(ImageLayers& layers, const graph::Tensor& x, const graph::Tensor& context,
                        const std::string& module, std::uint32_t heads) {
  const std::uint32_t channels = x.shape().c;
  const auto q = layers.inner(module + ".to_q", layers.linear(x, module + ".to_q", channels, false));
  const auto k = layers.inner(module + ".to_k", layers.linear(context, module + ".to_k", channels, false));
  const auto v = layers.inner(module + ".to_v", layers.linear(context, module + ".to_v", channels, false));
  const double head_size = channels / heads;
  const auto attended = layers.builder().multi_head_attention(
      q, k, v, {.heads = heads, .scale = static_cast<float>(1 / std::sqrt(head_size))});
  return layers.inner(module, layers.linear(attended, module + ".to_out.0", channels));
}

/// GEGLU: one matrix whose upper half gives the values and whose lower half gives the gates.
graph::Tensor feed_forward(ImageLayers& layers, const graph::Tensor& x, const std::string& module) {
  graph::Builder& b = layers.builder();
  const std::uint32_t channels = x.shape().c;
  const std::uint32_t inner = expansion * channels;
  const std::string projection = module + ".net.0.proj";
  const auto half = [&](std::uint32_t first) {
    return b.linear(x, layers.matrix(projection + ".weight", inner, channels, first, 2 * inner),
                    layers.vector_part(projection + ".bias", first, inner, 2 * inner));
  };
  const auto gate = b.gelu_erf(half(inner));
  const auto gated = layers.inner(module + ".net.0", b.multiply(half(0), gate));
  return layers.inner(module, layers.linear(gated, module + ".net.2", channels));
}

graph::Tensor transformer_block(ImageLayers& layers, graph::Tensor x, const graph::Tensor& context,
                                const std::string& module, std::uint32_t heads) {
  graph::Builder& b = layers.builder();
  const auto norm = [&](const std::string& name) {
    return layers.inner(module + name, layers.layer_norm(x, module + name, layer_epsilon));
  };
  const auto first = norm(".norm1");
  x = b.add(attention(layers, first, first, module + ".attn1", heads), x);
  x = b.add(attention(layers, norm(".norm2"), context, module + ".attn2", heads), x);
  return b.add(feed_forward(layers, norm(".norm3"), module + ".ff"), x);
}

}  // namespace

graph::Tensor spatial_transformer(ImageLayers& layers, const graph::Tensor& x, const graph::Tensor& context,
                                  const std::string& module, std::uint32_t heads, std::uint32_t groups) {
  graph::Builder& b = layers.builder();
  b.set_scope(module);
  const std::uint32_t channels = x.shape().c;
  const auto normed = layers.group_norm(x, module + ".norm", groups, group_epsilon);
  auto h = layers.inner(module + ".proj_in", layers.convolution_1x1(normed, module + ".proj_in", channels));
  h = transformer_block(layers, h, context, module + ".transformer_blocks.0", heads);
  h = layers.inner(module + ".proj_out", layers.convolution_1x1(h, module + ".proj_out", channels));
  return layers.inner(module, b.add(h, x));
}

}  // namespace driftwood::models
