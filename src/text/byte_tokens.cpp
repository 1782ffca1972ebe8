#include "text/byte_tokens.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "formats/quote.h"

namespace driftwood {

std::optional<unsigned char> byte_of_token(std::string_view text) {
  if (text.size() != 6 || !text.starts_with("<0x") || text.back() != '>') return std::nullopt;
  std::size_t byte = 0;
  for (const char digit : text.substr(3, 2)) {
    const std::size_t value = std::string_view("0123456789ABCDEF").find(digit);
    if (value == std::string_view::npos) return std::nullopt;
    byte = byte * 16 + value;
  }
  return static_cast<unsigned char>(byte);
}

void mark_byte_tokens(TokenizerData& data) {
  if (data.types.empty()) data.types.assign(data.tokens.size(), TokenType::Normal);
  if (data.types.size() != data.tokens.size()) return;  // Tokenizer::create says so
  std::array<bool, 256> is_marked{};
  for (std::size_t id = 0; id < data.tokens.size(); ++id) {
    if (data.types[id] != TokenType::Byte) continue;
    if (const auto byte = byte_of_token(data.tokens[id])) is_marked[*byte] = true;
  }
  for (std::size_t id = 0; id < data.tokens.size(); ++id) {
    const auto byte = data.types[id] == TokenType::Normal ? byte_of_token(data.tokens[id]) : std::nullopt;
    if (!byte || is_marked[*byte]) continue;
    data.types[id] = TokenType::Byte;
    is_marked[*byte] = true;
  }
}

ByteFallback::ByteFallback(const Vocabulary& vocabulary, std::optional<std::int32_t> unknown)
    : unknown_(unknown.value_or(-1)) {
  bytes_.fill(-1);
  for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.type(id) != TokenType::Byte) continue;
    const auto byte = byte_of_token(vocabulary.text(id));
    if (!byte) {
      throw InvalidInput(
          fmt::format("The byte token {} is {}, but must be like '<0x0A>'.", id, quote_name(vocabulary.text(id))));
    }
    bytes_[*byte] = id;
  }
  has_bytes_ = std::find(bytes_.begin(), bytes_.end(), -1) == bytes_.end();
}

void ByteFallback::put(std::string_view text, bool& after_unknown, std::vector<std::int32_t>& out) const {
  if (has_bytes_) {
    for (const char byte : text) out.push_back(bytes_[static_cast<unsigned char>(byte)]);
  } else if (unknown_ >= 0 && !after_unknown) {
    out.push_back(unknown_);
    after_unknown = true;
  }
}

}  // namespace driftwood
