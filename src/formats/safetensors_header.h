// One safetensors file, whole or a shard, read from its bytes; and the names of its element types.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/stored_tensor.h"

namespace driftwood {

struct SafetensorsPart {
  std::map<std::string, std::string> metadata;
  std::vector<StoredTensor> tensors;  // in the order of their data
};

/// Reads and checks the header. Tensors view `file`.
SafetensorsPart read_safetensors_part(std::span<const std::byte> file);

/// "F16" for DataType::F16 and so on. Throws InvalidInput for block formats, which safetensors files lack.
std::string_view safetensors_type_name(DataType type);

/// Headers longer than this are refused, as the format's own library does.
inline constexpr std::size_t longest_safetensors_header = 100'000'000;

}  // namespace driftwood
