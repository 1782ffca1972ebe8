#include "formats/gguf.h"

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>

#include "base/error.h"
#include "formats/gguf_part.h"
#include "formats/quote.h"
#include "formats/shard_name.h"

namespace driftwood {
namespace {

constexpr std::string_view count_key = "split.count";
constexpr std::string_view number_key = "split.no";  // counts from 0, file names from 1
constexpr std::string_view tensors_key = "split.tensors.count";
constexpr std::string_view architecture_key = "general.architecture";
constexpr std::uint32_t most_shards = 4096;

std::uint32_t shard_count(const GgufMetadata& metadata) {
  const std::uint32_t count = metadata.find_u32(count_key).value_or(1);
  if (count > most_shards) {
    throw InvalidInput(fmt::format("The metadata key {} is {}; at most {} shards are supported.", quote_name(count_key),
                                   count, most_shards));
  }
  return count;
}

// The name of the first shard, checked against what the file says about itself.
ShardName first_shard_name(const std::filesystem::path& path, const GgufMetadata& metadata, std::uint32_t count) {
  const std::string file_name = path.filename().string();
  const std::uint32_t number = metadata.get_u32(number_key);
  const auto name = parse_shard_name(file_name);
  if (number != 0) {
    const std::string first =
        name ? fmt::format(", {}", quote_name(to_string(ShardName{name->prefix, 1, count, name->extension})))
             : std::string();
    throw InvalidInput(fmt::format("The file is shard {} of {} (the metadata key {} is {}); open the first shard{}.",
                                   std::uint64_t{number} + 1, count, quote_name(number_key), number, first));
  }
  if (!name || name->number != 1 || name->count != count) {
    throw InvalidInput(
        fmt::format("The file is the first of {} shards, so its name must end in '-00001-of-{:05}.gguf' for the "
                    "others to be found, but it is {}.",
                    count, count, quote_name(file_name)));
  }
  return *name;
}

void require_same(const GgufMetadata& first, const GgufMetadata& shard, std::string_view key) {
  const auto expected = first.find_u32(key);
  const auto found = shard.find_u32(key);
  if (expected && found != expected) {
    throw InvalidInput(
        fmt::format("The shard belongs to another model: its metadata key {} is {}, but that of the first "
                    "shard is {}.",
                    quote_name(key), found ? std::to_string(*found) : "missing", *expected));
  }
}

void check_shard(const GgufMetadata& first, const GgufMetadata& shard, std::uint32_t number) {
  require_same(first, shard, count_key);
  require_same(first, shard, tensors_key);
  const std::uint32_t found = shard.get_u32(number_key);
  if (found != number) {
    throw InvalidInput(fmt::format("The metadata key {} of the shard is {}, but its file name says {}.",
                                   quote_name(number_key), found, number));
  }
  const auto architecture = shard.find_string(architecture_key);
  if (architecture && architecture != first.find_string(architecture_key)) {
    throw InvalidInput(fmt::format("The shard belongs to another model: its metadata key {} is {}.",
                                   quote_name(architecture_key), quote_name(*architecture)));
  }
}

void check_total(const GgufMetadata& metadata, std::size_t tensors) {
  const auto expected = metadata.find_u64(tensors_key);
  if (expected && *expected != tensors) {
    throw InvalidInput(fmt::format("The shards hold {} tensors together, but the metadata key {} is {}.", tensors,
                                   quote_name(tensors_key), *expected));
  }
}

}  // namespace

GgufFile GgufFile::open(const std::filesystem::path& path) {
  GgufFile file;
  std::filesystem::path reading = path;
  try {
    file.files_.emplace_back(path);
    GgufPart first = read_gguf_part(file.files_.front().bytes());
    file.version_ = first.version;
    file.metadata_ = std::move(first.metadata);
    std::vector<StoredTensor> tensors = std::move(first.tensors);

    const std::uint32_t count = shard_count(file.metadata_);
    if (count > 1) {
      ShardName name = first_shard_name(path, file.metadata_, count);
      for (std::uint32_t number = 1; number < count; ++number) {
        name.number = number + 1;
        reading = path.parent_path() / to_string(name);
        GgufPart part = read_gguf_part(file.files_.emplace_back(reading).bytes());
        check_shard(file.metadata_, part.metadata, number);
        std::ranges::move(part.tensors, std::back_inserter(tensors));
      }
      reading = path;
      check_total(file.metadata_, tensors.size());
    }
    file.tensors_ = TensorTable(std::move(tensors));
  } catch (Error& error) {
    error.add_context(fmt::format("While reading '{}'.", reading.string()));
    throw;
  }
  return file;
}

GgufFile GgufFile::parse(std::span<const std::byte> bytes) {
  GgufPart part = read_gguf_part(bytes);
  const std::uint32_t count = shard_count(part.metadata);
  if (count > 1)
    throw Unsupported(fmt::format("The file is one of {} shards, which are read from files alone.", count));
  GgufFile file;
  file.version_ = part.version;
  file.metadata_ = std::move(part.metadata);
  file.tensors_ = TensorTable(std::move(part.tensors));
  return file;
}

void GgufFile::release(const StoredTensor& tensor) const { release_pages(files_, tensor); }

}  // namespace driftwood
