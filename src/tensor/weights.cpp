#include "tensor/weights.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.h"
#include "base/error.h"
#include "tensor/texel.h"

namespace driftwood {
namespace {

constexpr WeightAxis G = WeightAxis::G, SO = WeightAxis::SO, O4 = WeightAxis::O4, HWD = WeightAxis::HWD,
                     SI = WeightAxis::SI, I4 = WeightAxis::I4;

constexpr std::array<NamedWeightLayout, 7> rows = {{
    {"hwd_si_so_i4o4", {.order = {HWD, SI, G, SO, I4, O4}}},
    {"hwd_si_so_o4i4", {.order = {HWD, SI, G, SO, O4, I4}}},
    {"so_hwd_si_i4o4", {.order = {G, SO, HWD, SI, I4, O4}}},
    {"so_hwd_si_o4i4", {.order = {G, SO, HWD, SI, O4, I4}}},
    // Input channel 4 * s + k of every four output channels lies in texture k: one position reads all four.
    {"four_textures", {.order = {HWD, SI, G, SO, I4, O4}, .objects = 4, .y_axes = 2}},
    {"k_cache", {.order = {HWD, SI, G, SO, O4, I4}}},
    {"v_cache", {.order = {HWD, SI, G, SO, I4, O4}}},
}};

constexpr std::array<std::string_view, 6> axis_names = {"G", "SO", "O4", "HWD", "SI", "I4"};
constexpr std::uint64_t max_texels = 0x7FFFFFFF;  // kernels compute coordinates in 32 bits

std::size_t index_of(WeightAxis axis) { return static_cast<std::size_t>(axis); }

std::uint64_t texels(const WeightShape& shape, const WeightLayout& layout, std::size_t first, std::size_t last) {
  std::uint64_t product = 1;
  for (std::size_t i = first; i < last; ++i) {
    const auto next = checked_multiply(product, weight_axis_extent(shape, layout, layout.order[i]));
    if (!next || *next > max_texels) {
      throw InvalidInput(fmt::format("The weights {} in the layout {} have more than {} texels.", to_string(shape),
                                     to_string(layout), max_texels));
    }
    product = *next;
  }
  return product;
}

void validate(const WeightShape& shape, const WeightLayout& layout) {
  const auto fail = [&](std::string_view why) {
    throw InvalidInput(fmt::format("The weight layout {} {}.", to_string(layout), why));
  };
  if (shape.o == 0 || shape.h == 0 || shape.w == 0 || shape.d == 0 || shape.i == 0) {
    throw InvalidInput(fmt::format("The weights {} have an extent of 0.", to_string(shape)));
  }
  std::uint64_t window = std::uint64_t{shape.h} * shape.w;
  window = window > max_texels ? window : window * shape.d;
  if (window > max_texels) {
    throw InvalidInput(
        fmt::format("The weights {} have a window of more than {} texels.", to_string(shape), max_texels));
  }
  std::array<WeightAxis, 6> sorted = layout.order;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != std::array{G, SO, O4, HWD, SI, I4}) fail("is no permutation of G SO O4 HWD SI I4");
  if (layout.order[5] != O4 && layout.order[5] != I4) fail("has neither O4 nor I4 innermost");
  if (layout.groups == 0) fail("has no groups");
  if (layout.y_axes > 4) fail("has more than 4 row axes");
  if (layout.objects == 0 || weight_axis_extent(shape, layout, layout.order[4]) % layout.objects != 0) {
    fail(fmt::format("cannot be divided into {} objects for {}", layout.objects, to_string(shape)));
  }
}

// The place without the checks, for loops over all weights.
class Placement {
 public:
  Placement(const WeightShape& shape, const WeightLayout& layout)
      : layout_(layout),
        group_slices_(weight_axis_extent(shape, layout, SO)),
        width_(weight_object_extents(shape, layout)[0]) {
    for (const WeightAxis axis : layout.order) extents_[index_of(axis)] = weight_axis_extent(shape, layout, axis);
  }

  WeightPlace operator()(std::uint32_t o, std::uint32_t hwd, std::uint32_t i) const {
    std::array<std::uint32_t, 6> at;  // as WeightAxis
    at[index_of(G)] = o / 4 / group_slices_;
    at[index_of(SO)] = o / 4 % group_slices_;
    at[index_of(O4)] = o % 4;
    at[index_of(HWD)] = hwd;
    at[index_of(SI)] = i / 4;
    at[index_of(I4)] = i % 4;
    std::uint32_t texel = 0;
    for (std::size_t k = 0; k < 5; ++k) {
      const std::size_t axis = index_of(layout_.order[k]);
      texel = texel * extents_[axis] + at[axis];
    }
    const std::uint32_t inside = texel / layout_.objects;
    return {texel % layout_.objects, inside % width_, inside / width_, at[index_of(layout_.order[5])]};
  }

