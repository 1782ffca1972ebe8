// The values of GGUF metadata: numbers, strings and arrays. Strings and arrays view the file's bytes, so that
// a vocabulary of any size costs nothing until it is asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "formats/byte_cursor.h"

namespace driftwood {

/// The value types, numbered as in the file.
enum class GgufType : std::uint32_t { U8, I8, U16, I16, U32, I32, F32, Bool, String, Array, U64, I64, F64 };

/// The name of a type as in messages: "u32", "string"...
std::string_view to_string(GgufType type);

/// An array of one type, checked when the file was opened. The functions throw InvalidInput where the elements are
/// of another type than asked for; callers that know the key add it (GgufMetadata's getters do).
class GgufArray {
 public:
  GgufArray(GgufType element_type, std::uint64_t size, std::span<const std::byte> bytes)
      : element_type_(element_type), size_(size), bytes_(bytes) {}

  GgufType element_type() const { return element_type_; }
  std::uint64_t size() const { return size_; }
  /// The elements as in the file: packed numbers, or length-prefixed strings.
  std::span<const std::byte> bytes() const { return bytes_; }

  /// String elements, viewing the file.
  std::vector<std::string_view> strings() const;
  /// Integer elements of any width that all fit.
  std::vector<std::int64_t> integers() const;
  /// Float elements (f32, or f64 rounded).
  std::vector<float> floats() const;
  /// Array elements.
  std::vector<GgufArray> arrays() const;

 private:
  GgufType element_type_;
  std::uint64_t size_;
  std::span<const std::byte> bytes_;
};

/// One value; index() is its GgufType.
using GgufValue = std::variant<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t, std::int32_t,
                               float, bool, std::string_view, GgufArray, std::uint64_t, std::int64_t, double>;

inline GgufType type_of(const GgufValue& value) { return static_cast<GgufType>(value.index()); }

/// The value as a person reads it, on one line: long strings cut, the first `shown` elements of an array.
std::string describe(const GgufValue& value, std::size_t shown = 8);

/// Reads a type id and the value, checking everything below it. Arrays nest at most four deep.
/// `what` names the key in messages.
GgufValue read_gguf_value(ByteCursor& cursor, std::string_view what);

/// The same where the type is known.
GgufValue read_gguf_value_of(GgufType type, ByteCursor& cursor, std::string_view what);

}  // namespace driftwood
