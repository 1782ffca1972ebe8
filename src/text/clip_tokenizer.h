// A prompt as the ids that a CLIP text encoder reads: as many as it has positions, whatever the prompt.
//
//   const ClipTokenizer tokenizer = ClipTokenizer::open("stable-diffusion-v1-4/tokenizer");
//   const ClipEncoding encoding = tokenizer.encode("a photo of a cat");  // 77 ids
//   if (encoding.dropped_tokens > 0) warn(encoding.dropped);
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace driftwood {

struct ClipEncoding {
  std::vector<std::int32_t> ids = {};  // start, tokens of the text, end, then padding up to the length asked for
  std::size_t tokens = 0;              // of `ids` without the padding
  std::string dropped = {};            // the text that did not fit, as decode() spells it; empty: all did
  std::size_t dropped_tokens = 0;
};

class ClipTokenizer {
 public:
  /// The positions of CLIP's text encoders in Stable Diffusion, and the most that are given out.
  static constexpr std::size_t default_length = 77, longest_length = 1 << 16;

  /// Reads a tokenizer's folder, or a diffusers folder that has one inside (tokenizer_huggingface.h,
  /// tokenizer_clip.h). Throws InvalidInput or Unsupported, naming what is missing or wrong.
  static ClipTokenizer open(const std::filesystem::path& folder);

  /// From data that a reader has filled, such as parse_clip_tokenizer_data(). Throws InvalidInput where it does not
  /// fit, or has no tokens for the start and the end of a text.
  explicit ClipTokenizer(TokenizerData data);

  /// The ids of a text, exactly `length`; special tokens spelled in it become those tokens. What is not UTF-8
  /// counts as U+FFFD. Takes time near-linear in the text. Throws InvalidInput where `length` is under 2 or over
  /// longest_length.
  ClipEncoding encode(std::string_view text, std::size_t length = default_length) const;

  /// The text of ids, without special tokens and without the space that ends the last word. It is in lower case, with
  /// a space after each word, sign and numeral. Throws InvalidInput for an id outside the vocabulary.
  std::string decode(std::span<const std::int32_t> ids) const;

  /// How many ids the vocabulary has.
  std::int32_t size() const { return tokenizer_->size(); }
  std::int32_t start() const { return *tokenizer_->bos(); }
  std::int32_t end() const { return *tokenizer_->eos(); }
  std::int32_t padding() const { return tokenizer_->padding().value_or(end()); }

 private:
  std::unique_ptr<const Tokenizer> tokenizer_;
};

}  // namespace driftwood
