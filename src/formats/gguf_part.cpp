#include "formats/gguf_part.h"

#include <fmt/format.h>

#include <bit>
#include <string>
#include <utility>

#include "base/error.h"
#include "formats/byte_cursor.h"
#include "formats/gguf_tensor_table.h"
#include "formats/quote.h"

namespace driftwood {
namespace {

constexpr std::string_view magic = "GGUF";
constexpr std::uint64_t smallest_metadata_entry = 8 + 4 + 1;  // key length, type, one byte of value
constexpr std::size_t longest_key = 65535;                    // the format's own limit

constexpr std::string_view alignment_key = "general.alignment";
constexpr std::uint32_t default_alignment = 32;
constexpr std::uint32_t smallest_alignment = 8;
constexpr std::uint32_t largest_alignment = 65536;  // a page of any system; nothing gains from more

void read_magic(ByteCursor& cursor) {
  if (cursor.remaining() == 0) throw InvalidInput("The file is empty.");
  const auto bytes = cursor.take(std::min(cursor.remaining(), magic.size()), "the magic number");
  const std::string_view found(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (found != magic) {
    throw InvalidInput(
        fmt::format("This is no GGUF file: it begins with {} instead of {}.", quote_name(found), quote_name(magic)));
  }
}

std::uint32_t read_version(ByteCursor& cursor) {
  const auto version = cursor.read<std::uint32_t>("the version");
  // A big-endian file has its small version number in the upper bytes.
  if (version != 0 && (version & 0xFFFF) == 0) {
    throw Unsupported(
        fmt::format("The GGUF version is {}: a big-endian file of version {}. Only little-endian files are supported.",
                    version, __builtin_bswap32(version)));
  }
  if (version != 2 && version != 3) {
    throw Unsupported(fmt::format("The GGUF version {} is not supported, only 2 and 3 are.", version));
  }
  return version;
}

GgufMetadata read_metadata(ByteCursor& cursor, std::uint64_t count) {
  std::vector<GgufMetadata::Entry> entries;
  entries.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string_view key = cursor.read_string(fmt::format("the key of metadata entry {}", i));
    if (key.size() > longest_key) {
      throw InvalidInput(fmt::format("The metadata key {} has {} bytes; at most {} are allowed.", quote_name(key),
                                     key.size(), longest_key));
    }
    entries.push_back({key, read_gguf_value(cursor, fmt::format("the metadata key {}", quote_name(key)))});
  }
  return GgufMetadata(std::move(entries));
}

std::uint32_t alignment_of(const GgufMetadata& metadata) {
  const std::uint32_t alignment = metadata.find_u32(alignment_key).value_or(default_alignment);
  if (!std::has_single_bit(alignment) || alignment < smallest_alignment || alignment > largest_alignment) {
    throw InvalidInput(fmt::format("The metadata key {} is {}, but must be a power of two between {} and {}.",
                                   quote_name(alignment_key), alignment, smallest_alignment, largest_alignment));
  }
  return alignment;
}

}  // namespace

GgufPart read_gguf_part(std::span<const std::byte> file) {
  ByteCursor cursor(file);
  read_magic(cursor);
  GgufPart part;
  part.version = read_version(cursor);
  const std::uint64_t tensors = cursor.read_count(smallest_gguf_tensor_entry, "tensors");
  const std::uint64_t keys = cursor.read_count(smallest_metadata_entry, "metadata entries");
  part.metadata = read_metadata(cursor, keys);
  part.tensors = read_gguf_tensor_table(cursor, file, tensors, alignment_of(part.metadata));
  return part;
}

}  // namespace driftwood
