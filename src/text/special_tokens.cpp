#include "text/special_tokens.h"

#include <fmt/format.h>

#include "base/error.h"

namespace driftwood {

void SpecialTokens::add(std::string_view spelling, std::int32_t id) {
  if (spelling.empty() || spelling.size() > longest_spelling) {
    throw InvalidInput(
        fmt::format("The special token {} has {} bytes; 1 to {} are allowed.", id, spelling.size(), longest_spelling));
  }
  std::uint32_t node = 0;
  for (const char byte : spelling) {
    const auto [at, is_new] = edges_.try_emplace(edge(node, byte), static_cast<std::uint32_t>(ends_.size()));
    if (is_new) ends_.push_back(-1);
    node = at->second;
  }
  if (ends_[node] < 0) ends_[node] = id;
  first_bytes_[static_cast<unsigned char>(spelling.front())] = true;
}

std::optional<SpecialTokens::Match> SpecialTokens::match_at(std::string_view text, std::size_t at) const {
  std::optional<Match> longest;
  std::uint32_t node = 0;
  for (std::size_t i = at; i < text.size(); ++i) {
    const auto next = edges_.find(edge(node, text[i]));
    if (next == edges_.end()) break;
    node = next->second;
    if (ends_[node] >= 0) longest = Match{at, i + 1 - at, ends_[node]};
  }
  return longest;
}

std::optional<SpecialTokens::Match> SpecialTokens::find(std::string_view text, std::size_t from) const {
  for (std::size_t at = from; at < text.size(); ++at) {
    if (!first_bytes_[static_cast<unsigned char>(text[at])]) continue;
    if (auto match = match_at(text, at)) return match;
  }
  return std::nullopt;
}

}  // namespace driftwood
