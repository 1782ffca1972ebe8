#include "formats/gguf_tensor_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "formats/quote.h"

namespace driftwood {
namespace {

constexpr std::uint32_t most_dims = 4;
constexpr std::size_t longest_name = 255;

// ggml's type ids. Some were given up, some name formats that Driftwood does not decode.
enum class Standing { Read, Unread, Removed };
struct TypeId {
  std::uint32_t id;
  std::string_view name;
  Standing standing;
  DataType type = DataType::F32;
};
constexpr std::array<TypeId, 42> type_ids = {{
    {0, "F32", Standing::Read, DataType::F32},
    {1, "F16", Standing::Read, DataType::F16},
    {2, "Q4_0", Standing::Read, DataType::Q4_0},
    {3, "Q4_1", Standing::Read, DataType::Q4_1},
    {4, "Q4_2", Standing::Removed},
    {5, "Q4_3", Standing::Removed},
    {6, "Q5_0", Standing::Read, DataType::Q5_0},
    {7, "Q5_1", Standing::Read, DataType::Q5_1},
    {8, "Q8_0", Standing::Read, DataType::Q8_0},
    {9, "Q8_1", Standing::Unread},
    {10, "Q2_K", Standing::Read, DataType::Q2_K},
    {11, "Q3_K", Standing::Read, DataType::Q3_K},
    {12, "Q4_K", Standing::Read, DataType::Q4_K},
    {13, "Q5_K", Standing::Read, DataType::Q5_K},
    {14, "Q6_K", Standing::Read, DataType::Q6_K},
    {15, "Q8_K", Standing::Read, DataType::Q8_K},
    {16, "IQ2_XXS", Standing::Unread},
    {17, "IQ2_XS", Standing::Unread},
    {18, "IQ3_XXS", Standing::Unread},
    {19, "IQ1_S", Standing::Unread},
    {20, "IQ4_NL", Standing::Unread},
    {21, "IQ3_S", Standing::Unread},
    {22, "IQ2_S", Standing::Unread},
    {23, "IQ4_XS", Standing::Unread},
    {24, "I8", Standing::Read, DataType::I8},
    {25, "I16", Standing::Read, DataType::I16},
    {26, "I32", Standing::Read, DataType::I32},
    {27, "I64", Standing::Read, DataType::I64},
    {28, "F64", Standing::Read, DataType::F64},
    {29, "IQ1_M", Standing::Unread},
    {30, "BF16", Standing::Read, DataType::BF16},
    {31, "Q4_0_4_4", Standing::Removed},
    {32, "Q4_0_4_8", Standing::Removed},
    {33, "Q4_0_8_8", Standing::Removed},
    {34, "TQ1_0", Standing::Unread},
    {35, "TQ2_0", Standing::Unread},
    {36, "IQ4_NL_4_4", Standing::Removed},
    {37, "IQ4_NL_4_8", Standing::Removed},
    {38, "IQ4_NL_8_8", Standing::Removed},
    {39, "MXFP4", Standing::Unread},
    {40, "NVFP4", Standing::Unread},
    {41, "Q1_0", Standing::Unread},
}};

DataType data_type_of(std::uint32_t id, std::string_view name) {
  const auto found = std::ranges::find(type_ids, id, &TypeId::id);
  if (found == type_ids.end()) {
    throw InvalidInput(fmt::format("The tensor {} has the unknown type id {}; the last known one is {}.",
                                   quote_name(name), id, type_ids.back().id));
  }
  if (found->standing == Standing::Removed) {
    throw InvalidInput(
        fmt::format("The tensor {} has the type id {} ({}), which was removed from the format; convert the "
                    "model anew.",
                    quote_name(name), id, found->name));
  }
  if (found->standing == Standing::Unread) {
    throw Unsupported(fmt::format("The tensor {} has the type {} (id {}), which is not supported.", quote_name(name),
                                  found->name, id));
  }
  return found->type;
}

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
  entry.tensor.type = data_type_of(cursor.read<std::uint32_t>(what), name);
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
