// Text to token ids and back, exactly as the model's own tokenizer.
//
//   const auto tokenizer = Tokenizer::create(load_tokenizer_data(gguf.metadata()));
//   std::vector<std::int32_t> ids = tokenizer->encode("Hello", {.add_special = true});
//   std::string text = tokenizer->decode(ids);
//
// Any bytes may be encoded: NULs and what is not UTF-8 too, and decode(encode(text)) == text as long as the vocabulary
// has a token for each byte. (Exceptions that the models themselves make: SentencePiece does not tell U+2581 from a
// space, SmolLM2's vocabulary lacks a few control characters, which vanish, and Qwen composes accents.) Encoding takes
// time near-linear in the length, whatever the text. Const functions are safe to call from several threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/special_tokens.h"
#include "text/token_model.h"
#include "text/tokenizer_data.h"
#include "text/vocabulary.h"

namespace driftwood {

struct EncodeOptions {
  bool add_special = false;    // the tokens that the model wants around a text (BOS, EOS), as its file says
  bool parse_special = false;  // control tokens spelled in the text become those tokens
};

struct DecodeOptions {
  bool special = false;       // control tokens are spelled out; otherwise they are dropped
  bool continuation = false;  // the ids go on after others: a SentencePiece space at the start is part of the text
};

class Tokenizer {
 public:
  /// Checks the data and builds a tokenizer. Throws InvalidInput, naming what does not fit.
  static std::unique_ptr<Tokenizer> create(TokenizerData data);

  std::vector<std::int32_t> encode(std::string_view text, EncodeOptions options = {}) const;

  /// The exact bytes, which may end within a character. Throws InvalidInput for an id outside the vocabulary.
  std::string decode(std::span<const std::int32_t> ids, DecodeOptions options = {}) const;

  /// One step of decode(), for streams: the bytes of the next token. `options.continuation` carries the state on.
  std::string decode_next(std::int32_t id, DecodeOptions& options) const;

  /// The text of one token, control tokens spelled out. Throws InvalidInput for an id outside the vocabulary.
  std::string piece(std::int32_t id) const;

  /// The token whose text in the vocabulary is exactly this.
  std::optional<std::int32_t> find(std::string_view text) const;

  std::int32_t size() const { return vocabulary_.size(); }
  TokenType type(std::int32_t id) const;
  bool is_control(std::int32_t id) const;

  /// Whether a model that emits this token has finished: EOS, end of turn and their like.
  bool is_end_of_generation(std::int32_t id) const;
  /// All such tokens, ascending.
  const std::vector<std::int32_t>& end_of_generation() const { return end_of_generation_; }

  std::optional<std::int32_t> bos() const { return bos_; }
  std::optional<std::int32_t> eos() const { return eos_; }
  std::optional<std::int32_t> unknown() const { return unknown_; }
  std::optional<std::int32_t> padding() const { return padding_; }
  bool add_bos() const { return add_bos_; }
  bool add_eos() const { return add_eos_; }

  /// The model's chat template as Jinja text (chat_template.h); empty where it has none.
  const std::string& chat_template() const { return chat_template_; }

 private:
  explicit Tokenizer(TokenizerData data);
  void check_special_ids() const;
  void find_special_tokens();
  void find_ends_of_generation(std::optional<std::int32_t> eot);
  void check_id(std::int32_t id) const;
  bool ends_fragment(std::int32_t id) const;
  SpecialTokens::Match widen(SpecialTokens::Match match, std::string_view text, std::size_t from) const;

  Vocabulary vocabulary_;
  std::unique_ptr<TokenModel> model_;
  TokenizerModel kind_;
  SpacePrefix space_prefix_;
  bool user_defined_end_fragments_;
  bool add_bos_, add_eos_;
  std::optional<std::int32_t> bos_, eos_, unknown_, padding_;
  std::vector<std::int32_t> end_of_generation_;
  std::vector<StripAround> strips_;  // sorted by id
  std::string chat_template_;
  SpecialTokens always_;   // found in every text
  SpecialTokens special_;  // those, and the ones that parse_special adds
};

}  // namespace driftwood
