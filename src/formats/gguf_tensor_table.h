// The tensor table of a GGUF file: names, extents, types and offsets, before the data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "formats/byte_cursor.h"
#include "formats/stored_tensor.h"

namespace driftwood {

/// Reads `count` entries at the cursor, which runs over `file` from its first byte. The data follow the table at the
/// next multiple of `alignment`, a power of two; offsets count from there. Throws InvalidInput or Unsupported, naming
/// the tensor, where an entry is wrong or its data are not in the file.
std::vector<StoredTensor> read_gguf_tensor_table(ByteCursor& cursor, std::span<const std::byte> file,
                                                 std::uint64_t count, std::uint64_t alignment);

/// The bytes that an entry of the table takes at least.
inline constexpr std::uint64_t smallest_gguf_tensor_entry = 8 + 4 + 4 + 8;

}  // namespace driftwood
