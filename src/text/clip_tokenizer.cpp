#include "text/clip_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "text/tokenizer_huggingface.h"
#include "text/utf8.h"

namespace driftwood {

namespace {

/// What decoding gives, fit to show: ids may begin or end within a character.
std::string readable(std::string text) {
  if (text.ends_with(' ')) text.pop_back();
  return utf8::replace_invalid(text);
}

}  // namespace

ClipTokenizer ClipTokenizer::open(const std::filesystem::path& folder) {
  return ClipTokenizer(load_tokenizer_data(folder));
}

ClipTokenizer::ClipTokenizer(TokenizerData data) : tokenizer_(Tokenizer::create(std::move(data))) {
  if (!tokenizer_->bos()) throw InvalidInput("The tokenizer names no token for the start of a text.");
  if (!tokenizer_->eos()) throw InvalidInput("The tokenizer names no token for the end of a text.");
}

ClipEncoding ClipTokenizer::encode(std::string_view text, std::size_t length) const {
  if (length < 2 || length > longest_length) {
    throw InvalidInput(
        fmt::format("A text of {} ids is asked of the tokenizer; 2 to {} are allowed.", length, longest_length));
  }
  const std::vector<std::int32_t> ids = tokenizer_->encode(utf8::replace_invalid(text), {.parse_special = true});
  const std::span all(ids);
  const auto kept = all.first(std::min(all.size(), length - 2));
  const auto dropped = all.subspan(kept.size());

  ClipEncoding encoding;
  encoding.ids.reserve(length);
  encoding.ids.push_back(start());
  encoding.ids.insert(encoding.ids.end(), kept.begin(), kept.end());
  encoding.ids.push_back(end());
  encoding.tokens = encoding.ids.size();
  encoding.ids.resize(length, padding());
  encoding.dropped = readable(tokenizer_->decode(dropped, {.special = true}));
  encoding.dropped_tokens = dropped.size();
  return encoding;
}

std::string ClipTokenizer::decode(std::span<const std::int32_t> ids) const { return readable(tokenizer_->decode(ids)); }

}  // namespace driftwood
