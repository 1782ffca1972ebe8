// Any bytes, cut at NULs into vocab.json, merges.txt and tokenizer_config.json, are either a CLIP tokenizer that takes
// any text, or refused by a library error. The bytes are also the text.
#include <algorithm>

#include "base/error.h"
#include "text/clip_tokenizer.h"
#include "text/tokenizer_clip.h"

using namespace driftwood;

namespace {

std::string_view cut(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\0'), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  std::string_view rest = all;
  const std::string_view vocab = cut(rest), merges = cut(rest), config = cut(rest);
  try {
    const ClipTokenizer tokenizer(
        parse_clip_tokenizer_data({.vocab = vocab, .merges = merges, .tokenizer_config = config}));
    const ClipEncoding encoding = tokenizer.encode(all);
    if (encoding.ids.size() != ClipTokenizer::default_length) throw InternalError("The length is wrong.");
    tokenizer.decode(encoding.ids);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::Internal) throw;
  }
  return 0;
}
