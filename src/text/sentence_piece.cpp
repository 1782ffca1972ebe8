// SentencePiece BPE (Llama 2, Gemma): spaces become U+2581, user-defined pieces are taken as they stand, the
// characters between them merge by score or rank, and what no piece covers falls back to bytes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "formats/quote.h"
#include "text/byte_tokens.h"
#include "text/merge_table.h"
#include "text/merging.h"
#include "text/piece_text.h"
#include "text/token_model.h"
#include "text/utf8.h"

namespace driftwood {

namespace {

/// Ranks from scores: 0 for the best score, the same rank for the same score.
std::vector<std::uint32_t> ranks_of(const std::vector<float>& scores) {
  std::vector<std::uint32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
  std::vector<std::uint32_t> ranks(scores.size());
  std::uint32_t rank = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && scores[order[i]] < scores[order[i - 1]]) ++rank;
    ranks[order[i]] = rank;
  }
  return ranks;
}

class SentencePiece final : public TokenModel {
 public:
  SentencePiece(const Vocabulary& vocabulary, const TokenizerData& data)
      : vocabulary_(vocabulary),
        fallback_(vocabulary, data.unknown),
        form_(vocabulary, data),
        splits_at_spaces_(data.split_at_spaces),
        merges_(data.merges.size()) {
    for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
      const std::string& text = vocabulary.text(id);
      longest_ = std::max(longest_, text.size());
    }
    if (data.scores.empty()) {
      read_merges(data);
    } else {
      read_scores(data);
    }
  }

  void encode(std::string_view text, bool add_space, std::vector<std::int32_t>& out) const override {
    const std::string normal = form_.of(text, add_space);
    if (normal.empty()) return;
    Merging merging;
    read_symbols(normal, merging.symbols());
    Splits splits;
    merging.run([&](const Symbol& left, const Symbol& right) { return merge(left, right); },
                [&](const Symbol& left, const Symbol&, std::int32_t id) {
                  if (vocabulary_.type(id) == TokenType::Unused) splits.try_emplace(id, left.text.size());
                });
    bool after_unknown = false;
    for (const Symbol& symbol : merging.symbols()) {
      if (!symbol.text.empty()) put(symbol, splits, after_unknown, out);
    }
  }

  std::string piece(std::int32_t id) const override { return piece_bytes(vocabulary_, id); }

 private:
  /// Of each unused token that arose: the bytes of its left part.
  using Splits = std::unordered_map<std::int32_t, std::size_t>;

  void read_scores(const TokenizerData& data) {
    if (data.scores.size() != static_cast<std::size_t>(vocabulary_.size())) {
      throw InvalidInput(
          fmt::format("The vocabulary has {} tokens but {} scores.", vocabulary_.size(), data.scores.size()));
    }
    for (std::size_t id = 0; id < data.scores.size(); ++id) {
      if (std::isnan(data.scores[id])) throw InvalidInput(fmt::format("The score of the token {} is no number.", id));
    }
    ranks_ = ranks_of(data.scores);
  }

  void read_merges(const TokenizerData& data) {
    if (data.merges.empty()) {
      throw InvalidInput("The SentencePiece tokenizer has neither scores nor merges; one of them is needed.");
    }
    for (std::size_t rank = 0; rank < data.merges.size(); ++rank) {
      const auto& [left, right] = data.merges[rank];
      const std::int32_t a = vocabulary_.find_mergeable(left);
      const std::int32_t b = vocabulary_.find_mergeable(right);
      const std::int32_t whole = vocabulary_.find_mergeable(left + right);
      if (a < 0 || b < 0 || whole < 0) {
        throw InvalidInput(fmt::format("The merge {} ({} and {}) names text that is no token of the vocabulary.", rank,
                                       quote_name(left), quote_name(right)));
      }
      merges_.add(a, b, {static_cast<std::uint32_t>(rank), whole});
    }
  }

  void read_symbols(std::string_view text, std::vector<Symbol>& symbols) const {
    for (std::size_t at = 0; at < text.size();) {
      Symbol symbol;
      if (const auto match = form_.user_defined().match_at(text, at)) {
        symbol = {text.substr(at, match->length), match->id, true};
      } else {
        symbol.text = text.substr(at, utf8::decode(text, at).length);
        symbol.id = vocabulary_.find_mergeable(symbol.text);
      }
      at += symbol.text.size();
      symbols.push_back(symbol);
    }
  }

  std::optional<Merge> merge(const Symbol& left, const Symbol& right) const {
    if (splits_at_spaces_ && right.text.starts_with(meta_space)) return std::nullopt;
    if (ranks_.empty()) return merges_.find(left.id, right.id);
    const std::size_t length = left.text.size() + right.text.size();
    if (length > longest_) return std::nullopt;
    const std::int32_t id = vocabulary_.find_mergeable({left.text.data(), length});
    if (id < 0) return std::nullopt;
    return Merge{ranks_[static_cast<std::size_t>(id)], id};
  }

  /// Appends the tokens of a merged symbol: unused ones as the parts they arose from, unknown text as bytes.
  void put(const Symbol& symbol, const Splits& splits, bool& after_unknown, std::vector<std::int32_t>& out) const {
    std::vector<std::string_view> parts{symbol.text};
    while (!parts.empty()) {
      const std::string_view part = parts.back();
      parts.pop_back();
      const std::int32_t id = part.size() == symbol.text.size() ? symbol.id : vocabulary_.find_mergeable(part);
      const auto split = id < 0 ? splits.end() : splits.find(id);
      if (split != splits.end() && split->second < part.size()) {
        parts.push_back(part.substr(split->second));
        parts.push_back(part.substr(0, split->second));
      } else if (id >= 0) {
        out.push_back(id);
        after_unknown = false;
      } else {
        fallback_.put(part, after_unknown, out);
      }
    }
  }

  const Vocabulary& vocabulary_;
  ByteFallback fallback_;
  PieceText form_;
  bool splits_at_spaces_;
  std::size_t longest_ = 0;
  std::vector<std::uint32_t> ranks_;  // of each token; empty where merges_ are used
  MergeTable merges_;
};

}  // namespace

std::unique_ptr<TokenModel> make_sentence_piece(const Vocabulary& vocabulary, const TokenizerData& data) {
  return std::make_unique<SentencePiece>(vocabulary, data);
}

}  // namespace driftwood
