// SentencePiece's byte tokens: "<0x0A>" stands for the byte 10.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "text/tokenizer_data.h"
#include "text/vocabulary.h"

namespace driftwood {

/// The byte of a text such as "<0x0A>"; nothing for any other text.
std::optional<unsigned char> byte_of_token(std::string_view text);

/// Gives the type Byte to normal tokens spelled as byte tokens, of bytes that no byte token stands for: files exist
/// whose converter marked none, and their models would be shown "<0x0A>" as six letters.
void mark_byte_tokens(TokenizerData& data);

/// What stands for text that no piece covers: its bytes, or where one of them has no token the unknown token.
class ByteFallback {
 public:
  /// Throws InvalidInput where a byte token is spelled otherwise.
  ByteFallback(const Vocabulary& vocabulary, std::optional<std::int32_t> unknown);

  /// Appends the tokens of `text`. The unknown token stands for a whole run: `after_unknown` says that one was put
  /// last, and the caller clears it after any other token.
  void put(std::string_view text, bool& after_unknown, std::vector<std::int32_t>& out) const;

 private:
  std::array<std::int32_t, 256> bytes_{};  // of each byte: its token, or -1
  std::int32_t unknown_;
  bool has_bytes_;
};

}  // namespace driftwood
