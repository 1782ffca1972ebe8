#include "formats/gguf_tensor_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "formats/gguf_type_ids.h"
#include "formats/quote.h"

namespace driftwood {
namespace {

constexpr std::uint32_t most_dims = 4;
constexpr std::size_t longest_name = 255;

struct Entry {
  StoredTensor tensor;
  std::uint64_t offset;
};

std::vector<std::uint64_t> read_dims(ByteCursor& cursor, std::string_view name, std::string_view what) {
  const auto rank = cursor.read<std::uint32_t>(what);
  if (rank > most_dims) {
    throw InvalidInput(
        fmt::format("The tensor {} has {} dimensions; at most {} are allowed.", quote_name(name), rank, most_dims));
  }
  std::vector<std::uint64_t> dims(rank);
  for (std::uint64_t& extent : dims) extent = cursor.read<std::uint64_t>(what);
  if (std::ranges::find(dims, std::uint64_t{0}) != dims.end()) {
    throw InvalidInput(fmt::format("The tensor {} has the extents {}, but each must be at least 1.", quote_name(name),
                                   describe_dims(dims)));
  }
  return dims;
}

Entry read_entry(ByteCursor& cursor, std::uint64_t index) {
  const std::string_view name = cursor.read_string(fmt::format("the name of tensor {}", index));
  if (name.empty()) throw InvalidInput(fmt::format("The name of tensor {} is empty.", index));
  if (name.size() > longest_name) {
    throw InvalidInput(fmt::format("The tensor name {} has {} bytes; at most {} are allowed.", quote_name(name),
                                   name.size(), longest_name));
  }
  const std::string what = fmt::format("the description of the tensor {}", quote_name(name));
  Entry entry;
  entry.tensor.name = name;
  entry.tensor.dims = read_dims(cursor, name, what);
  entry.tensor.type = data_type_of_gguf(cursor.read<std::uint32_t>(what), name);
  entry.offset = cursor.read<std::uint64_t>(what);
  return entry;
}

}  // namespace

std::vector<StoredTensor> read_gguf_tensor_table(ByteCursor& cursor, std::span<const std::byte> file,
                                                 std::uint64_t count, std::uint64_t alignment) {
  std::vector<Entry> entries;
  entries.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) entries.push_back(read_entry(cursor, i));

  const std::uint64_t data_start = round_up(cursor.position(), alignment);
  std::vector<StoredTensor> tensors;
  tensors.reserve(entries.size());
  for (Entry& entry : entries) {
    StoredTensor& tensor = entry.tensor;
    const std::uint64_t bytes = stored_bytes(tensor.name, tensor.type, tensor.dims);
    if (entry.offset % alignment != 0) {
      throw InvalidInput(
          fmt::format("The data of the tensor {} are at offset {}, which is no multiple of the alignment {}.",
                      quote_name(tensor.name), entry.offset, alignment));
    }
    const auto begin = checked_add(data_start, entry.offset);
    const auto end = begin ? checked_add(*begin, bytes) : std::nullopt;
    if (!end || *end > file.size()) {
      throw InvalidInput(fmt::format(
          "The data of the tensor {}, {} bytes at offset {}, reach past the end of the file, which "
          "has {} bytes of data.",
          quote_name(tensor.name), bytes, entry.offset, file.size() > data_start ? file.size() - data_start : 0));
    }
    tensor.bytes = file.subspan(static_cast<std::size_t>(*begin), static_cast<std::size_t>(bytes));
    tensors.push_back(std::move(tensor));
  }
  refuse_overlaps(tensors);
  return tensors;
}

}  // namespace driftwood
