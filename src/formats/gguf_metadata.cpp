#include "formats/gguf_metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "formats/quote.h"

namespace driftwood {
namespace {

std::string describe_type(const GgufValue& value) {
  const auto* array = std::get_if<GgufArray>(&value);
  if (array == nullptr) return std::string(to_string(type_of(value)));
  return fmt::format("array of {}", to_string(array->element_type()));
}

[[noreturn]] void refuse_type(std::string_view key, const GgufValue& value, std::string_view expected) {
  throw InvalidInput(fmt::format("The metadata key {} has the type {}, but {} is expected.", quote_name(key),
                                 describe_type(value), expected));
}

template <typename Integer>
Integer to_integer(std::string_view key, const GgufValue& value, std::string_view expected) {
  return std::visit(
      [&](const auto& number) -> Integer {
        using Number = std::decay_t<decltype(number)>;
        if constexpr (std::is_integral_v<Number> && !std::is_same_v<Number, bool>) {
          if (std::in_range<Integer>(number)) return static_cast<Integer>(number);
          throw InvalidInput(fmt::format("The metadata key {} is {}, but must be between {} and {}.", quote_name(key),
                                         number, std::numeric_limits<Integer>::min(),
                                         std::numeric_limits<Integer>::max()));
        } else {
          refuse_type(key, value, expected);
        }
      },
      value);
}

float to_float(std::string_view key, const GgufValue& value) {
  if (const auto* number = std::get_if<float>(&value)) return *number;
  if (const auto* number = std::get_if<double>(&value)) return static_cast<float>(*number);
  refuse_type(key, value, "f32");
}

template <typename Type>
Type to_exactly(std::string_view key, const GgufValue& value, std::string_view expected) {
  if (const auto* held = std::get_if<Type>(&value)) return *held;
  refuse_type(key, value, expected);
}

// The elements of an array through one of GgufArray's functions, whose error knows no key.
template <typename Element>
std::vector<Element> to_elements(std::string_view key, const GgufValue& value, std::string_view expected,
                                 std::vector<Element> (GgufArray::*elements)() const) {
  const auto* array = std::get_if<GgufArray>(&value);
  if (array == nullptr) refuse_type(key, value, expected);
  try {
    return (array->*elements)();
  } catch (const InvalidInput& error) {
    throw InvalidInput(
        fmt::format("The metadata key {} must be an {}. {}", quote_name(key), expected, error.message()));
  }
}

template <typename Result>
Result required(std::string_view key, std::optional<Result> found) {
  if (!found) throw InvalidInput(fmt::format("The metadata key {} is missing.", quote_name(key)));
  return *std::move(found);
}

}  // namespace

GgufMetadata::GgufMetadata(std::vector<Entry> entries) : entries_(std::move(entries)), by_key_(entries_.size()) {
  std::iota(by_key_.begin(), by_key_.end(), 0U);
  const auto key_of = [this](std::uint32_t index) { return entries_[index].key; };
  std::ranges::sort(by_key_, {}, key_of);
  if (!by_key_.empty() && key_of(by_key_.front()).empty()) throw InvalidInput("A metadata key is empty.");
  const auto twice = std::ranges::adjacent_find(by_key_, {}, key_of);
  if (twice != by_key_.end()) {
    throw InvalidInput(fmt::format("The metadata key {} occurs more than once.", quote_name(key_of(*twice))));
  }
}

const GgufValue* GgufMetadata::find(std::string_view key) const {
  const auto key_of = [this](std::uint32_t index) { return entries_[index].key; };
  const auto at = std::ranges::lower_bound(by_key_, key, {}, key_of);
  return at != by_key_.end() && key_of(*at) == key ? &entries_[*at].value : nullptr;
}

std::optional<std::uint32_t> GgufMetadata::find_u32(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  return to_integer<std::uint32_t>(key, *value, "u32");
}

std::optional<std::uint64_t> GgufMetadata::find_u64(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  return to_integer<std::uint64_t>(key, *value, "u64");
}

std::optional<std::int64_t> GgufMetadata::find_i64(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  return to_integer<std::int64_t>(key, *value, "i64");
}

std::optional<float> GgufMetadata::find_f32(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  return to_float(key, *value);
}

std::optional<bool> GgufMetadata::find_bool(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  return to_exactly<bool>(key, *value, "bool");
}

std::optional<std::string_view> GgufMetadata::find_string(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  return to_exactly<std::string_view>(key, *value, "string");
}

std::optional<std::vector<std::string_view>> GgufMetadata::find_strings(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  return to_elements(key, *value, "array of strings", &GgufArray::strings);
}

std::optional<std::vector<std::int64_t>> GgufMetadata::find_integers(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  return to_elements(key, *value, "array of integers", &GgufArray::integers);
}

std::optional<std::vector<float>> GgufMetadata::find_floats(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  return to_elements(key, *value, "array of f32", &GgufArray::floats);
}

std::uint32_t GgufMetadata::get_u32(std::string_view key) const { return required(key, find_u32(key)); }
std::uint64_t GgufMetadata::get_u64(std::string_view key) const { return required(key, find_u64(key)); }
std::int64_t GgufMetadata::get_i64(std::string_view key) const { return required(key, find_i64(key)); }
float GgufMetadata::get_f32(std::string_view key) const { return required(key, find_f32(key)); }
bool GgufMetadata::get_bool(std::string_view key) const { return required(key, find_bool(key)); }
std::string_view GgufMetadata::get_string(std::string_view key) const { return required(key, find_string(key)); }
std::vector<std::string_view> GgufMetadata::get_strings(std::string_view key) const {
  return required(key, find_strings(key));
}
std::vector<std::int64_t> GgufMetadata::get_integers(std::string_view key) const {
  return required(key, find_integers(key));
}
std::vector<float> GgufMetadata::get_floats(std::string_view key) const { return required(key, find_floats(key)); }

std::uint32_t GgufMetadata::get_u32_within(std::string_view key, std::uint32_t smallest, std::uint32_t largest) const {
  const std::uint32_t value = get_u32(key);
  if (value < smallest || value > largest) {
    throw InvalidInput(fmt::format("The metadata key {} is {}, but must be between {} and {}.", quote_name(key), value,
                                   smallest, largest));
  }
  return value;
}

}  // namespace driftwood
