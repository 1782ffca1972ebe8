// What Tokenizer needs of its kind of model: tokens of a stretch of plain text, and the text of a token.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/vocabulary.h"

namespace driftwood {

class TokenModel {
 public:
  virtual ~TokenModel() = default;

  /// Appends the tokens of `text`, which holds no special token to parse. `add_space`: the space that
  /// SentencePiece puts before a text belongs here. Never throws for what the text holds.
  virtual void encode(std::string_view text, bool add_space, std::vector<std::int32_t>& out) const = 0;

  /// The bytes that a token of the type Normal, UserDefined, Unused or Byte stands for.
  virtual std::string piece(std::int32_t id) const = 0;
};

/// Byte-level BPE. `vocabulary` must outlive the model. Throws InvalidInput where the data does not fit.
std::unique_ptr<TokenModel> make_byte_level_bpe(const Vocabulary& vocabulary, const TokenizerData& data);

/// SentencePiece BPE; the same conditions.
std::unique_ptr<TokenModel> make_sentence_piece(const Vocabulary& vocabulary, const TokenizerData& data);

/// SentencePiece unigram; the same conditions.
std::unique_ptr<TokenModel> make_unigram(const Vocabulary& vocabulary, const TokenizerData& data);

}  // namespace driftwood
