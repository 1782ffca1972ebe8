// SentencePiece's table of changes to characters, `precompiled_charsmap` of a tokenizer.model: NFKC and what else the
// model was trained with.
//
// The table is a double array (J. Aoe, "An Efficient Digital Search Algorithm by Using a Double-Array Structure", 1989)
// in the form of Darts-clone, after its length in bytes, and before the replacements, each of which ends with a NUL.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace driftwood {

class CharacterMap {
 public:
  /// Throws InvalidInput where the table is cut short or its replacements do not end.
  explicit CharacterMap(std::string_view table);

  struct Match {
    std::size_t length = 0;  // bytes that it covers; 0: nothing to change
    std::string_view replacement = {};
  };
  /// The longest sequence of the table that begins at `text[at]`.
  Match match(std::string_view text, std::size_t at) const;

 private:
  std::vector<std::uint32_t> units_;
  std::string replacements_;
};

}  // namespace driftwood
