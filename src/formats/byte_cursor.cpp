#include "formats/byte_cursor.h"

#include <fmt/format.h>

#include "base/error.h"

namespace driftwood {

std::span<const std::byte> ByteCursor::take(std::uint64_t count, std::string_view what) {
  if (count > remaining()) {
    throw InvalidInput(fmt::format("The file ends within {}: {} bytes are needed at offset {}, but only {} remain.",
                                   what, count, position_, remaining()));
  }
  const auto taken = bytes_.subspan(position_, static_cast<std::size_t>(count));
  position_ += taken.size();
  return taken;
}

std::string_view ByteCursor::read_string(std::string_view what) {
  const auto length = read<std::uint64_t>(what);
  const auto text = take(length, what);
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

std::uint64_t ByteCursor::read_count(std::uint64_t smallest, std::string_view what) {
  const auto count = read<std::uint64_t>(what);
  if (count > remaining() / smallest) {
    throw InvalidInput(
        fmt::format("The file says that there are {} {}, but the {} bytes that remain after offset {} hold at most {}.",
                    count, what, remaining(), position_, remaining() / smallest));
  }
  return count;
}

}  // namespace driftwood
