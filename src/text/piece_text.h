// The form of a text in which SentencePiece finds its pieces: characters changed as the model's table says, spaces as
// U+2581, one more of them before the text, user-defined pieces untouched.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/character_map.h"
#include "text/normalizer.h"
#include "text/special_tokens.h"
#include "text/vocabulary.h"

namespace driftwood {

inline constexpr std::string_view meta_space = "\xE2\x96\x81";  // U+2581

/// `text` with all of `from` (not empty) replaced.
std::string replaced(std::string_view text, std::string_view from, std::string_view to);

/// The bytes that a token of SentencePiece stands for.
std::string piece_bytes(const Vocabulary& vocabulary, std::int32_t id);

class PieceText {
 public:
  /// Throws InvalidInput where the table of characters does not fit.
  PieceText(const Vocabulary& vocabulary, const TokenizerData& data);

  /// `text` in that form; empty where nothing of it is left.
  std::string of(std::string_view text, bool add_space) const;

  /// User-defined pieces, as that form spells them.
  const SpecialTokens& user_defined() const { return user_defined_; }

 private:
  std::string changed(std::string_view text) const;

  SpecialTokens user_defined_;
  SpecialTokens spelled_;  // the same as a text spells them
  std::vector<NormalizerStep> steps_;
  std::optional<CharacterMap> map_;
  bool only_where_missing_;
  bool remove_extra_;
};

}  // namespace driftwood
