// Builds safetensors files in memory for tests from any header text.
#pragma once

#include <string_view>

#include "formats/gguf_builder.h"

namespace driftwood::testing {

/// Length, header and `data` zero bytes.
inline std::vector<std::byte> safetensors(std::string_view header, std::size_t data = 0) {
  return Bytes().string(header).zeros(data).get();
}

}  // namespace driftwood::testing
