#include "text/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "text/utf8.h"

namespace driftwood {

namespace {

// Models end a turn with tokens that their files often do not mark: control tokens of these spellings count.
constexpr std::array<std::string_view, 22> end_spellings = {
    "<|eot_id|>",
    "<|eom_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|end_of_turn|>",
    "<end_of_turn>",
    "<|endofturn|>",
    "<|end_of_role|>",
    "</s>",
    "<eos>",
    "<EOT>",
    "<|EOT|>",
    "_<EOT>",
    "<|return|>",
    "<|call|>",
    "<|eot|>",
    "<|END_OF_TURN_TOKEN|>",
    "<｜end▁of▁sentence｜>",
    "<end_of_utterance>",
    "<turn|>",
};

}  // namespace

std::unique_ptr<Tokenizer> Tokenizer::create(TokenizerData data) {
  return std::unique_ptr<Tokenizer>(new Tokenizer(std::move(data)));
}

Tokenizer::Tokenizer(TokenizerData data)
    : vocabulary_(std::move(data.tokens), std::move(data.types)),
      kind_(data.model),
      space_prefix_(data.model == TokenizerModel::ByteLevelBpe ? SpacePrefix::None : data.space_prefix),
      user_defined_end_fragments_(kind_ == TokenizerModel::ByteLevelBpe || data.user_defined_end_fragments),
      add_bos_(data.add_bos),
      add_eos_(data.add_eos),
      bos_(data.bos),
      eos_(data.eos),
      unknown_(data.unknown),
      padding_(data.padding),
      strips_(std::move(data.strips)),
      chat_template_(std::move(data.chat_template)) {
  check_special_ids();
  switch (kind_) {
    case TokenizerModel::ByteLevelBpe: model_ = make_byte_level_bpe(vocabulary_, data); break;
    case TokenizerModel::SentencePiece: model_ = make_sentence_piece(vocabulary_, data); break;
    case TokenizerModel::Unigram: model_ = make_unigram(vocabulary_, data); break;
  }
  std::sort(strips_.begin(), strips_.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  find_special_tokens();
  find_ends_of_generation(data.eot);
}

void Tokenizer::check_special_ids() const {
  const auto check = [&](std::optional<std::int32_t> id, std::string_view name) {
    if (id && (*id < 0 || *id >= size())) {
      throw InvalidInput(fmt::format("The {} token is {}, but the vocabulary ends at {}.", name, *id, size() - 1));
    }
  };
  check(bos_, "BOS");
  check(eos_, "EOS");
  check(unknown_, "unknown");
  check(padding_, "padding");
  if (add_bos_ && !bos_) throw InvalidInput("The tokenizer is to add a BOS token, but names none.");
  if (add_eos_ && !eos_) throw InvalidInput("The tokenizer is to add an EOS token, but names none.");
}

void Tokenizer::find_special_tokens() {
  for (std::int32_t id = 0; id < size(); ++id) {
    const std::string& text = vocabulary_.text(id);
    if (text.empty()) continue;
    const TokenType kind = type(id);
    if (kind == TokenType::Control || kind == TokenType::Unknown) special_.add(text, id);
    if (kind == TokenType::UserDefined && user_defined_end_fragments_) {
      special_.add(text, id);
      always_.add(text, id);
    }
  }
}

void Tokenizer::find_ends_of_generation(std::optional<std::int32_t> eot) {
  if (eot && *eot >= 0 && *eot < size()) end_of_generation_.push_back(*eot);
  if (eos_) end_of_generation_.push_back(*eos_);
  for (const std::string_view spelling : end_spellings) {
    const auto id = find(spelling);
    if (id && is_control(*id)) end_of_generation_.push_back(*id);
  }
  std::sort(end_of_generation_.begin(), end_of_generation_.end());
  end_of_generation_.erase(std::unique(end_of_generation_.begin(), end_of_generation_.end()), end_of_generation_.end());
}

SpecialTokens::Match Tokenizer::widen(SpecialTokens::Match match, std::string_view text, std::size_t from) const {
  const auto at = std::lower_bound(strips_.begin(), strips_.end(), match.id,
                                   [](const StripAround& strip, std::int32_t id) { return strip.id < id; });
  if (at == strips_.end() || at->id != match.id) return match;
  std::size_t end = match.begin + match.length;
  if (at->left) {
    // The white space that reaches up to the token begins after the last other character before it.
    std::size_t begin = from;
    for (std::size_t i = from; i < match.begin;) {
      const utf8::Character character = utf8::decode(text, i);
      i += character.length;
      if (!utf8::is_white_space(character.code)) begin = i;
    }
    match.begin = begin;
  }
  while (at->right && end < text.size()) {
    const utf8::Character character = utf8::decode(text, end);
    if (!utf8::is_white_space(character.code)) break;
    end += character.length;
  }
  match.length = end - match.begin;
  return match;
}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text, EncodeOptions options) const {
  std::vector<std::int32_t> ids;
  if (options.add_special && add_bos_) ids.push_back(*bos_);
  const SpecialTokens& found = options.parse_special ? special_ : always_;
  for (std::size_t at = 0; at < text.size();) {
    auto match = found.empty() ? std::nullopt : found.find(text, at);
    if (match) match = widen(*match, text, at);
    const std::size_t end = match ? match->begin : text.size();
    const bool add_space =
        space_prefix_ == SpacePrefix::EachFragment || (space_prefix_ == SpacePrefix::TextStart && at == 0);
    model_->encode(text.substr(at, end - at), add_space, ids);
    if (!match) break;
    ids.push_back(match->id);
    at = end + match->length;
  }
  if (options.add_special && add_eos_) ids.push_back(*eos_);
  return ids;
}

void Tokenizer::check_id(std::int32_t id) const {
  if (id < 0 || id >= size()) {
    throw InvalidInput(fmt::format("The token id {} is not in the vocabulary, which has 0 to {}.", id, size() - 1));
  }
}

TokenType Tokenizer::type(std::int32_t id) const {
  check_id(id);
  return vocabulary_.type(id);
}

bool Tokenizer::is_control(std::int32_t id) const {
  const TokenType kind = type(id);
  return kind == TokenType::Control || kind == TokenType::Unknown;
}

bool Tokenizer::is_end_of_generation(std::int32_t id) const {
  return std::binary_search(end_of_generation_.begin(), end_of_generation_.end(), id);
}

std::optional<std::int32_t> Tokenizer::find(std::string_view text) const {
  const std::int32_t id = vocabulary_.find(text);
  return id < 0 ? std::nullopt : std::optional(id);
}

std::string Tokenizer::piece(std::int32_t id) const {
  return is_control(id) ? vocabulary_.text(id) : model_->piece(id);
}

bool Tokenizer::ends_fragment(std::int32_t id) const {
  return user_defined_end_fragments_ && vocabulary_.type(id) == TokenType::UserDefined;
}

std::string Tokenizer::decode_next(std::int32_t id, DecodeOptions& options) const {
  if (is_control(id)) {
    // BOS stands before the text rather than in it.
    options.continuation = space_prefix_ != SpacePrefix::EachFragment && (options.continuation || id != bos_);
    return options.special ? vocabulary_.text(id) : std::string();
  }
  std::string bytes = model_->piece(id);
  // The space that encode() adds at the start of a fragment is not part of the text.
  const bool is_added =
      space_prefix_ != SpacePrefix::None && !options.continuation && !ends_fragment(id) && bytes.starts_with(' ');
  options.continuation = space_prefix_ != SpacePrefix::EachFragment || !ends_fragment(id);
  return is_added ? bytes.substr(1) : bytes;
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids, DecodeOptions options) const {
  std::string text;
  for (const std::int32_t id : ids) text += decode_next(id, options);
  return text;
}

}  // namespace driftwood
