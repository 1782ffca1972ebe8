// Names of split model files: "llama-00002-of-00005.gguf".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace driftwood {

struct ShardName {
  std::string prefix;     // "llama"
  std::uint32_t number;   // from 1
  std::uint32_t count;    // of all shards
  std::string extension;  // ".gguf"
};

/// The parts of a shard's file name, or nothing where it is none.
std::optional<ShardName> parse_shard_name(std::string_view file_name);

/// The file name of these parts.
std::string to_string(const ShardName& name);

}  // namespace driftwood
