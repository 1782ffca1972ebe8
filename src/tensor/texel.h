// Single components of stored texels: writing and reading numbers of a texel type.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "base/half.h"
#include "tensor/data_type.h"

namespace driftwood {

/// Bytes of one component of a texel type.
inline std::size_t component_bytes(DataType type) { return info(type).block_bytes; }

/// Whether `value` can be stored: integers take numbers in their range (rounded to nearest even).
inline bool component_holds(DataType type, double value) {
  const double rounded = std::nearbyint(value);
  const auto within = [&](double low, double high) { return rounded >= low && rounded <= high; };
  switch (type) {
    case DataType::I8: return within(-128, 127);
    case DataType::U8: return within(0, 255);
    case DataType::I32:
      return within(std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max());
    case DataType::U32: return within(0, std::numeric_limits<std::uint32_t>::max());
    default: return true;
  }
}

/// Writes one component. `value` is one that component_holds.
inline void write_component(DataType type, double value, std::byte* at) {
  const auto write = [at](auto number) { std::memcpy(at, &number, sizeof number); };
  switch (type) {
    case DataType::F16: return write(float_to_half(static_cast<float>(value)));
    case DataType::I8: return write(static_cast<std::int8_t>(std::nearbyint(value)));
    case DataType::U8: return write(static_cast<std::uint8_t>(std::nearbyint(value)));
    case DataType::I32: return write(static_cast<std::int32_t>(std::nearbyint(value)));
    case DataType::U32: return write(static_cast<std::uint32_t>(std::nearbyint(value)));
    default: return write(static_cast<float>(value));
  }
}

/// Reads one component; every texel type fits a double.
inline double read_component(DataType type, const std::byte* at) {
  const auto read = [at](auto number) {
    std::memcpy(&number, at, sizeof number);
    return number;
  };
  switch (type) {
    case DataType::F16: return half_to_float(read(std::uint16_t{}));
    case DataType::I8: return read(std::int8_t{});
    case DataType::U8: return read(std::uint8_t{});
    case DataType::I32: return read(std::int32_t{});
    case DataType::U32: return read(std::uint32_t{});
    default: return read(float{});
  }
}

}  // namespace driftwood
