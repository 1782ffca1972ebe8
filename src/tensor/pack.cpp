#include "tensor/pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "base/error.h"
#include "base/half.h"
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

// Values that lie one after the other on both sides, at most: a slice's, or all channels of a position where their
// slices are neighbours.
std::uint64_t longest_run(const TensorDescriptor& descriptor) {
  const bool is_whole = descriptor.objects == 1 && descriptor.layout.tile == 0 && strides_of(descriptor).s == 1;
  return is_whole ? std::max(descriptor.shape.c, 4U) : 4;
}

// The texels of a tensor in tiles, in logical order.
template <typename Visit>
void for_each_texel(const TensorDescriptor& descriptor, const Visit& visit) {
  const Shape& shape = descriptor.shape;
  const CoordinateExpression place = coordinates(descriptor)[0];
  Position at;
  std::uint64_t index = 0;
  for (at.b = 0; at.b < shape.b; ++at.b) {
    for (at.y = 0; at.y < shape.h; ++at.y) {
      for (at.x = 0; at.x < shape.w; ++at.x) {
        for (at.s = 0; at.s < shape.slices(); ++at.s) {
          const std::uint64_t count = std::min(4U, shape.c - 4 * at.s);
          visit(index, count, std::uint64_t{0}, place.evaluate(at) * 4 * component_bytes(descriptor.data_type));
          index += count;
        }
      }
    }
  }
}

// Calls visit(index of its first value, values, object, byte offset) for every such run, in logical order. Runs may be
// as short as three values: what is done for each without need would take longer than the rest.
template <typename Visit>
void for_each_run(const TensorDescriptor& descriptor, const Visit& visit) {
  if (descriptor.layout.tile != 0) {
    for_each_texel(descriptor, visit);
    return;
  }
  const Shape& shape = descriptor.shape;
  const Strides strides = strides_of(descriptor);
  const std::uint64_t bytes = 4 * component_bytes(descriptor.data_type), most = longest_run(descriptor);
  const std::uint64_t channels = shape.c, objects = descriptor.objects;
  const std::uint64_t first = descriptor.part.first_slice * strides.s;
  // The innermost positions are those of one row where there is no depth.
  const bool has_depth = shape.d > 1;
  const std::uint64_t columns = has_depth ? shape.w : 1, inner = has_depth ? shape.d : shape.w;
  const std::uint64_t step = has_depth ? strides.d : strides.w;
  std::uint64_t index = 0;
  const auto visit_row = [&](std::uint64_t texel) {
    if (channels <= most) {
      for (std::uint64_t i = 0; i < inner; ++i, texel += step, index += channels)
        visit(index, channels, 0, texel * bytes);
      return;
    }
    for (std::uint64_t i = 0; i < inner; ++i, texel += step) {
      std::uint64_t slice = texel, object = 0;
      for (std::uint64_t c = 0; c < channels; c += most) {
        const std::uint64_t count = std::min(most, channels - c);
        visit(index, count, object, slice * bytes);
        index += count;
        if (++object < objects) continue;
        object = 0;
        slice += strides.s;
      }
    }
  };
  for (std::uint64_t b = 0; b < shape.b; ++b) {
    for (std::uint64_t y = 0; y < shape.h; ++y) {
      for (std::uint64_t x = 0; x < columns; ++x) visit_row(first + b * strides.b + y * strides.h + x * strides.w);
    }
  }
}

// Halves in logical order on their way to or from runs of a texel, so many that converting them is worth a loop.
struct Gathered {
  static constexpr std::size_t most = 1024;
  std::array<std::uint16_t, most + 4> halves = {};  // a whole texel is copied, whatever of it counts
  std::size_t count = 0;
};

void unpack_halves(const TensorDescriptor& descriptor, std::span<const std::vector<std::byte>> objects,
                   std::span<float> values) {
  if (longest_run(descriptor) > 4) {
    for_each_run(descriptor, [&](std::uint64_t index, std::uint64_t count, std::uint64_t object, std::uint64_t offset) {
      halves_to_floats({reinterpret_cast<const std::uint16_t*>(&objects[object][offset]), count}, &values[index]);
    });
    return;
  }
  Gathered gathered;
  const auto convert = [&](std::uint64_t end) {
    halves_to_floats({gathered.halves.data(), gathered.count}, values.data() + end - gathered.count);
    gathered.count = 0;
  };
  for_each_run(descriptor, [&](std::uint64_t index, std::uint64_t count, std::uint64_t object, std::uint64_t offset) {
    std::memcpy(&gathered.halves[gathered.count], &objects[object][offset], 4 * sizeof(std::uint16_t));
    gathered.count += count;
    if (gathered.count >= Gathered::most) convert(index + count);
  });
  convert(values.size());
}

