// The numbers that stand for tensor types in a GGUF file: ggml's, and Driftwood's own far above them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tensor/data_type.h"

namespace driftwood {

/// Types that ggml does not have are numbered from here ("DW" and a number): other readers refuse such a tensor by its
/// type instead of misreading it.
inline constexpr std::uint32_t first_private_gguf_type = 0x44570000;

/// The type of that number. `name` is the tensor's, for messages. Throws InvalidInput for unknown numbers and those
/// removed from the format, Unsupported for formats that Driftwood does not decode.
DataType data_type_of_gguf(std::uint32_t id, std::string_view name);

/// The number of a type, or nothing where GGUF has none for it.
std::optional<std::uint32_t> gguf_type_id(DataType type);

/// Whether every reader of GGUF may know the type, as it has a number of ggml's.
bool is_public_gguf_type(DataType type);

}  // namespace driftwood
