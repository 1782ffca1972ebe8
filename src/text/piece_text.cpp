#include "text/piece_text.h"

#include "text/byte_tokens.h"
#include "text/utf8.h"

namespace driftwood {

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  std::size_t at = 0;
  for (std::size_t found; (found = text.find(from, at)) != std::string_view::npos; at = found + from.size()) {
    out.append(text.substr(at, found - at)).append(to);
  }
  return out.append(text.substr(at));
}

std::string piece_bytes(const Vocabulary& vocabulary, std::int32_t id) {
  const std::string& text = vocabulary.text(id);
  const auto byte = vocabulary.type(id) == TokenType::Byte ? byte_of_token(text) : std::nullopt;
  return byte ? std::string(1, static_cast<char>(*byte)) : replaced(text, meta_space, " ");
}

PieceText::PieceText(const Vocabulary& vocabulary, const TokenizerData& data)
    : steps_(data.normalizer),
      only_where_missing_(data.space_prefix_only_where_missing),
      remove_extra_(data.remove_extra_spaces) {
  if (!data.character_map.empty()) map_.emplace(data.character_map);
  if (data.user_defined_end_fragments) return;
  for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
    const std::string& text = vocabulary.text(id);
    if (vocabulary.type(id) != TokenType::UserDefined || text.empty()) continue;
    user_defined_.add(replaced(text, " ", meta_space), id);
    if (map_ || remove_extra_) spelled_.add(replaced(text, meta_space, " "), id);
  }
}

std::string PieceText::changed(std::string_view text) const {
  std::string out;
  out.reserve(text.size());
  bool is_after_space = remove_extra_;
  for (std::size_t at = 0; at < text.size();) {
    std::string_view part;
    const std::size_t start = at;
    if (const auto piece = spelled_.match_at(text, at)) {
      part = text.substr(at, piece->length);
      at += piece->length;
    } else if (const CharacterMap::Match match = map_ ? map_->match(text, at) : CharacterMap::Match();
               match.length > 0) {
      part = match.replacement;
      at += match.length;
    } else {
      part = text.substr(at, utf8::decode(text, at).length);
      at += part.size();
    }
    while (is_after_space && part.starts_with(' ')) part.remove_prefix(1);
    if (!part.empty()) is_after_space = part.ends_with(' ');
    if (!remove_extra_) is_after_space = false;
    out += part;
    if (at == start) break;
  }
  return out;
}

std::string PieceText::of(std::string_view text, bool add_space) const {
  std::string copy;
  if (!steps_.empty()) {
    copy = normalize(text, steps_);
    text = copy;
  }
  if (map_ || remove_extra_) {
    copy = changed(text);
    text = copy;
  }
  if (text.empty()) return {};
  if (only_where_missing_ && (text.starts_with(' ') || text.starts_with(meta_space))) add_space = false;
  std::string out = (add_space ? std::string(meta_space) : std::string()) + replaced(text, " ", meta_space);
  while (remove_extra_ && out.ends_with(meta_space)) out.resize(out.size() - meta_space.size());
  return out;
}

}  // namespace driftwood
