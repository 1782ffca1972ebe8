// What the graphs of a text-to-image model are made of: layers with their weights found by module name.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "graph/builder.h"
#include "models/image_checkpoint.h"

namespace driftwood::models {

/// A residual block's normalisation, and what it is told of the time.
struct ResnetSettings {
  std::uint32_t groups = 32;
  float epsilon = 1e-5F;
  std::optional<graph::Tensor> time = {};  // the time embedding after its activation
};

/// Layers of one component. Every name is that of a diffusers module ("down_blocks.0.resnets.0"); a missing tensor or
/// one of another shape throws InvalidInput.
class ImageLayers {
 public:
  ImageLayers(const ImageCheckpoint& checkpoint, ImageComponent component, graph::Builder& builder, bool inner_outputs)
      : checkpoint_(checkpoint), component_(component), b_(builder), inner_outputs_(inner_outputs) {}

  graph::Builder& builder() { return b_; }

  /// Where inner outputs are asked for, makes the tensor one as "inner/MODULE", unless it already is one.
  graph::Tensor inner(const std::string& module, const graph::Tensor& tensor);

  graph::Tensor vector(const std::string& name, std::uint32_t size);
  /// `size` values from `first` on of a vector of `stored`.
  graph::Tensor vector_part(const std::string& name, std::uint32_t first, std::uint32_t size, std::uint32_t stored);
  /// All rows of a matrix, or `rows` of them from `first_row` on where `stored_rows` says how many there are.
  graph::Tensor matrix(const std::string& name, std::uint32_t rows, std::uint32_t columns, std::uint32_t first_row = 0,
                       std::uint32_t stored_rows = 0);

  graph::Tensor linear(const graph::Tensor& x, const std::string& module, std::uint32_t rows, bool has_bias = true);
  graph::Tensor layer_norm(const graph::Tensor& x, const std::string& module, float epsilon);
  graph::Tensor group_norm(const graph::Tensor& x, const std::string& module, std::uint32_t groups, float epsilon);
  /// A convolution with bias to `channels`, or to those from `first_channel` on of `stored_channels`.
  graph::Tensor convolution(const graph::Tensor& x, const std::string& module, std::uint32_t channels,
                            const graph::Conv2d& convolution, std::uint32_t first_channel = 0,
                            std::uint32_t stored_channels = 0);
  graph::Tensor convolution_3x3(const graph::Tensor& x, const std::string& module, std::uint32_t channels);
  graph::Tensor convolution_1x1(const graph::Tensor& x, const std::string& module, std::uint32_t channels);
  /// Twice the extents by repetition, less `crop_bottom` rows and `crop_right` columns at the end, then 3x3.
  graph::Tensor upsampler(const graph::Tensor& x, const std::string& module, std::uint32_t crop_bottom = 0,
                          std::uint32_t crop_right = 0);

  /// norm, SiLU, convolution, twice; the time's projection in between; the sum with x.
  graph::Tensor resnet(const graph::Tensor& x, const std::string& module, std::uint32_t channels,
                       const ResnetSettings& settings);

 private:
  const ImageCheckpoint& checkpoint_;
  ImageComponent component_;
  graph::Builder& b_;
  bool inner_outputs_;
  std::set<graph::ValueId> named_;
};

/// Throws InvalidInput, naming it, where a number that a graph is built for is not within [least, most].
void check_extent(std::string_view what, std::uint32_t value, std::uint32_t least, std::uint32_t most);

}  // namespace driftwood::models
