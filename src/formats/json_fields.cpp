#include "formats/json_fields.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "formats/quote.h"

namespace driftwood {
namespace {

using nlohmann::json;

constexpr std::size_t longest_text = 4096;
constexpr std::size_t most_integers = 1024;

// Numbers and short strings as they are, larger things by their kind.
std::string describe(const json& value) {
  if (value.is_string()) return quote_name(value.get_ref<const std::string&>());
  if (value.is_object() || value.is_array()) return fmt::format("an {}", value.type_name());
  return value.dump();
}

[[noreturn]] void refuse(const std::string& key, const json& value, const std::string& expected) {
  throw InvalidInput(fmt::format("The key '{}' is {}, but must be {}.", key, describe(value), expected));
}

std::uint32_t to_integer(const std::string& key, const json& value, std::uint32_t smallest, std::uint32_t largest) {
  const auto expected = [&] { return fmt::format("an integer between {} and {}", smallest, largest); };
  if (!value.is_number_unsigned()) refuse(key, value, expected());
  const auto integer = value.get<std::uint64_t>();
  if (integer < smallest || integer > largest) refuse(key, value, expected());
  return static_cast<std::uint32_t>(integer);
}

double to_number(const std::string& key, const json& value, double smallest, double largest) {
  const auto expected = [&] { return fmt::format("a number between {} and {}", smallest, largest); };
  if (!value.is_number()) refuse(key, value, expected());
  const auto number = value.get<double>();
  if (!(number >= smallest && number <= largest)) refuse(key, value, expected());
  return number;
}

std::string to_text(const std::string& key, const json& value) {
  if (!value.is_string() || value.get_ref<const std::string&>().size() > longest_text) {
    refuse(key, value, fmt::format("a string of at most {} bytes", longest_text));
  }
  return value.get<std::string>();
}

}  // namespace

JsonFields::JsonFields(const json& object, std::string prefix) : object_(&object), prefix_(std::move(prefix)) {}

const json* JsonFields::find(const char* key) const {
  const auto found = object_->find(key);
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

const json* JsonFields::find_list(const char* key, std::size_t most) const {
  const json* value = find(key);
  if (value == nullptr) return nullptr;
  if (!value->is_array()) refuse(full(key), *value, "a list");
  if (value->size() > most) {
    throw InvalidInput(
        fmt::format("The key '{}' has {} elements; at most {} are allowed.", full(key), value->size(), most));
  }
  return value;
}

std::optional<std::uint32_t> JsonFields::integer(const char* key, std::uint32_t smallest, std::uint32_t largest) const {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  return to_integer(full(key), *value, smallest, largest);
}

std::uint32_t JsonFields::required_integer(const char* key, std::uint32_t smallest, std::uint32_t largest) const {
  const auto value = integer(key, smallest, largest);
  if (!value) throw InvalidInput(fmt::format("The key '{}' is missing.", full(key)));
  return *value;
}

std::optional<double> JsonFields::number(const char* key, double smallest, double largest) const {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  return to_number(full(key), *value, smallest, largest);
}

std::optional<bool> JsonFields::boolean(const char* key) const {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) refuse(full(key), *value, "true or false");
  return value->get<bool>();
}

std::optional<std::string> JsonFields::text(const char* key) const {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  return to_text(full(key), *value);
}

std::optional<JsonFields> JsonFields::object(const char* key) const {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_object()) refuse(full(key), *value, "an object");
  return JsonFields(*value, full(key) + ".");
}

std::vector<double> JsonFields::numbers(const char* key, std::size_t most, double smallest, double largest) const {
  std::vector<double> result;
  if (const json* list = find_list(key, most)) {
    for (const json& value : *list) result.push_back(to_number(full(key), value, smallest, largest));
  }
  return result;
}

std::vector<std::string> JsonFields::texts(const char* key, std::size_t most) const {
  std::vector<std::string> result;
  if (const json* list = find_list(key, most)) {
    for (const json& value : *list) result.push_back(to_text(full(key), value));
  }
  return result;
}

std::vector<std::uint32_t> JsonFields::integer_or_list(const char* key, std::uint32_t smallest,
                                                       std::uint32_t largest) const {
  const json* value = find(key);
  if (value == nullptr) return {};
  if (!value->is_array()) return {to_integer(full(key), *value, smallest, largest)};
  std::vector<std::uint32_t> result;
  for (const json& element : *find_list(key, most_integers)) {
    result.push_back(to_integer(full(key), element, smallest, largest));
  }
  return result;
}

}  // namespace driftwood
