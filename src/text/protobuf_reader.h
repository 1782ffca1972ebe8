// The wire form of protocol buffers (protobuf.dev/programming-guides/encoding), one field after another.
//
//   ProtobufReader reader(bytes, "the model");
//   while (const auto field = reader.next()) if (field->number == 1) pieces.push_back(field->text());
//
// Lengths are compared with the bytes that remain before anything is taken; nothing is copied or allocated. A message
// inside another is the bytes of a field, read with a reader of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "formats/byte_cursor.h"

namespace driftwood {

class ProtobufReader {
 public:
  enum class Kind : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

  struct Field {
    std::uint32_t number = 0;
    Kind kind = Kind::Varint;
    std::uint64_t value = 0;                // of all kinds but Bytes
    std::span<const std::byte> bytes = {};  // of Bytes

    std::string_view text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
    /// Fixed32 as a float; the value of another kind where the file has one there.
    float number_f32() const;
    std::int32_t number_i32() const { return static_cast<std::int32_t>(static_cast<std::uint32_t>(value)); }
    bool flag() const { return value != 0; }
  };

  /// `what` is named in messages: "the model".
  ProtobufReader(std::span<const std::byte> bytes, std::string_view what) : cursor_(bytes), what_(what) {}

  /// The next field; nothing at the end. Throws InvalidInput where the bytes end within one, where a field has the
  /// number 0, or where it is of a kind that is no longer in use (groups).
  std::optional<Field> next();

 private:
  std::uint64_t varint();

  ByteCursor cursor_;
  std::string_view what_;
};

}  // namespace driftwood
