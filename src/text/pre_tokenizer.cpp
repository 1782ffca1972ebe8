#include "text/pre_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/error.h"
#include "text/utf8.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace driftwood {

namespace {

struct Range {
  std::size_t begin;
  std::size_t end;
};

constexpr std::uint32_t heap_limit_kib = 512 * 1024;

constexpr std::string_view white_space =
    R"(\t-\r \x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})";

/// PCRE2's own \s also holds U+180E, which left White_Space with Unicode 6.3, so \s and \S are spelled out.
std::string spell_white_space(std::string_view pattern) {
  std::string out;
  bool in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\' && i + 1 < pattern.size()) {
      const char escaped = pattern[++i];
      if (escaped == 's') {
        out += in_class ? std::string(white_space) : fmt::format("[{}]", white_space);
      } else if (escaped == 'S' && !in_class) {
        out += fmt::format("[^{}]", white_space);
      } else {
        out += {c, escaped};
      }
      continue;
    }
    if (c == '[') in_class = true;
    if (c == ']') in_class = false;
    out += c;
  }
  return out;
}

std::string pcre_message(int code) {
  PCRE2_UCHAR buffer[256] = {};
  pcre2_get_error_message(code, buffer, sizeof buffer);
  return reinterpret_cast<const char*>(buffer);
}

/// Text that PCRE2 may read as UTF-8, and the way back from its offsets.
class ValidText {
 public:
  explicit ValidText(std::string_view text) : original_(text), text_(text) {
    if (utf8::is_valid(text)) return;
    for (std::size_t at = 0; at < text.size();) {
      const utf8::Character character = utf8::decode(text, at);
      const std::size_t before = copy_.size();
      utf8::append(copy_, character.code);
      origin_.resize(copy_.size(), at);
      for (std::size_t i = before; i < copy_.size(); ++i) origin_[i] = at;
      at += character.length;
    }
    origin_.push_back(text.size());
    text_ = copy_;
  }
  ValidText(const ValidText&) = delete;
  ValidText& operator=(const ValidText&) = delete;

  std::string_view text() const { return text_; }

  std::string_view original(Range range) const {
    const std::size_t begin = origin_.empty() ? range.begin : origin_[range.begin];
    const std::size_t end = origin_.empty() ? range.end : origin_[range.end];
    return original_.substr(begin, end - begin);
  }

 private:
  std::string_view original_;
  std::string_view text_;
  std::string copy_;
  std::vector<std::size_t> origin_;  // of each byte of copy_; empty where the text is valid
};

}  // namespace

struct PreTokenizer::Pattern {
  explicit Pattern(const std::string& source, bool keeps_rest = true) : keeps_rest(keeps_rest) {
    const std::string spelled = spell_white_space(source);
    int code = 0;
    PCRE2_SIZE offset = 0;
    compiled = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(spelled.data()), spelled.size(),
                             PCRE2_UTF | PCRE2_UCP | PCRE2_DOLLAR_ENDONLY, &code, &offset, nullptr);
    if (compiled == nullptr) {
      throw InvalidInput(fmt::format("The pre-tokenizer pattern '{}' does not compile: {} (near offset {}).", source,
                                     pcre_message(code), offset));
    }
    pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE);  // where the machine has no JIT, matching interprets
  }
  ~Pattern() { pcre2_code_free(compiled); }
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  pcre2_code* compiled = nullptr;
  bool keeps_rest;
};

namespace {

/// One thread's state for matching one pattern.
class Matcher {
 public:
  explicit Matcher(const pcre2_code* code)
      : code_(code),
        data_(pcre2_match_data_create_from_pattern(code, nullptr)),
        context_(pcre2_match_context_create(nullptr)) {
    if (data_ == nullptr || context_ == nullptr) {
      release();
      throw OutOfMemory("The memory for matching a pre-tokenizer pattern cannot be allocated.");
    }
    pcre2_set_heap_limit(context_, heap_limit_kib);
  }
  ~Matcher() { release(); }
  Matcher(const Matcher&) = delete;
  Matcher& operator=(const Matcher&) = delete;

