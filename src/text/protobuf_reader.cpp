#include "text/protobuf_reader.h"

#include <fmt/format.h>

#include <bit>

#include "base/error.h"

namespace driftwood {

float ProtobufReader::Field::number_f32() const { return std::bit_cast<float>(static_cast<std::uint32_t>(value)); }

std::uint64_t ProtobufReader::varint() {
  const std::size_t start = cursor_.position();
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    const auto byte = cursor_.read<std::uint8_t>(what_);
    if (shift == 63 && byte > 1) break;
    value |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return value;
  }
  throw InvalidInput(fmt::format("At byte {}, {} has a number of more than 64 bits.", start, what_));
}

std::optional<ProtobufReader::Field> ProtobufReader::next() {
  if (cursor_.remaining() == 0) return std::nullopt;
  const std::size_t start = cursor_.position();
  const std::uint64_t key = varint();
  const std::uint64_t number = key >> 3;
  if (number == 0 || number > (1U << 29) - 1) {
    throw InvalidInput(fmt::format("At byte {}, {} has the field number {}; 1 to {} are allowed.", start, what_, number,
                                   (1 << 29) - 1));
  }
  Field field{.number = static_cast<std::uint32_t>(number), .kind = static_cast<Kind>(key & 7)};
  switch (field.kind) {
    case Kind::Varint: field.value = varint(); break;
    case Kind::Fixed64: field.value = cursor_.read<std::uint64_t>(what_); break;
    case Kind::Fixed32: field.value = cursor_.read<std::uint32_t>(what_); break;
    case Kind::Bytes: field.bytes = cursor_.take(varint(), what_); break;
    default:
      throw InvalidInput(
          fmt::format("At byte {}, {} has a field of the kind {}; 0, 1, 2 and 5 are in use.", start, what_, key & 7));
  }
  return field;
}

}  // namespace driftwood
