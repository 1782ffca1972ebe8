#include "formats/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "formats/byte_cursor.h"
#include "formats/guarded_json.h"
#include "formats/quote.h"

namespace driftwood {
namespace {

using nlohmann::json;

constexpr std::size_t most_dims = 8;
constexpr std::string_view metadata_key = "__metadata__";

constexpr std::array<std::pair<std::string_view, DataType>, 13> type_names = {{{"F64", DataType::F64},
                                                                               {"F32", DataType::F32},
                                                                               {"F16", DataType::F16},
                                                                               {"BF16", DataType::BF16},
                                                                               {"I64", DataType::I64},
                                                                               {"I32", DataType::I32},
                                                                               {"I16", DataType::I16},
                                                                               {"I8", DataType::I8},
                                                                               {"U64", DataType::U64},
                                                                               {"U32", DataType::U32},
                                                                               {"U16", DataType::U16},
                                                                               {"U8", DataType::U8},
                                                                               {"BOOL", DataType::Bool}}};

// Types that the format has and Driftwood does not.
constexpr std::array<std::string_view, 7> unread_types = {"F8_E5M2", "F8_E4M3", "F8_E8M0", "F4",
                                                          "F6_E2M3", "F6_E3M2", "C64"};

const json& field(const json& entry, const std::string& name, const char* key) {
  if (!entry.is_object()) throw InvalidInput(fmt::format("The entry of the tensor {} is no object.", quote_name(name)));
  const auto found = entry.find(key);
  if (found == entry.end()) throw InvalidInput(fmt::format("The tensor {} has no '{}'.", quote_name(name), key));
  return *found;
}

DataType read_type(const json& entry, const std::string& name) {
  const json& value = field(entry, name, "dtype");
  if (!value.is_string())
    throw InvalidInput(fmt::format("The 'dtype' of the tensor {} is no string.", quote_name(name)));
  const auto& type = value.get_ref<const std::string&>();
  const auto found = std::ranges::find(type_names, std::string_view(type), [](const auto& row) { return row.first; });
  if (found != type_names.end()) return found->second;
  const std::string message =
      fmt::format("The tensor {} has the type {}, which is ", quote_name(name), quote_name(type));
  if (std::ranges::find(unread_types, type) != unread_types.end()) throw Unsupported(message + "not supported.");
  throw InvalidInput(message + "unknown.");
}

std::vector<std::uint64_t> read_integers(const json& entry, const std::string& name, const char* key) {
  const json& list = field(entry, name, key);
  if (!list.is_array()) throw InvalidInput(fmt::format("The '{}' of the tensor {} is no list.", key, quote_name(name)));
  std::vector<std::uint64_t> integers;
  for (const json& number : list) {
    if (!number.is_number_unsigned()) {
      throw InvalidInput(fmt::format("The '{}' of the tensor {} holds something else than integers from 0 to 2^64 - 1.",
                                     key, quote_name(name)));
    }
    integers.push_back(number.get<std::uint64_t>());
  }
  return integers;
}

StoredTensor read_entry(const json& entry, const std::string& name, std::span<const std::byte> data) {
  StoredTensor tensor;
  tensor.name = name;
  tensor.type = read_type(entry, name);
  tensor.dims = read_integers(entry, name, "shape");
  if (tensor.dims.size() > most_dims) {
    throw InvalidInput(fmt::format("The tensor {} has {} dimensions; at most {} are supported.", quote_name(name),
                                   tensor.dims.size(), most_dims));
  }
  std::ranges::reverse(tensor.dims);

  const std::vector<std::uint64_t> range = read_integers(entry, name, "data_offsets");
  if (range.size() != 2 || range[0] > range[1] || range[1] > data.size()) {
    throw InvalidInput(fmt::format("The 'data_offsets' {} of the tensor {} are no range within the {} bytes of data.",
                                   describe_dims(range), quote_name(name), data.size()));
  }
  const std::uint64_t expected = stored_bytes(name, tensor.type, tensor.dims);
  if (range[1] - range[0] != expected) {
    throw InvalidInput(fmt::format(
        "The tensor {} of shape {} and type {} takes {} bytes, but its 'data_offsets' span {}.", quote_name(name),
        describe_dims(tensor.shape()), to_string(tensor.type), expected, range[1] - range[0]));
  }
  tensor.bytes = data.subspan(static_cast<std::size_t>(range[0]), static_cast<std::size_t>(expected));
  return tensor;
}

std::map<std::string, std::string> read_metadata(const json& entries) {
  std::map<std::string, std::string> metadata;
  if (!entries.is_object()) throw InvalidInput("The header's '__metadata__' is no object.");
  for (const auto& [key, value] : entries.items()) {
    if (!value.is_string()) {
      throw InvalidInput(
          fmt::format("The header's '__metadata__' has a value for {} that is no string.", quote_name(key)));
    }
    metadata.emplace(key, value.get<std::string>());
  }
  return metadata;
}

// The format wants the tensors to cover the data exactly once, so that nothing can hide between them.
void refuse_gaps(std::span<const StoredTensor> tensors, std::span<const std::byte> data) {
  std::size_t covered = 0;
  for (const StoredTensor& tensor : tensors) {
    const auto begin = static_cast<std::size_t>(tensor.bytes.data() - data.data());
    if (begin > covered && !tensor.bytes.empty()) {
      throw InvalidInput(fmt::format("The data before the tensor {} have {} bytes that belong to no tensor.",
                                     quote_name(tensor.name), begin - covered));
    }
    covered = std::max(covered, begin + tensor.bytes.size());
  }
  if (covered != data.size()) {
    throw InvalidInput(fmt::format("The last {} bytes of the file belong to no tensor.", data.size() - covered));
  }
}

}  // namespace

std::string_view safetensors_type_name(DataType type) {
  const auto found = std::ranges::find(type_names, type, [](const auto& row) { return row.second; });
  if (found == type_names.end()) {
    throw InvalidInput(fmt::format("A safetensors file cannot hold tensors of the type {}.", to_string(type)));
  }
  return found->first;
}

SafetensorsPart read_safetensors_part(std::span<const std::byte> file) {
  if (file.empty()) throw InvalidInput("The file is empty.");
  ByteCursor cursor(file);
  const auto length = cursor.read<std::uint64_t>("the length of the header");
  if (length > longest_safetensors_header) {
    throw InvalidInput(
        fmt::format("This is no safetensors file: its header would have {} bytes; at most {} are allowed.", length,
                    longest_safetensors_header));
  }
  const auto text = cursor.take(length, "the header");
  // Three levels are all that the format has: the header, an entry, its lists.
  const json header = parse_json({reinterpret_cast<const char*>(text.data()), text.size()}, "The header", {.depth = 3});
  if (!header.is_object()) throw InvalidInput("The header is no JSON object.");
  const auto data = file.subspan(cursor.position());

  SafetensorsPart part;
  for (const auto& [name, entry] : header.items()) {
    if (name == metadata_key) {
      part.metadata = read_metadata(entry);
    } else if (name.empty()) {
      throw InvalidInput("The header has a tensor with an empty name.");
    } else {
      part.tensors.push_back(read_entry(entry, name, data));
    }
  }
  std::ranges::stable_sort(part.tensors, {}, [](const StoredTensor& tensor) { return tensor.bytes.data(); });
  refuse_overlaps(part.tensors);
  refuse_gaps(part.tensors, data);
  return part;
}

}  // namespace driftwood
