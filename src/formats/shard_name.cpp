#include "formats/shard_name.h"

#include <fmt/format.h>

#include <charconv>

namespace driftwood {
namespace {

constexpr std::size_t digits = 5;

std::optional<std::uint32_t> parse_number(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<ShardName> parse_shard_name(std::string_view file_name) {
  constexpr std::string_view middle = "-of-";
  constexpr std::size_t tail = 1 + digits + middle.size() + digits;  // "-00001-of-00003"
  const std::size_t dot = file_name.rfind('.');
  if (dot == std::string_view::npos || dot < tail) return std::nullopt;
  const std::string_view numbers = file_name.substr(dot - tail, tail);
  if (numbers[0] != '-' || numbers.substr(1 + digits, middle.size()) != middle) return std::nullopt;
  const auto number = parse_number(numbers.substr(1, digits));
  const auto count = parse_number(numbers.substr(1 + digits + middle.size()));
  if (!number || !count) return std::nullopt;
  return ShardName{std::string(file_name.substr(0, dot - tail)), *number, *count, std::string(file_name.substr(dot))};
}

std::string to_string(const ShardName& name) {
  return fmt::format("{}-{:05}-of-{:05}{}", name.prefix, name.number, name.count, name.extension);
}

}  // namespace driftwood
