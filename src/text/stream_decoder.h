// Ids one at a time to text that can be shown as it comes: never a part of a character.
#pragma once

#include <cstdint>
#include <string>

#include "text/tokenizer.h"

namespace driftwood {

class StreamDecoder {
 public:
  /// `tokenizer` must outlive the decoder. By default the ids are taken to go on after a prompt.
  explicit StreamDecoder(const Tokenizer& tokenizer, DecodeOptions options = {.continuation = true})
      : tokenizer_(tokenizer), options_(options) {}

  /// The characters that this token completes; bytes that can still become a character wait for more. Bytes that
  /// belong to no character come out as they are, so that all the text together is what decode() gives.
  /// Throws InvalidInput for an id outside the vocabulary.
  std::string push(std::int32_t id);

  /// What still waits: the beginning of a character that will not be finished.
  std::string flush();

 private:
  const Tokenizer& tokenizer_;
  DecodeOptions options_;
  std::string waiting_;
};

}  // namespace driftwood
