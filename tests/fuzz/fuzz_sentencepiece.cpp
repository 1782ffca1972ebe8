// Any bytes are either a SentencePiece model that takes any text, or refused by a library error. The bytes are also the
// text.
#include <algorithm>

#include "base/error.h"
#include "text/tokenizer.h"
#include "text/tokenizer_sentencepiece.h"

using namespace driftwood;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto tokenizer =
        Tokenizer::create(parse_sentence_piece_data({.model = std::as_bytes(std::span(data, size))}));
    tokenizer->decode(tokenizer->encode(text, {.add_special = true, .parse_special = true}), {.special = true});
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::Internal) throw;
  }
  return 0;
}
