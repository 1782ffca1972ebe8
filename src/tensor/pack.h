// Host packing: from numbers in logical order to the bytes of a tensor's physical objects, and back.
//
// Logical order is B H W D C, channels fastest. Each object is tightly packed, x fastest, as devices upload it; padding
// channels and unused texels are zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tensor/descriptor.h"

namespace driftwood {

/// The bytes of every object. `values` holds shape.elements() numbers. Integer types take numbers in their range,
/// rounded to nearest even. Throws InvalidInput where the count or a value does not fit.
std::vector<std::vector<std::byte>> pack(const TensorDescriptor& descriptor, std::span<const float> values);
std::vector<std::vector<std::byte>> pack(const TensorDescriptor& descriptor, std::span<const std::int32_t> values);
std::vector<std::vector<std::byte>> pack(const TensorDescriptor& descriptor, std::span<const std::uint32_t> values);

/// The numbers in logical order. `objects` holds object_bytes(descriptor) bytes for each object. Number: float,
/// std::int32_t or std::uint32_t.
template <typename Number>
std::vector<Number> unpack(const TensorDescriptor& descriptor, std::span<const std::vector<std::byte>> objects);
/// The same into `values`, which holds shape.elements() numbers; throws InvalidInput where it does not.
void unpack(const TensorDescriptor& descriptor, std::span<const std::vector<std::byte>> objects,
            std::span<float> values);

}  // namespace driftwood