void pack_halves(const TensorDescriptor& descriptor, std::span<const float> values,
                 std::vector<std::vector<std::byte>>& objects) {
  if (longest_run(descriptor) > 4) {
    for_each_run(descriptor, [&](std::uint64_t index, std::uint64_t count, std::uint64_t object, std::uint64_t offset) {
      floats_to_halves({&values[index], count}, reinterpret_cast<std::uint16_t*>(&objects[object][offset]));
    });
    return;
  }
  Gathered gathered;
  std::uint64_t first = 0;  // value of those gathered
  for_each_run(descriptor, [&](std::uint64_t index, std::uint64_t count, std::uint64_t object, std::uint64_t offset) {
    if (index + count > first + gathered.count) {
      first = index;
      gathered.count = std::min<std::size_t>(Gathered::most, values.size() - first);
      floats_to_halves(values.subspan(first, gathered.count), gathered.halves.data());
    }
    std::array<std::uint16_t, 4> texel;  // zero behind the last channel
    for (std::size_t i = 0; i < 4; ++i) texel[i] = i < count ? gathered.halves[index - first + i] : std::uint16_t{0};
    std::memcpy(&objects[object][offset], texel.data(), sizeof texel);
  });
}

// Floats take this way by the million, with every picture.
void unpack_floats(const TensorDescriptor& descriptor, std::span<const std::vector<std::byte>> objects,
                   std::span<float> values) {
  if (descriptor.data_type == DataType::F16) return unpack_halves(descriptor, objects, values);
  for_each_run(descriptor, [&](std::uint64_t index, std::uint64_t count, std::uint64_t object, std::uint64_t offset) {
    std::memcpy(&values[index], &objects[object][offset], count * sizeof(float));
  });
}

void pack_floats(const TensorDescriptor& descriptor, std::span<const float> values,
                 std::vector<std::vector<std::byte>>& objects) {
  if (descriptor.data_type == DataType::F16) return pack_halves(descriptor, values, objects);
  for_each_run(descriptor, [&](std::uint64_t index, std::uint64_t count, std::uint64_t object, std::uint64_t offset) {
    std::memcpy(&objects[object][offset], &values[index], count * sizeof(float));
  });
}

bool is_float(DataType type) { return type == DataType::F32 || type == DataType::F16; }

template <typename Number>
std::vector<std::vector<std::byte>> pack_numbers(const TensorDescriptor& descriptor, std::span<const Number> values) {
  const std::uint64_t bytes = object_bytes(descriptor);
  if (values.size() != descriptor.shape.elements()) {
    throw InvalidInput(fmt::format("The tensor {} takes {} values, but there are {}.", to_string(descriptor),
                                   descriptor.shape.elements(), values.size()));
  }
  std::vector<std::vector<std::byte>> objects(descriptor.objects, std::vector<std::byte>(bytes));
  if constexpr (std::is_same_v<Number, float>) {
    if (is_float(descriptor.data_type)) return pack_floats(descriptor, values, objects), objects;
  }
  const std::uint64_t component = component_bytes(descriptor.data_type);
  for_each_run(descriptor, [&](std::uint64_t first, std::uint64_t count, std::uint64_t object, std::uint64_t offset) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto value = static_cast<double>(values[first + i]);
      if (!component_holds(descriptor.data_type, value)) {
        throw InvalidInput(fmt::format("Value {} of the tensor {} is {}, which is outside the range of {}.", first + i,
                                       to_string(descriptor), value, to_string(descriptor.data_type)));
      }
      write_component(descriptor.data_type, value, &objects[object][offset + i * component]);
    }
  });
  return objects;
}

template <typename Number>
void unpack_numbers(const TensorDescriptor& descriptor, std::span<const std::vector<std::byte>> objects,
                    std::span<Number> values) {
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
  if (values.size() != descriptor.shape.elements()) {
    throw InvalidInput(fmt::format("The tensor {} holds {} values, but there is room for {}.", to_string(descriptor),
                                   descriptor.shape.elements(), values.size()));
  }
  if constexpr (std::is_same_v<Number, float>) {
    if (is_float(descriptor.data_type)) return unpack_floats(descriptor, objects, values);
  }
  const std::uint64_t component = component_bytes(descriptor.data_type);
  for_each_run(descriptor, [&](std::uint64_t first, std::uint64_t count, std::uint64_t object, std::uint64_t offset) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const double number = read_component(descriptor.data_type, &objects[object][offset + i * component]);
      values[first + i] = static_cast<Number>(number);
    }
  });
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
  std::vector<Number> values(descriptor.shape.elements());
  unpack_numbers(descriptor, objects, std::span(values));
  return values;
}

void unpack(const TensorDescriptor& descriptor, std::span<const std::vector<std::byte>> objects,
            std::span<float> values) {
  unpack_numbers(descriptor, objects, values);
}

template std::vector<float> unpack(const TensorDescriptor&, std::span<const std::vector<std::byte>>);
template std::vector<std::int32_t> unpack(const TensorDescriptor&, std::span<const std::vector<std::byte>>);
template std::vector<std::uint32_t> unpack(const TensorDescriptor&, std::span<const std::vector<std::byte>>);

}  // namespace driftwood
