// Typed fields of a JSON object from outside, each within limits. A field that is absent or null gives nothing; one of
// the wrong type or past a limit throws InvalidInput, naming the key, what it is and what it may be.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace driftwood {

class JsonFields {
 public:
  /// `object` is a JSON object that outlives this; `prefix` stands before keys in messages ("rope_parameters.").
  explicit JsonFields(const nlohmann::json& object, std::string prefix = {});

  std::optional<std::uint32_t> integer(const char* key, std::uint32_t smallest, std::uint32_t largest) const;
  std::uint32_t required_integer(const char* key, std::uint32_t smallest, std::uint32_t largest) const;
  std::optional<double> number(const char* key, double smallest, double largest) const;
  std::optional<bool> boolean(const char* key) const;
  std::optional<std::string> text(const char* key) const;
  std::optional<JsonFields> object(const char* key) const;
  /// Lists of at most `most` elements; empty where absent.
  std::vector<double> numbers(const char* key, std::size_t most, double smallest, double largest) const;
  std::vector<std::string> texts(const char* key, std::size_t most) const;
  /// One integer or a list of at most 1024; empty where absent.
  std::vector<std::uint32_t> integer_or_list(const char* key, std::uint32_t smallest, std::uint32_t largest) const;

  /// The key as in messages, prefix included.
  std::string full(std::string_view key) const { return prefix_ + std::string(key); }

 private:
  const nlohmann::json* find(const char* key) const;
  const nlohmann::json* find_list(const char* key, std::size_t most) const;

  const nlohmann::json* object_;
  std::string prefix_;
};

}  // namespace driftwood
