// What a model file says about its tokenizer, as plain data: the loaders (tokenizer_gguf.h,
// tokenizer_huggingface.h) fill it, Tokenizer::create checks it and builds from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "text/normalizer.h"
#include "text/pre_tokenizer.h"

namespace driftwood {

enum class TokenizerModel {
  ByteLevelBpe,   // GPT-2's kind: a pre-tokenizer splits, bytes merge by rank; `tokenizer.ggml.model` "gpt2"
  SentencePiece,  // SentencePiece BPE: characters merge by score or rank, byte fallback; "llama"
  Unigram,        // SentencePiece's likeliest pieces, byte fallback
};

/// The values of `tokenizer.ggml.token_type`.
enum class TokenType : std::uint8_t {
  Normal = 1,
  Unknown = 2,      // stands for text that no other token covers
  Control = 3,      // steers the model; text spells it only where the caller parses special tokens
  UserDefined = 4,  // one token wherever its text appears
  Unused = 5,       // may arise while merging, but is split again
  Byte = 6,         // SentencePiece's "<0x0A>"
};

/// Where SentencePiece puts a space that the text does not have.
enum class SpacePrefix {
  None,
  TextStart,     // before the text alone
  EachFragment,  // also after each control token
};

/// White space around an added token that belongs to it (Hugging Face's `lstrip` and `rstrip`).
struct StripAround {
  std::int32_t id;
  bool left;
  bool right;
};

struct TokenizerData {
  TokenizerModel model = TokenizerModel::ByteLevelBpe;

  /// What happens to plain text before it is cut.
  std::vector<NormalizerStep> normalizer;
  /// SentencePiece's own table of changes to characters (character_map.h); empty: none. Not for byte-level BPE.
  std::string character_map;
  /// SentencePiece leaves out spaces at both ends of a text, and all but one of several.
  bool remove_extra_spaces = false;
  /// Merges do not reach across the start of a word (Hugging Face's Metaspace with `split`). SentencePiece only.
  bool split_at_spaces = false;
  /// The name of a pre-tokenizer family (pre_tokenizer.h); byte-level BPE only.
  std::string pre_tokenizer = "default";
  /// Where not empty, these patterns split the text, one after another, in place of the family's.
  std::vector<SplitPattern> split_patterns;

  /// Indexed by token id. Normal tokens of byte-level BPE are in GPT-2's byte alphabet, those of
  /// SentencePiece have U+2581 for a space; control and user-defined tokens are plain text.
  std::vector<std::string> tokens;
  std::vector<TokenType> types;  // as many as tokens, or none: all Normal
  std::vector<float> scores;     // as many as tokens, or none where merges are given; SentencePiece
  std::vector<std::pair<std::string, std::string>> merges;  // best first
  std::vector<StripAround> strips;

  /// Where not empty ("</w>"), tokens that end a piece end with it, and stand for the text before it and a space
  /// (CLIP). Merges must then name tokens only, and `unknown` stands for a byte that the vocabulary lacks. Byte-level
  /// BPE only.
  std::string end_of_word_suffix;

  std::optional<std::int32_t> bos, eos, eot, unknown, padding;
  bool add_bos = false;
  bool add_eos = false;
  SpacePrefix space_prefix = SpacePrefix::None;
  /// No space is put before a text that begins with one, which is then lost when decoding (Hugging Face's Metaspace).
  bool space_prefix_only_where_missing = false;
  /// User-defined tokens end a fragment as control tokens do (Hugging Face); otherwise SentencePiece finds them in
  /// its own form of the text. Byte-level BPE always does the former.
  bool user_defined_end_fragments = false;
  /// A piece that is a token as a whole stays whole, whatever the merges say; absent: as the family has it.
  std::optional<bool> ignore_merges;

  /// Jinja text; empty: the model has none.
  std::string chat_template;
};

}  // namespace driftwood
