// Dense weights regrouped for a kernel: O H W D I cut into (G, S_O, O4, HWD, S_I, I4) and stored in any order of these.
//
// Output channels make slices of four (O4), the slices make G groups of S_O each; input channels make S_I slices of I4;
// the window is one axis, HWD. Four neighbours of the innermost axis, O4 or I4, are one vec4 texel. All that pads a
// slice or a group is zero. (ML Drift, section 3.1.)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/data_type.h"
#include "tensor/shape.h"

namespace driftwood {

enum class WeightAxis : std::uint8_t { G, SO, O4, HWD, SI, I4 };

struct WeightLayout {
  std::array<WeightAxis, 6> order;  // outermost first; the last is O4 or I4, the components of a texel
  std::uint32_t groups = 1;         // G
  /// Texel t of the order lies in object t % objects at texel t / objects. A divisor of the extent of order[4].
  std::uint32_t objects = 1;
  /// How many of the outermost axes make the rows (y) of a 2D texture; 0: one row, as in a buffer.
  std::uint32_t y_axes = 0;
  bool operator==(const WeightLayout&) const = default;
};

struct NamedWeightLayout {
  std::string_view name;
  WeightLayout layout;
};

/// Layouts in use: "hwd_si_so_i4o4" and the like, in one group; "four_textures", the generic convolution's; "k_cache"
/// and "v_cache" (ML Drift, section 3.8): K has O = tokens and I = head size, V the reverse, with the KV heads on H. A
/// token is one texel a slice of its head in both.
std::span<const NamedWeightLayout> weight_layout_table();

/// The layout of that name, or null.
const WeightLayout* find_weight_layout(std::string_view name);

/// "G1 SO HWD SI I4 O4, 4 objects, 2 row axes".
std::string to_string(const WeightLayout& layout);

/// The extent of an axis of regrouped weights.
std::uint32_t weight_axis_extent(const WeightShape& shape, const WeightLayout& layout, WeightAxis axis);

/// Texels of each object: width, height. Throws InvalidInput for a layout that is no permutation, has no vec4 axis last
/// or does not divide into its objects, and for extents past 2^31.
std::array<std::uint32_t, 2> weight_object_extents(const WeightShape& shape, const WeightLayout& layout);

/// Where the weight (o, window position, i) lies; `hwd` is (h * W + w) * D + d.
struct WeightPlace {
  std::uint32_t object = 0, x = 0, y = 0, component = 0;
  bool operator==(const WeightPlace&) const = default;
};
WeightPlace weight_place(const WeightShape& shape, const WeightLayout& layout, std::uint32_t o, std::uint32_t hwd,
                         std::uint32_t i);

/// The bytes of every object from dense values in O H W D I order, stored as F32 or F16.
std::vector<std::vector<std::byte>> pack_weights(const WeightShape& shape, const WeightLayout& layout, DataType type,
                                                 std::span<const float> values);

/// The dense values in O H W D I order.
std::vector<float> unpack_weights(const WeightShape& shape, const WeightLayout& layout, DataType type,
                                  std::span<const std::vector<std::byte>> objects);

}  // namespace driftwood
