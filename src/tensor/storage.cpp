#include "tensor/storage.h"

#include <fmt/format.h>

#include "base/checked.h"
#include "base/error.h"

namespace driftwood {
namespace {

constexpr std::array<Axis, 5> all_axes = {Axis::B, Axis::H, Axis::W, Axis::D, Axis::S};
constexpr std::string_view axis_letters = "BHWDS";
constexpr std::uint64_t max_coordinate = 0x7FFFFFFF;  // kernels compute coordinates in 32 bits

bool is_texel_type(DataType type) {
  return type == DataType::F32 || type == DataType::F16 || type == DataType::I8 || type == DataType::U8 ||
         type == DataType::I32 || type == DataType::U32;
}

// Texels along x, all positions of the last tile among them.
std::uint64_t tiled_texels(const TensorDescriptor& descriptor) {
  const Shape& shape = descriptor.shape;
  return round_up(std::uint64_t{shape.h} * shape.w * shape.b, descriptor.layout.tile) * shape.slices();
}

int occurrences(const Layout& layout, Axis axis) {
  int count = 0;
  for (const AxisList& dimension : layout.dimensions) {
    for (const Axis listed : dimension) count += listed == axis ? 1 : 0;
  }
  return count;
}

}  // namespace

std::string to_string(const TensorDescriptor& descriptor) {
  std::string text = fmt::format("{} {} in {}, {}", to_string(descriptor.data_type), to_string(descriptor.shape),
                                 to_string(descriptor.storage), to_string(descriptor.layout));
  if (descriptor.objects > 1) text += fmt::format(", {} objects", descriptor.objects);
  if (const TensorPart& part = descriptor.part; part.of_slices != 0) {
    text += fmt::format(", slices from {} on of {}", part.first_slice, part.of_slices);
  }
  return text;
}

void validate(const TensorDescriptor& descriptor) {
  const auto fail = [&](const std::string& why) {
    throw InvalidInput(fmt::format("The tensor {} {}.", to_string(descriptor), why));
  };
  texel_bytes(descriptor.data_type);
  if (descriptor.objects == 0) fail("has no objects");
  for (const Axis axis : all_axes) {
    const char letter = axis_letters[static_cast<std::size_t>(axis)];
    const std::uint32_t extent = axis_extent(descriptor.shape, axis);
    if (extent == 0) fail(fmt::format("has the extent 0 along {}", letter));
    const int count = occurrences(descriptor.layout, axis);
    if (count > 1) fail(fmt::format("names the axis {} {} times in its layout", letter, count));
    if (count == 0 && object_axis_extent(descriptor, axis) > 1) {
      fail(fmt::format("has a layout without the axis {}, whose extent is {}", letter, extent));
    }
  }
  if (const TensorPart& part = descriptor.part; part.of_slices != 0) {
    if (descriptor.objects != 1 || descriptor.layout.tile != 0) fail("is a part of several objects or of tiles");
    if (std::uint64_t{part.first_slice} + descriptor.shape.slices() > part.of_slices)
      fail("is no part of so many slices");
  } else if (part.first_slice != 0) {
    fail("begins at a slice of no other tensor");
  }
  if (descriptor.layout.tile != 0) {
    const bool is_one_buffer = descriptor.storage == StorageKind::Buffer && descriptor.objects == 1;
    if (!is_one_buffer) fail("has tiles, and is no single buffer");
    if (descriptor.layout.dimensions != tiled_layout(0).dimensions) fail("has tiles of other axes than H W B S");
    if (descriptor.shape.slices() % 16 != 0) {
      fail(fmt::format("has tiles and {} slices, which is no multiple of 16", descriptor.shape.slices()));
    }
    if (tiled_texels(descriptor) > max_coordinate) {
      fail(fmt::format("has more than {} texels in its tiles, the most that 32-bit coordinates reach", max_coordinate));
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const AxisList& dimension = descriptor.layout.dimensions[i];
    if (static_cast<int>(i) >= coordinate_count(descriptor.storage) && dimension.count > 0) {
      fail(fmt::format("has a layout with {} coordinates, but its storage kind has {}", i + 1,
                       coordinate_count(descriptor.storage)));
    }
    std::uint64_t texels = 1;
    for (const Axis axis : dimension) {
      texels *= object_axis_extent(descriptor, axis);
      if (texels > max_coordinate) {
        fail(fmt::format("has more than {} texels along {}, the most that 32-bit coordinates reach", max_coordinate,
                         "xyz"[i]));
      }
    }
  }
}

std::uint32_t axis_extent(const Shape& shape, Axis axis) {
  const std::array<std::uint32_t, 5> extents = {shape.b, shape.h, shape.w, shape.d, shape.slices()};  // as Axis
  return extents[static_cast<std::size_t>(axis)];
}

std::uint32_t object_axis_extent(const TensorDescriptor& descriptor, Axis axis) {
  if (axis == Axis::S && descriptor.part.of_slices != 0) return descriptor.part.of_slices;
  const std::uint32_t extent = axis_extent(descriptor.shape, axis);
  return axis == Axis::S ? static_cast<std::uint32_t>(divide_up(extent, descriptor.objects)) : extent;
}

std::array<std::uint32_t, 3> object_extents(const TensorDescriptor& descriptor) {
  validate(descriptor);
  std::array<std::uint32_t, 3> extents = {1, 1, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    for (const Axis axis : descriptor.layout.dimensions[i]) extents[i] *= object_axis_extent(descriptor, axis);
  }
  if (descriptor.layout.tile != 0) extents[0] = static_cast<std::uint32_t>(tiled_texels(descriptor));
  return extents;
}

std::uint32_t texel_bytes(DataType type) {
  if (!is_texel_type(type)) {
    throw InvalidInput(fmt::format("Tensors cannot hold texels of type {}; f32, f16, i8, u8, i32 and u32 are possible.",
                                   to_string(type)));
  }
  return 4 * info(type).block_bytes;
}

std::uint64_t object_bytes(const TensorDescriptor& descriptor) {
  std::optional<std::uint64_t> bytes = texel_bytes(descriptor.data_type);
  for (const std::uint32_t extent : object_extents(descriptor)) {
    if (bytes) bytes = checked_multiply(*bytes, extent);
  }
  if (!bytes) throw InvalidInput(fmt::format("The bytes of {} exceed 64 bits.", to_string(descriptor)));
  return *bytes;
}

std::uint64_t tensor_bytes(const TensorDescriptor& descriptor) {
  const auto bytes = checked_multiply(object_bytes(descriptor), descriptor.objects);
  if (!bytes) throw InvalidInput(fmt::format("The bytes of {} exceed 64 bits.", to_string(descriptor)));
  return *bytes;
}

std::optional<LimitViolation> exceeded_limit(const TensorDescriptor& descriptor, const StorageLimits& limits) {
  const auto [width, height, depth] = object_extents(descriptor);
  std::array<LimitViolation, 3> quantities;
  switch (descriptor.storage) {
    case StorageKind::Buffer:
      quantities = {{{"size in bytes", object_bytes(descriptor), limits.max_buffer_bytes}}};
      break;
    case StorageKind::ImageBuffer: quantities = {{{"number of texels", width, limits.max_image_buffer}}}; break;
    case StorageKind::Texture2D:
      quantities = {{{"width", width, limits.max_image_2d[0]}, {"height", height, limits.max_image_2d[1]}}};
      break;
    case StorageKind::Texture3D:
      quantities = {{{"width", width, limits.max_image_3d[0]},
                     {"height", height, limits.max_image_3d[1]},
                     {"depth", depth, limits.max_image_3d[2]}}};
      break;
    case StorageKind::Texture2DArray:
      quantities = {{{"width", width, limits.max_image_2d[0]},
                     {"height", height, limits.max_image_2d[1]},
                     {"number of layers", depth, limits.max_image_layers}}};
      break;
  }
  for (LimitViolation& quantity : quantities) {
    if (quantity.value > quantity.limit) return std::move(quantity);
  }
  return std::nullopt;
}

void require_within(const TensorDescriptor& descriptor, const StorageLimits& limits) {
  const auto violation = exceeded_limit(descriptor, limits);
  if (!violation) return;
  throw Unsupported(fmt::format("The tensor {} needs a {} of {} for a {}, but the device allows {}.",
                                to_string(descriptor), violation->quantity, violation->value,
                                to_string(descriptor.storage), violation->limit));
}

}  // namespace driftwood
