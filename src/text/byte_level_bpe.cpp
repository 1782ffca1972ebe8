// Byte-level BPE (GPT-2 and most models since): a pre-tokenizer cuts the text, then bytes merge by rank.
#include <fmt/format.h>

#include <array>

#include "base/error.h"
#include "formats/quote.h"
#include "text/byte_alphabet.h"
#include "text/merge_table.h"
#include "text/merging.h"
#include "text/normalizer.h"
#include "text/pre_tokenizer.h"
#include "text/token_model.h"
#include "text/utf8.h"

namespace driftwood {

namespace {

/// Ids for all strings that merging can meet: tokens, and past them strings that only merges name.
class Interner {
 public:
  explicit Interner(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  std::int32_t id(const std::string& text) {
    const std::int32_t token = vocabulary_.find_mergeable(text);
    if (token >= 0) return token;
    const auto next = vocabulary_.size() + static_cast<std::int32_t>(extra_.size());
    return extra_.try_emplace(text, next).first->second;
  }

 private:
  const Vocabulary& vocabulary_;
  std::unordered_map<std::string, std::int32_t> extra_;
};

PreTokenizer make_pre_tokenizer(const TokenizerData& data) {
  if (!data.split_patterns.empty()) return PreTokenizer(std::span<const SplitPattern>(data.split_patterns));
  const auto& patterns = pre_tokenizer_family(data.pre_tokenizer).patterns;
  return PreTokenizer(std::vector<std::string>(patterns.begin(), patterns.end()));
}

bool ignores_merges(const TokenizerData& data) {
  if (data.ignore_merges) return *data.ignore_merges;
  return data.split_patterns.empty() && pre_tokenizer_family(data.pre_tokenizer).ignore_merges;
}

class ByteLevelBpe final : public TokenModel {
 public:
  ByteLevelBpe(const Vocabulary& vocabulary, const TokenizerData& data)
      : vocabulary_(vocabulary),
        normalizer_(data.normalizer),
        pre_tokenizer_(make_pre_tokenizer(data)),
        ignore_merges_(ignores_merges(data)),
        suffix_(data.end_of_word_suffix),
        missing_(suffix_.empty() ? std::nullopt : data.unknown),
        merges_(data.merges.size()) {
    Interner interner(vocabulary);
    for (std::size_t byte = 0; byte < 256; ++byte) {
      std::string text;
      utf8::append(text, byte_alphabet::character_of(static_cast<unsigned char>(byte)));
      bytes_[byte] = interner.id(text);
      last_bytes_[byte] = interner.id(text + suffix_);
    }
    for (std::size_t rank = 0; rank < data.merges.size(); ++rank) {
      const auto& [left, right] = data.merges[rank];
      if (left.empty() || right.empty()) {
        throw InvalidInput(
            fmt::format("The merge {} ({} and {}) has an empty side.", rank, quote_name(left), quote_name(right)));
      }
      if (!suffix_.empty()) check_merge(rank, left, right);
      merges_.add(interner.id(left), interner.id(right), {static_cast<std::uint32_t>(rank), interner.id(left + right)});
    }
  }

  void encode(std::string_view text, bool /*add_space*/, std::vector<std::int32_t>& out) const override {
    Merging merging;
    const std::string normalized = normalizer_.empty() ? std::string() : normalize(text, normalizer_);
    if (!normalizer_.empty()) text = normalized;
    for (const std::string_view piece : pre_tokenizer_.split(text)) {
      if (ignore_merges_) {
        const std::int32_t whole = vocabulary_.find_mergeable(byte_alphabet::encode(piece));
        if (whole >= 0) {
          out.push_back(whole);
          continue;
        }
      }
      encode_piece(piece, merging, out);
    }
  }

  std::string piece(std::int32_t id) const override {
    const std::string_view text = vocabulary_.text(id);
    if (vocabulary_.type(id) == TokenType::UserDefined) return std::string(text);
    const bool ends_word = !suffix_.empty() && text.ends_with(suffix_);
    std::string bytes = byte_alphabet::decode(text.substr(0, text.size() - (ends_word ? suffix_.size() : 0)));
    if (ends_word) bytes += ' ';
    return bytes;
  }

 private:
  void check_merge(std::size_t rank, const std::string& left, const std::string& right) const {
    for (const std::string& part : {left, right, left + right}) {
      if (vocabulary_.find(part) < 0) {
        throw InvalidInput(fmt::format("The merge {} ({} and {}) needs the token {}, which the vocabulary lacks.", rank,
                                       quote_name(left), quote_name(right), quote_name(part)));
      }
    }
  }

  void encode_piece(std::string_view piece, Merging& merging, std::vector<std::int32_t>& out) const {
    auto& symbols = merging.symbols();
    symbols.clear();
    for (std::size_t i = 0; i < piece.size(); ++i) symbols.push_back({piece.substr(i, 1), byte_id(piece[i]), false});
    if (!suffix_.empty()) symbols.back().id = last_bytes_[static_cast<unsigned char>(piece.back())];
    merging.run([&](const Symbol& left, const Symbol& right) { return merges_.find(left.id, right.id); },
                [](const Symbol&, const Symbol&, std::int32_t) {});
    for (const Symbol& symbol : symbols) {
      if (symbol.text.empty()) continue;
      if (symbol.id < vocabulary_.size()) {
        out.push_back(symbol.id);
        continue;
      }
      if (missing_) {
        out.push_back(*missing_);
        continue;
      }
      // Only merges name this string. A byte that the vocabulary lacks has no token to stand for it and is left
      // out, as the original tokenizers do.
      for (const char byte : symbol.text) {
        if (byte_id(byte) < vocabulary_.size()) out.push_back(byte_id(byte));
      }
    }
  }

  std::int32_t byte_id(char byte) const { return bytes_[static_cast<unsigned char>(byte)]; }

  const Vocabulary& vocabulary_;
  std::vector<NormalizerStep> normalizer_;
  PreTokenizer pre_tokenizer_;
  bool ignore_merges_;
  std::string suffix_;                   // of tokens that end a piece
  std::optional<std::int32_t> missing_;  // stands for a byte that the vocabulary lacks
  MergeTable merges_;
  std::array<std::int32_t, 256> bytes_{};       // the symbol of each byte; past the vocabulary where that lacks it
  std::array<std::int32_t, 256> last_bytes_{};  // the same for the last byte of a piece
};

}  // namespace

std::unique_ptr<TokenModel> make_byte_level_bpe(const Vocabulary& vocabulary, const TokenizerData& data) {
  return std::make_unique<ByteLevelBpe>(vocabulary, data);
}

}  // namespace driftwood