  /// The first match in `text` from `from` on; an empty range at the end where there is none.
  Range find(std::string_view text, std::size_t from) {
    // Linear patterns take a few steps a byte. One that a file gives may take exponentially many.
    const std::size_t steps = 10'000'000 + 100 * std::min<std::size_t>(text.size(), 10'000'000);
    pcre2_set_match_limit(context_, static_cast<std::uint32_t>(steps));
    const auto* subject = reinterpret_cast<PCRE2_SPTR>(text.data());
    int result = pcre2_match(code_, subject, text.size(), from, PCRE2_NO_UTF_CHECK, data_, context_);
    if (result == PCRE2_ERROR_JIT_STACKLIMIT) {
      // Long repeats of a group need more than the default 32 KiB; the interpreter takes its stack from the heap.
      result = pcre2_match(code_, subject, text.size(), from, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, data_, context_);
    }
    if (result < 0) return {text.size(), text.size()};  // no match, or a limit: the rest stays one piece
    const PCRE2_SIZE* at = pcre2_get_ovector_pointer(data_);
    return {at[0], at[1]};
  }

 private:
  void release() {
    pcre2_match_data_free(data_);
    pcre2_match_context_free(context_);
  }

  const pcre2_code* code_;
  pcre2_match_data* data_;
  pcre2_match_context* context_;
};

void split_piece(Matcher& matcher, bool keeps_rest, std::string_view text, Range piece, std::vector<Range>& out) {
  // A piece is matched alone: look-ahead must not see the next one.
  const std::string_view subject = text.substr(piece.begin, piece.end - piece.begin);
  std::size_t at = 0;
  while (at < subject.size()) {
    Range match = matcher.find(subject, at);
    if (match.end <= match.begin) match = {subject.size(), subject.size()};  // an empty match cuts nothing
    if (keeps_rest && match.begin > at) out.push_back({piece.begin + at, piece.begin + match.begin});
    if (match.end > match.begin) out.push_back({piece.begin + match.begin, piece.begin + match.end});
    at = match.end;
  }
}

}  // namespace

PreTokenizer::PreTokenizer(std::span<const SplitPattern> patterns) {
  for (const auto& [expression, keeps_rest] : patterns) {
    patterns_.push_back(std::make_unique<Pattern>(expression, keeps_rest));
  }
}
PreTokenizer::PreTokenizer(std::span<const std::string> patterns) {
  for (const std::string& pattern : patterns) patterns_.push_back(std::make_unique<Pattern>(pattern));
}
PreTokenizer::~PreTokenizer() = default;
PreTokenizer::PreTokenizer(PreTokenizer&&) noexcept = default;
PreTokenizer& PreTokenizer::operator=(PreTokenizer&&) noexcept = default;

std::vector<std::string_view> PreTokenizer::split(std::string_view text) const {
  if (text.empty()) return {};
  const ValidText valid(text);
  std::vector<Range> pieces{{0, valid.text().size()}};
  std::vector<Range> next;
  for (const auto& pattern : patterns_) {
    Matcher matcher(pattern->compiled);
    next.clear();
    for (const Range piece : pieces) split_piece(matcher, pattern->keeps_rest, valid.text(), piece, next);
    pieces.swap(next);
  }
  std::vector<std::string_view> out;
  out.reserve(pieces.size());
  for (const Range piece : pieces) out.push_back(valid.original(piece));
  return out;
}

const PreTokenizerFamily& pre_tokenizer_family(std::string_view name) {
  std::string known;
  for (const PreTokenizerFamily& family : pre_tokenizer_families()) {
    for (const std::string_view candidate : family.names) {
      if (candidate == name) return family;
      known += known.empty() ? "" : ", ";
      known += candidate;
    }
  }
  throw InvalidInput(fmt::format("The pre-tokenizer '{}' is not known; known are {}.",
                                 utf8::replace_invalid(name.substr(0, 100)), known));
}

}  // namespace driftwood
