#include "formats/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/error.h"
#include "formats/guarded_json.h"
#include "formats/quote.h"
#include "formats/safetensors_header.h"

namespace driftwood {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view index_name = "model.safetensors.index.json";
constexpr std::string_view whole_name = "model.safetensors";
constexpr std::string_view index_extension = ".json";
constexpr std::size_t longest_index = 64 << 20;

// Where each tensor lies: name to file name, from an index file's "weight_map".
std::map<std::string, std::string> read_weight_map(const fs::path& path) {
  const MappedFile file(path);
  if (file.size() > longest_index) {
    throw InvalidInput(fmt::format("The index has {} bytes; at most {} are allowed.", file.size(), longest_index));
  }
  const auto index = parse_json({reinterpret_cast<const char*>(file.bytes().data()), file.size()}, "The index");
  const auto weight_map = index.is_object() ? index.find("weight_map") : index.end();
  if (weight_map == index.end() || !weight_map->is_object() || weight_map->empty()) {
    throw InvalidInput("The index has no 'weight_map' that names the files of the tensors.");
  }
  std::map<std::string, std::string> files;
  for (const auto& [tensor, shard] : weight_map->items()) {
    const std::string name = shard.is_string() ? shard.get<std::string>() : std::string();
    // Shards lie beside the index; anything else would let a model reach for other files of the machine.
    if (name.empty() || name == "." || name == ".." || name.find('\0') != std::string::npos ||
        fs::path(name).filename() != name) {
      throw InvalidInput(fmt::format("The index gives the tensor {} the file {}, which is no plain file name.",
                                     quote_name(tensor), quote_name(name)));
    }
    files.emplace(tensor, name);
  }
  return files;
}

fs::path find_in_folder(const fs::path& folder) {
  for (const std::string_view name : {index_name, whole_name}) {
    if (fs::exists(folder / name)) return folder / name;
  }
  throw InvalidInput(
      fmt::format("The folder '{}' has neither '{}' nor '{}'.", folder.string(), index_name, whole_name));
}

void check_against_index(const std::map<std::string, std::string>& index, const std::string& shard,
                         std::span<const StoredTensor> tensors) {
  for (const StoredTensor& tensor : tensors) {
    const auto entry = index.find(tensor.name);
    if (entry == index.end() || entry->second != shard) {
      throw InvalidInput(
          fmt::format("The shard holds the tensor {}, which the index {}.", quote_name(tensor.name),
                      entry == index.end() ? "does not have" : "places in " + quote_name(entry->second)));
    }
  }
}

}  // namespace

SafetensorsFile SafetensorsFile::open(const fs::path& path) {
  std::error_code ignored;
  const fs::path file = fs::is_directory(path, ignored) ? find_in_folder(path) : path;
  return file.extension() == index_extension ? open_shards(file) : open_whole(file);
}

SafetensorsFile SafetensorsFile::open_whole(const fs::path& path) {
  SafetensorsFile file;
  try {
    SafetensorsPart part = read_safetensors_part(file.files_.emplace_back(path).bytes());
    file.metadata_ = std::move(part.metadata);
    file.tensors_ = TensorTable(std::move(part.tensors));
  } catch (Error& error) {
    error.add_context(fmt::format("While reading '{}'.", path.string()));
    throw;
  }
  return file;
}

SafetensorsFile SafetensorsFile::open_shards(const fs::path& index_path) {
  SafetensorsFile file;
  fs::path reading = index_path;
  try {
    const auto index = read_weight_map(index_path);
    std::set<std::string> shards;
    for (const auto& [tensor, shard] : index) shards.insert(shard);
    std::vector<StoredTensor> tensors;
    for (const std::string& shard : shards) {
      reading = index_path.parent_path() / shard;
      SafetensorsPart part = read_safetensors_part(file.files_.emplace_back(reading).bytes());
      check_against_index(index, shard, part.tensors);
      if (file.files_.size() == 1) file.metadata_ = std::move(part.metadata);
      std::ranges::move(part.tensors, std::back_inserter(tensors));
    }
    reading = index_path;
    file.tensors_ = TensorTable(std::move(tensors));
    for (const auto& [tensor, shard] : index) {
      if (file.tensors_.find(tensor) != nullptr) continue;
      throw InvalidInput(
          fmt::format("The tensor {} is missing from its file {}.", quote_name(tensor), quote_name(shard)));
    }
  } catch (Error& error) {
    error.add_context(fmt::format("While reading '{}'.", reading.string()));
    throw;
  }
  return file;
}

SafetensorsFile SafetensorsFile::parse(std::span<const std::byte> bytes) {
  SafetensorsPart part = read_safetensors_part(bytes);
  SafetensorsFile file;
  file.metadata_ = std::move(part.metadata);
  file.tensors_ = TensorTable(std::move(part.tensors));
  return file;
}

void SafetensorsFile::release(const StoredTensor& tensor) const { release_pages(files_, tensor); }

}  // namespace driftwood
