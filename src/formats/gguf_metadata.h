// The metadata of a GGUF file: keys such as 'llama.block_count', each with a value.
//
// get_NAME throws InvalidInput where the key is missing; find_NAME gives nothing then. Both throw where the value
// has another type or does not fit, naming the key, what is there and what is expected. Integers may be stored in any
// width and signedness that holds them, since converters differ in that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/gguf_value.h"

namespace driftwood {

class GgufMetadata {
 public:
  struct Entry {
    std::string_view key;
    GgufValue value;
  };

  GgufMetadata() = default;
  /// Throws InvalidInput where a key is empty or occurs twice.
  explicit GgufMetadata(std::vector<Entry> entries);

  /// In the order of the file.
  const std::vector<Entry>& entries() const { return entries_; }

  /// The value, or null.
  const GgufValue* find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }

  std::uint32_t get_u32(std::string_view key) const;
  std::uint64_t get_u64(std::string_view key) const;
  std::int64_t get_i64(std::string_view key) const;
  float get_f32(std::string_view key) const;
  bool get_bool(std::string_view key) const;
  std::string_view get_string(std::string_view key) const;
  std::vector<std::string_view> get_strings(std::string_view key) const;
  std::vector<std::int64_t> get_integers(std::string_view key) const;
  std::vector<float> get_floats(std::string_view key) const;

  std::optional<std::uint32_t> find_u32(std::string_view key) const;
  std::optional<std::uint64_t> find_u64(std::string_view key) const;
  std::optional<std::int64_t> find_i64(std::string_view key) const;
  std::optional<float> find_f32(std::string_view key) const;
  std::optional<bool> find_bool(std::string_view key) const;
  std::optional<std::string_view> find_string(std::string_view key) const;
  std::optional<std::vector<std::string_view>> find_strings(std::string_view key) const;
  std::optional<std::vector<std::int64_t>> find_integers(std::string_view key) const;
  std::optional<std::vector<float>> find_floats(std::string_view key) const;

  /// get_u32, refused outside [smallest, largest].
  std::uint32_t get_u32_within(std::string_view key, std::uint32_t smallest, std::uint32_t largest) const;

 private:
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> by_key_;  // indices of entries_, sorted by key
};

}  // namespace driftwood
