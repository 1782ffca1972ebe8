// Finding control and user-defined tokens spelled in a text: the leftmost, and of those the longest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace driftwood {

class SpecialTokens {
 public:
  /// Longer spellings are refused, which bounds the time of find() whatever the file holds.
  static constexpr std::size_t longest_spelling = 1024;

  /// Adds a token; a spelling that is there already keeps its first id. Throws InvalidInput where the
  /// spelling is empty or too long.
  void add(std::string_view spelling, std::int32_t id);

  struct Match {
    std::size_t begin = 0;
    std::size_t length = 0;
    std::int32_t id = 0;
  };

  /// The longest token that begins at `text[at]`.
  std::optional<Match> match_at(std::string_view text, std::size_t at) const;

  /// The first token from `from` on.
  std::optional<Match> find(std::string_view text, std::size_t from) const;

  bool empty() const { return ends_.size() == 1; }

 private:
  static std::uint64_t edge(std::uint32_t node, char byte) {
    return std::uint64_t{node} << 8 | static_cast<unsigned char>(byte);
  }

  // A trie over bytes: nodes are numbers, 0 the root.
  std::unordered_map<std::uint64_t, std::uint32_t> edges_;
  std::vector<std::int32_t> ends_ = {-1};  // of each node: the token that ends there, or -1
  bool first_bytes_[256] = {};
};

}  // namespace driftwood
