#include "text/character_map.h"

#include <fmt/format.h>

#include <cstring>

#include "base/error.h"

namespace driftwood {

namespace {

// A unit of the double array: a node's label, whether a value hangs on it, and where its children are.
bool has_value(std::uint32_t unit) { return (unit >> 8 & 1) != 0; }
std::uint32_t value_of(std::uint32_t unit) { return unit & 0x7FFFFFFFU; }
std::uint32_t label_of(std::uint32_t unit) { return unit & 0x800000FFU; }
std::uint32_t offset_of(std::uint32_t unit) { return unit >> 10 << ((unit & 0x200U) >> 6); }

}  // namespace

CharacterMap::CharacterMap(std::string_view table) {
  std::uint32_t bytes = 0;
  if (table.size() > sizeof bytes) std::memcpy(&bytes, table.data(), sizeof bytes);
  if (bytes == 0 || bytes % sizeof(std::uint32_t) != 0 || bytes > table.size() - sizeof bytes) {
    throw InvalidInput(
        fmt::format("The table of characters in the SentencePiece model has {} bytes and claims {} of a double array.",
                    table.size(), bytes));
  }
  units_.resize(bytes / sizeof(std::uint32_t));
  std::memcpy(units_.data(), table.data() + sizeof bytes, bytes);
  replacements_ = table.substr(sizeof bytes + bytes);
  if (!replacements_.ends_with('\0')) {
    throw InvalidInput("The table of characters in the SentencePiece model has a last replacement without an end.");
  }
}

CharacterMap::Match CharacterMap::match(std::string_view text, std::size_t at) const {
  Match longest;
  std::size_t node = offset_of(units_[0]);
  for (std::size_t i = at; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    node ^= byte;
    if (node >= units_.size() || label_of(units_[node]) != byte) break;
    const std::uint32_t unit = units_[node];
    node ^= offset_of(unit);
    if (!has_value(unit) || node >= units_.size()) continue;
    const std::size_t start = value_of(units_[node]);
    if (start >= replacements_.size()) continue;
    longest = {i + 1 - at, replacements_.data() + start};  // up to its NUL
  }
  return longest;
}

}  // namespace driftwood
