// One GGUF file, whole or a shard, read from its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/gguf_metadata.h"
#include "formats/stored_tensor.h"

namespace driftwood {

struct GgufPart {
  std::uint32_t version;
  GgufMetadata metadata;
  std::vector<StoredTensor> tensors;
};

/// Reads and checks everything before the data. Strings, arrays and tensors view `file`.
GgufPart read_gguf_part(std::span<const std::byte> file);

}  // namespace driftwood