  // Byte offset of a place inside its object.
  std::uint64_t offset(const WeightPlace& place, DataType type) const {
    return ((std::uint64_t{place.y} * width_ + place.x) * 4 + place.component) * component_bytes(type);
  }

 private:
  WeightLayout layout_;
  std::uint32_t group_slices_, width_;
  std::array<std::uint32_t, 6> extents_ = {};
};

// Calls visit(value index, place, byte offset) for each weight in O H W D I order.
template <typename Visit>
void for_each_weight(const WeightShape& shape, const WeightLayout& layout, DataType type, const Visit& visit) {
  const Placement placement(shape, layout);
  const std::uint32_t window = shape.h * shape.w * shape.d;
  std::uint64_t index = 0;
  for (std::uint32_t o = 0; o < shape.o; ++o) {
    for (std::uint32_t hwd = 0; hwd < window; ++hwd) {
      for (std::uint32_t i = 0; i < shape.i; ++i, ++index) {
        const WeightPlace place = placement(o, hwd, i);
        visit(index, place, placement.offset(place, type));
      }
    }
  }
}

std::uint64_t object_bytes(const WeightShape& shape, const WeightLayout& layout, DataType type) {
  if (type != DataType::F32 && type != DataType::F16) {
    throw InvalidInput(fmt::format("Regrouped weights are stored as f32 or f16, not as {}.", to_string(type)));
  }
  const auto [width, height] = weight_object_extents(shape, layout);
  return std::uint64_t{width} * height * 4 * component_bytes(type);
}

}  // namespace

std::span<const NamedWeightLayout> weight_layout_table() { return rows; }

const WeightLayout* find_weight_layout(std::string_view name) {
  for (const NamedWeightLayout& row : rows) {
    if (row.name == name) return &row.layout;
  }
  return nullptr;
}

std::string to_string(const WeightLayout& layout) {
  std::string text;
  for (const WeightAxis axis : layout.order) {
    if (!text.empty()) text += ' ';
    text += axis_names[index_of(axis)];
    if (axis == G) text += std::to_string(layout.groups);
  }
  if (layout.objects != 1) text += fmt::format(", {} objects", layout.objects);
  if (layout.y_axes != 0) text += fmt::format(", {} row axes", layout.y_axes);
  return text;
}

std::uint32_t weight_axis_extent(const WeightShape& shape, const WeightLayout& layout, WeightAxis axis) {
  switch (axis) {
    case G: return layout.groups;
    case SO: return static_cast<std::uint32_t>(divide_up(shape.output_slices(), layout.groups));
    case HWD: return shape.h * shape.w * shape.d;
    case SI: return shape.input_slices();
    default: return 4;
  }
}

std::array<std::uint32_t, 2> weight_object_extents(const WeightShape& shape, const WeightLayout& layout) {
  validate(shape, layout);
  texels(shape, layout, 0, 5);
  return {static_cast<std::uint32_t>(texels(shape, layout, layout.y_axes, 5) / layout.objects),
          static_cast<std::uint32_t>(texels(shape, layout, 0, layout.y_axes))};
}

WeightPlace weight_place(const WeightShape& shape, const WeightLayout& layout, std::uint32_t o, std::uint32_t hwd,
                         std::uint32_t i) {
  return Placement(shape, layout)(o, hwd, i);
}

std::vector<std::vector<std::byte>> pack_weights(const WeightShape& shape, const WeightLayout& layout, DataType type,
                                                 std::span<const float> values) {
  const std::uint64_t bytes = object_bytes(shape, layout, type);
  if (values.size() != shape.elements()) {
    throw InvalidInput(fmt::format("The weights {} take {} values, but there are {}.", to_string(shape),
                                   shape.elements(), values.size()));
  }
  std::vector<std::vector<std::byte>> objects(layout.objects, std::vector<std::byte>(bytes));
  for_each_weight(shape, layout, type, [&](std::uint64_t index, const WeightPlace& place, std::uint64_t offset) {
    write_component(type, values[index], &objects[place.object][offset]);
  });
  return objects;
}

std::vector<float> unpack_weights(const WeightShape& shape, const WeightLayout& layout, DataType type,
                                  std::span<const std::vector<std::byte>> objects) {
  const std::uint64_t bytes = object_bytes(shape, layout, type);
  const bool fits = objects.size() == layout.objects &&
                    std::all_of(objects.begin(), objects.end(), [&](const auto& o) { return o.size() == bytes; });
  if (!fits) {
    throw InvalidInput(fmt::format("The weights {} in the layout {} lie in {} objects of {} bytes.", to_string(shape),
                                   to_string(layout), layout.objects, bytes));
  }
  std::vector<float> values(shape.elements());
  for_each_weight(shape, layout, type, [&](std::uint64_t index, const WeightPlace& place, std::uint64_t offset) {
    values[index] = static_cast<float>(read_component(type, &objects[place.object][offset]));
  });
  return values;
}

}  // namespace driftwood
