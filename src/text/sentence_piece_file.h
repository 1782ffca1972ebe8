// What a tokenizer.model says: the message ModelProto of sentencepiece_model.proto, without what only training needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "text/tokenizer_data.h"

namespace driftwood {

struct SentencePieceFile {
  enum class Type : std::uint8_t { Unigram = 1, Bpe = 2, Word = 3, Character = 4 };

  Type type = Type::Unigram;
  std::vector<std::string> pieces;
  std::vector<float> scores;
  std::vector<TokenType> types;
  std::int32_t unknown = 0, bos = 1, eos = 2, padding = -1;  // ids; -1: none
  bool spaces_end_words = false;
  bool add_dummy_prefix = true;
  bool remove_extra_spaces = true;
  bool escape_spaces = true;
  std::string character_map;

  /// Throws InvalidInput where the bytes are no such message, or name no pieces, or ids and types that cannot be.
  static SentencePieceFile parse(std::span<const std::byte> bytes);
};

}  // namespace driftwood
