#include "tensor/pack.h"

#include <fmt/format.h>

#include "base/error.h"
#include "tensor/coordinate.h"
#include "tensor/storage.h"
#include "tensor/texel.h"

namespace driftwood {
namespace {

// How far the texel index moves for each step along a logical axis.
struct Strides {
  std::uint64_t b = 0, h = 0, w = 0, d = 0, s = 0;
};

Strides strides_of(const TensorDescriptor& descriptor) {
  std::array<std::uint64_t, 5> strides = {};  // as Axis
  std::uint64_t stride = 1;
  for (const AxisList& dimension : descriptor.layout.dimensions) {
    for (std::size_t i = dimension.count; i-- > 0;) {
      strides[static_cast<std::size_t>(dimension.axes[i])] = stride;
      stride *= object_axis_extent(descriptor, dimension.axes[i]);
    }
  }
  return {strides[0], strides[1], strides[2], strides[3], strides[4]};
}

// Calls visit(value index, object, byte offset) for every logical element in logical order.
template <typename Visit>
void for_each_element(const TensorDescriptor& descriptor, const Visit& visit) {
  const Shape& shape = descriptor.shape;
  const Strides strides = strides_of(descriptor);
  const std::uint64_t component = component_bytes(descriptor.data_type);
  std::uint64_t index = 0;
  for (std::uint64_t b = 0; b < shape.b; ++b) {
    for (std::uint64_t y = 0; y < shape.h; ++y) {
      for (std::uint64_t x = 0; x < shape.w; ++x) {
        for (std::uint64_t d = 0; d < shape.d; ++d) {
          const std::uint64_t start = b * strides.b + y * strides.h + x * strides.w + d * strides.d;
          for (std::uint64_t c = 0; c < shape.c; ++c, ++index) {
            const std::uint64_t slice = c / 4;
            const std::uint64_t texel = start + slice / descriptor.objects * strides.s;
            visit(index, slice % descriptor.objects, (texel * 4 + c % 4) * component);
          }
        }
      }
    }
  }
}

template <typename Number>
std::vector<std::vector<std::byte>> pack_numbers(const TensorDescriptor& descriptor, std::span<const Number> values) {
  const std::uint64_t bytes = object_bytes(descriptor);
  if (values.size() != descriptor.shape.elements()) {
    throw InvalidInput(fmt::format("The tensor {} takes {} values, but there are {}.", to_string(descriptor),
                                   descriptor.shape.elements(), values.size()));
  }
  std::vector<std::vector<std::byte>> objects(descriptor.objects, std::vector<std::byte>(bytes));
  for_each_element(descriptor, [&](std::uint64_t index, std::uint64_t object, std::uint64_t offset) {
    const auto value = static_cast<double>(values[index]);
    if (!component_holds(descriptor.data_type, value)) {
      throw InvalidInput(fmt::format("Value {} of the tensor {} is {}, which is outside the range of {}.", index,
                                     to_string(descriptor), value, to_string(descriptor.data_type)));
    }
    write_component(descriptor.data_type, value, &objects[object][offset]);
  });
  return objects;
}

}  // namespace

std::vector<std::vector<std::byte>> pack(const TensorDescriptor& descriptor, std::span<const float> values) {
  return pack_numbers(descriptor, values);
}

std::vector<std::vector<std::byte>> pack(const TensorDescriptor& descriptor, std::span<const std::int32_t> values) {
  return pack_numbers(descriptor, values);
}

std::vector<std::vector<std::byte>> pack(const TensorDescriptor& descriptor, std::span<const std::uint32_t> values) {
  return pack_numbers(descriptor, values);
}

template <typename Number>
std::vector<Number> unpack(const TensorDescriptor& descriptor, std::span<const std::vector<std::byte>> objects) {
  const std::uint64_t bytes = object_bytes(descriptor);
  if (objects.size() != descriptor.objects) {
    throw InvalidInput(fmt::format("The tensor {} lies in {} objects, but there are {}.", to_string(descriptor),
                                   descriptor.objects, objects.size()));
  }
  for (const std::vector<std::byte>& object : objects) {
    if (object.size() != bytes) {
      throw InvalidInput(fmt::format("An object of the tensor {} has {} bytes, but there are {}.",
                                     to_string(descriptor), bytes, object.size()));
    }
  }
  std::vector<Number> values(descriptor.shape.elements());
  for_each_element(descriptor, [&](std::uint64_t index, std::uint64_t object, std::uint64_t offset) {
    values[index] = static_cast<Number>(read_component(descriptor.data_type, &objects[object][offset]));
  });
  return values;
}

template std::vector<float> unpack(const TensorDescriptor&, std::span<const std::vector<std::byte>>);
template std::vector<std::int32_t> unpack(const TensorDescriptor&, std::span<const std::vector<std::byte>>);
template std::vector<std::uint32_t> unpack(const TensorDescriptor&, std::span<const std::vector<std::byte>>);

}  // namespace driftwood
