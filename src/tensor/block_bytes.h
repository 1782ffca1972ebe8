// Little-endian numbers inside blocks, which have no alignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/half.h"

namespace driftwood {

/// The byte at `at` as an unsigned number, wide enough for shifts.
inline std::uint32_t byte_at(const std::byte* at) { return std::to_integer<std::uint32_t>(*at); }

/// The byte at `at` as a signed number.
inline std::int32_t signed_byte_at(const std::byte* at) { return static_cast<std::int8_t>(*at); }

/// The plain number at `at`. GGUF and safetensors are little-endian, as is every host Driftwood runs on.
template <typename Number>
Number number_at(const std::byte* at) {
  Number number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

/// The binary16 number at `at`.
inline float half_at(const std::byte* at) { return half_to_float(number_at<std::uint16_t>(at)); }

}  // namespace driftwood
