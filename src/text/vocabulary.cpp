#include "text/vocabulary.h"

#include <fmt/format.h>

#include <limits>

#include "base/error.h"

namespace driftwood {

Vocabulary::Vocabulary(std::vector<std::string> tokens, std::vector<TokenType> types)
    : tokens_(std::move(tokens)), types_(std::move(types)) {
  if (tokens_.empty() || tokens_.size() > std::numeric_limits<std::int32_t>::max() / 2) {
    throw InvalidInput(fmt::format("The vocabulary has {} tokens; 1 to {} are allowed.", tokens_.size(),
                                   std::numeric_limits<std::int32_t>::max() / 2));
  }
  if (!types_.empty() && types_.size() != tokens_.size()) {
    throw InvalidInput(fmt::format("The vocabulary has {} tokens but {} token types.", tokens_.size(), types_.size()));
  }
  mergeable_.reserve(tokens_.size());
  for (std::int32_t id = 0; id < size(); ++id) {
    const TokenType kind = type(id);
    const bool is_mergeable = kind == TokenType::Normal || kind == TokenType::UserDefined || kind == TokenType::Unused;
    (is_mergeable ? mergeable_ : others_).try_emplace(text(id), id);
  }
}

std::int32_t Vocabulary::find(std::string_view text) const {
  const std::int32_t id = find(mergeable_, text);
  return id >= 0 ? id : find(others_, text);
}

}  // namespace driftwood
