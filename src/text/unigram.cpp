// SentencePiece unigram (T. Kudo, "Subword Regularization", 2018, section 3.2): of all ways to cut a text into pieces
// the likeliest, found with Viterbi's algorithm; what no piece covers falls back to bytes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "base/error.h"
#include "text/byte_tokens.h"
#include "text/piece_text.h"
#include "text/token_model.h"
#include "text/utf8.h"

namespace driftwood {

namespace {

// Longer pieces are refused, which bounds the time of a text whatever the file holds.
constexpr std::size_t longest_piece = 1024;
// How much less likely than the unlikeliest piece a character is that no piece covers; SentencePiece's own constant.
constexpr float unknown_penalty = 10.0F;

/// All pieces that begin at a place of a text.
class PieceTree {
 public:
  void add(std::string_view text, std::int32_t id) {
    std::uint32_t node = 0;
    for (const char byte : text) {
      const auto [at, is_new] = edges_.try_emplace(edge(node, byte), static_cast<std::uint32_t>(ids_.size()));
      if (is_new) ids_.push_back(-1);
      node = at->second;
    }
    if (ids_[node] < 0) ids_[node] = id;
  }

  /// Calls `found(length, id)` for each piece at `text[at]`, shorter ones first.
  template <class Found>
  void each(std::string_view text, std::size_t at, const Found& found) const {
    std::uint32_t node = 0;
    for (std::size_t i = at; i < text.size(); ++i) {
      const auto next = edges_.find(edge(node, text[i]));
      if (next == edges_.end()) return;
      node = next->second;
      if (ids_[node] >= 0) found(i + 1 - at, ids_[node]);
    }
  }

 private:
  static std::uint64_t edge(std::uint32_t node, char byte) {
    return std::uint64_t{node} << 8 | static_cast<unsigned char>(byte);
  }

  std::unordered_map<std::uint64_t, std::uint32_t> edges_;  // nodes are numbers, 0 the root
  std::vector<std::int32_t> ids_ = {-1};                    // of each node: the piece that ends there, or -1
};

class Unigram final : public TokenModel {
 public:
  Unigram(const Vocabulary& vocabulary, const TokenizerData& data)
      : vocabulary_(vocabulary),
        fallback_(vocabulary, data.unknown),
        form_(vocabulary, data),
        splits_at_spaces_(data.split_at_spaces),
        scores_(data.scores) {
    if (scores_.size() != static_cast<std::size_t>(vocabulary.size())) {
      throw InvalidInput(fmt::format("The vocabulary has {} tokens but {} scores.", vocabulary.size(), scores_.size()));
    }
    bool has_pieces = false;
    for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
      const std::string& text = vocabulary.text(id);
      const float score = scores_[static_cast<std::size_t>(id)];
      const TokenType type = vocabulary.type(id);
      if (!std::isfinite(score)) throw InvalidInput(fmt::format("The score of the token {} is no number.", id));
      if (text.empty() || (type != TokenType::Normal && type != TokenType::UserDefined)) continue;
      if (text.size() > longest_piece) {
        throw InvalidInput(
            fmt::format("The piece {} has {} bytes; at most {} are allowed.", id, text.size(), longest_piece));
      }
      if (type == TokenType::Normal) {
        lowest_ = has_pieces ? std::min(lowest_, score) : score;
        highest_ = std::max(highest_, score);
        has_pieces = true;
      }
      tree_.add(replaced(text, " ", meta_space), id);
    }
  }

  void encode(std::string_view text, bool add_space, std::vector<std::int32_t>& out) const override {
    const std::string normal = form_.of(text, add_space);
    std::vector<Step> steps(normal.size() + 1);
    find_best(normal, steps);
    std::vector<std::size_t> ends;  // of the pieces, the last first
    for (std::size_t end = normal.size(); end > 0; end = steps[end].from) ends.push_back(end);
    bool after_unknown = false;
    for (std::size_t begin = 0; !ends.empty(); ends.pop_back()) {
      const Step& step = steps[ends.back()];
      if (step.id >= 0) {
        out.push_back(step.id);
        after_unknown = false;
      } else {
        fallback_.put(std::string_view(normal).substr(begin, ends.back() - begin), after_unknown, out);
      }
      begin = ends.back();
    }
  }

  std::string piece(std::int32_t id) const override { return piece_bytes(vocabulary_, id); }

 private:
  /// The best way to a place of the text: its score, the piece that ends there (-1: none covers it), where that begins.
  struct Step {
    float score = 0;
    std::int32_t id = -1;
    std::size_t from = none;
  };
  static constexpr std::size_t none = SIZE_MAX;

  void find_best(std::string_view text, std::vector<Step>& steps) const {
    const float unknown_score = lowest_ - unknown_penalty;
    const auto offer = [&](std::size_t from, std::size_t length, std::int32_t id, double score) {
      Step& step = steps[from + length];
      const double sum = score + static_cast<double>(steps[from].score);
      if (step.from == none || sum > static_cast<double>(step.score)) step = {static_cast<float>(sum), id, from};
    };
    std::size_t limit = splits_at_spaces_ ? 0 : std::string_view::npos;  // no piece reaches across it
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t character = utf8::decode(text, at).length;
      if (limit <= at) limit = text.find(meta_space, at + 1);
      bool has_one = false;
      tree_.each(text.substr(0, limit), at, [&](std::size_t length, std::int32_t id) {
        const bool is_user_defined = vocabulary_.type(id) == TokenType::UserDefined;
        // A user-defined piece is better than any other way to cover as many bytes.
        const double score = is_user_defined ? static_cast<double>(static_cast<float>(length) * highest_) - 0.1
                                             : static_cast<double>(scores_[static_cast<std::size_t>(id)]);
        offer(at, length, id, score);
        has_one = has_one || length == character;
      });
      if (!has_one) offer(at, character, -1, static_cast<double>(unknown_score));
      at += character;
    }
  }

  const Vocabulary& vocabulary_;
  ByteFallback fallback_;
  PieceText form_;
  bool splits_at_spaces_;
  std::vector<float> scores_;
  float lowest_ = 0, highest_ = std::numeric_limits<float>::min();  // of the normal pieces
  PieceTree tree_;
};

}  // namespace

std::unique_ptr<TokenModel> make_unigram(const Vocabulary& vocabulary, const TokenizerData& data) {
  return std::make_unique<Unigram>(vocabulary, data);
}

}  // namespace driftwood
