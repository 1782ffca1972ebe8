#include "models/image_layers.h"

#include <fmt/format.h>

#include "base/error.h"

namespace driftwood::models {

namespace {

constexpr graph::Conv2d window_3x3{
    .window_h = 3, .window_w = 3, .pad_top = 1, .pad_left = 1, .pad_bottom = 1, .pad_right = 1};

}  // namespace

graph::Tensor ImageLayers::inner(const std::string& module, const graph::Tensor& tensor) {
  if (inner_outputs_ && named_.insert(tensor.id()).second) b_.output("inner/" + module, tensor);
  return tensor;
}

graph::Tensor ImageLayers::vector(const std::string& name, std::uint32_t size) {
  return b_.vector(name, checkpoint_.vector(component_, name, size));
}

graph::Tensor ImageLayers::vector_part(const std::string& name, std::uint32_t first, std::uint32_t size,
                                       std::uint32_t stored) {
  if (size == stored) return vector(name, size);
  const std::vector<float> all = checkpoint_.vector(component_, name, stored);
  return b_.vector(fmt::format("{}[{}:{}]", name, first, first + size),
                   {all.begin() + first, all.begin() + first + size});
}

graph::Tensor ImageLayers::matrix(const std::string& name, std::uint32_t rows, std::uint32_t columns,
                                  std::uint32_t first_row, std::uint32_t stored_rows) {
  const StoredTensor& tensor = checkpoint_.get(component_, name, {stored_rows == 0 ? rows : stored_rows, columns});
  return b_.weights({.format = tensor.type, .columns = columns, .blocks = {{name, rows, first_row, stored_rows}}});
}

graph::Tensor ImageLayers::linear(const graph::Tensor& x, const std::string& module, std::uint32_t rows,
                                  bool has_bias) {
  const auto weights = matrix(module + ".weight", rows, x.shape().c);
  return has_bias ? b_.linear(x, weights, vector(module + ".bias", rows)) : b_.linear(x, weights);
}

graph::Tensor ImageLayers::layer_norm(const graph::Tensor& x, const std::string& module, float epsilon) {
  const std::uint32_t channels = x.shape().c;
  return b_.layer_norm(x, vector(module + ".weight", channels), vector(module + ".bias", channels), epsilon);
}

graph::Tensor ImageLayers::group_norm(const graph::Tensor& x, const std::string& module, std::uint32_t groups,
                                      float epsilon) {
  const std::uint32_t channels = x.shape().c;
  return inner(module, b_.group_norm(x, vector(module + ".weight", channels), vector(module + ".bias", channels),
                                     {.groups = groups, .epsilon = epsilon}));
}

graph::Tensor ImageLayers::convolution(const graph::Tensor& x, const std::string& module, std::uint32_t channels,
                                       const graph::Conv2d& convolution, std::uint32_t first_channel,
                                       std::uint32_t stored_channels) {
  const std::string name = module + ".weight";
  const std::uint32_t input = x.shape().c;
  const std::uint32_t stored = stored_channels == 0 ? channels : stored_channels;
  const StoredTensor& tensor =
      checkpoint_.get(component_, name, {stored, input, convolution.window_h, convolution.window_w});
  const auto weights = b_.weights({.format = tensor.type,
                                   .columns = graph::convolution_columns(convolution.taps(), input),
                                   .blocks = {{name, channels, first_channel, stored_channels}},
                                   .taps = convolution.taps(),
                                   .channels = input});
  return b_.conv2d(x, weights, convolution, vector_part(module + ".bias", first_channel, channels, stored));
}

graph::Tensor ImageLayers::convolution_3x3(const graph::Tensor& x, const std::string& module, std::uint32_t channels) {
  return convolution(x, module, channels, window_3x3);
}

graph::Tensor ImageLayers::convolution_1x1(const graph::Tensor& x, const std::string& module, std::uint32_t channels) {
  return convolution(x, module, channels, {});
}

graph::Tensor ImageLayers::upsampler(const graph::Tensor& x, const std::string& module, std::uint32_t crop_bottom,
                                     std::uint32_t crop_right) {
  b_.set_scope(module);
  graph::Conv2d upsampling = window_3x3;
  upsampling.upsample = 2;
  upsampling.crop_bottom = crop_bottom;
  upsampling.crop_right = crop_right;
  return inner(module, convolution(x, module + ".conv", x.shape().c, upsampling));
}

graph::Tensor ImageLayers::resnet(const graph::Tensor& x, const std::string& module, std::uint32_t channels,
                                  const ResnetSettings& settings) {
  b_.set_scope(module);
  // The shortcut comes first: then x is read for the last time by the first half, whose normalisation, where it is
  // stored at all, can take its place.
  const auto shortcut = x.shape().c == channels ? x : convolution_1x1(x, module + ".conv_shortcut", channels);
  std::optional<graph::Tensor> time;
  if (settings.time) {
    time = inner(module + ".time_emb_proj",
                 b_.as_type(DataType::F32, linear(*settings.time, module + ".time_emb_proj", channels)));
  }
  auto h = b_.silu(group_norm(x, module + ".norm1", settings.groups, settings.epsilon));
  h = inner(module + ".conv1", convolution_3x3(h, module + ".conv1", channels));
  if (time) h = b_.add(h, *time);
  h = b_.silu(group_norm(h, module + ".norm2", settings.groups, settings.epsilon));
  h = inner(module + ".conv2", convolution_3x3(h, module + ".conv2", channels));
  return inner(module, b_.add(h, shortcut));
}

void check_extent(std::string_view what, std::uint32_t value, std::uint32_t least, std::uint32_t most) {
  if (value >= least && value <= most) return;
  throw InvalidInput(fmt::format("The {} is {}, but must be between {} and {}.", what, value, least, most));
}

}  // namespace driftwood::models
