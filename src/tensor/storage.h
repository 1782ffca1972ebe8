// The physical objects of a tensor: how many texels and bytes, and whether a device can hold them.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "tensor/descriptor.h"

namespace driftwood {

/// "f32 (1, 2, 3, 5) in 2D texture, x: W B D, y: H S".
std::string to_string(const TensorDescriptor& descriptor);

/// Throws InvalidInput unless the descriptor makes sense: extents and objects above 0, a texel type, each axis that
/// is longer than 1 in the layout exactly once and in a dimension the storage kind has, coordinates below 2^31; in
/// tiles one buffer of positions and slices, these a multiple of 16; of a part no more slices than the whole has.
void validate(const TensorDescriptor& descriptor);

/// The extent of an axis, S meaning slices.
std::uint32_t axis_extent(const Shape& shape, Axis axis);

/// The extent of an axis inside one object: for S ceil(S / objects), or of a part all slices of the whole.
std::uint32_t object_axis_extent(const TensorDescriptor& descriptor, Axis axis);

/// Texels of each object along x, y, z (1 where the storage kind has no such coordinate). All objects of a tensor are
/// equal; the last ones may hold unused texels. Throws as validate.
std::array<std::uint32_t, 3> object_extents(const TensorDescriptor& descriptor);

/// Bytes of one vec4 texel of a stored type. Throws InvalidInput for other types than F32 F16 I8 U8 I32 U32.
std::uint32_t texel_bytes(DataType type);

/// Bytes of one object, tightly packed. Throws InvalidInput where they do not fit 64 bits.
std::uint64_t object_bytes(const TensorDescriptor& descriptor);

/// Bytes of all objects.
std::uint64_t tensor_bytes(const TensorDescriptor& descriptor);

/// What a device can hold. Zero: it has no such object. Fields as in gpu::DeviceFacts.
struct StorageLimits {
  std::uint64_t max_buffer_bytes = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t max_image_buffer = 0;  // texels
  std::array<std::uint32_t, 2> max_image_2d = {0, 0};
  std::array<std::uint32_t, 3> max_image_3d = {0, 0, 0};
  std::uint32_t max_image_layers = 0;
};

struct LimitViolation {
  std::string quantity;  // "width", "height", "depth", "number of layers", "number of texels", "size in bytes"
  std::uint64_t value = 0;
  std::uint64_t limit = 0;
};

/// The first limit that an object of the tensor exceeds, or nothing.
std::optional<LimitViolation> exceeded_limit(const TensorDescriptor& descriptor, const StorageLimits& limits);

/// Throws Unsupported, naming tensor, value and limit, where exceeded_limit finds one.
void require_within(const TensorDescriptor& descriptor, const StorageLimits& limits);

}  // namespace driftwood
