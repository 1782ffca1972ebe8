// The tokens of a tokenizer: text, type and id both ways.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/tokenizer_data.h"

namespace driftwood {

class Vocabulary {
 public:
  /// Throws InvalidInput where there are no tokens, or not as many types as tokens.
  Vocabulary(std::vector<std::string> tokens, std::vector<TokenType> types);
  Vocabulary(const Vocabulary&) = delete;
  Vocabulary& operator=(const Vocabulary&) = delete;

  std::int32_t size() const { return static_cast<std::int32_t>(tokens_.size()); }
  const std::string& text(std::int32_t id) const { return tokens_[static_cast<std::size_t>(id)]; }
  TokenType type(std::int32_t id) const {
    return types_.empty() ? TokenType::Normal : types_[static_cast<std::size_t>(id)];
  }

  /// The token of that text that merging may give (Normal, UserDefined, Unused), or -1. Of several, the first.
  std::int32_t find_mergeable(std::string_view text) const { return find(mergeable_, text); }
  /// The token of that text, of any type, or -1.
  std::int32_t find(std::string_view text) const;

 private:
  using Index = std::unordered_map<std::string_view, std::int32_t>;
  static std::int32_t find(const Index& index, std::string_view text) {
    const auto at = index.find(text);
    return at == index.end() ? -1 : at->second;
  }

  std::vector<std::string> tokens_;
  std::vector<TokenType> types_;
  Index mergeable_;
  Index others_;
};

}  // namespace driftwood
