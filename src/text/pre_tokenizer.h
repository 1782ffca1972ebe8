// Cutting text into the pieces within which byte-level BPE merges. Each model family has its own patterns
// (regular expressions of its original tokenizer); GGUF files name the family in `tokenizer.ggml.pre`.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace driftwood {

struct PreTokenizerFamily {
  std::vector<std::string_view> names;     // as in `tokenizer.ggml.pre`
  std::vector<std::string_view> patterns;  // applied one after another, each to the pieces of the one before
  bool ignore_merges = false;              // a piece that is a token stays whole, whatever the merges say
  bool add_bos = false;                    // where the file does not say
  bool composes = false;                   // the text is brought to Unicode's form C first
};

/// All families, as a table.
std::span<const PreTokenizerFamily> pre_tokenizer_families();

/// The family of that name. Throws InvalidInput that lists the known names.
const PreTokenizerFamily& pre_tokenizer_family(std::string_view name);

/// One cut of a text: at the matches of a pattern.
struct SplitPattern {
  std::string expression;
  bool keeps_rest = true;  // the stretches between matches are pieces too; otherwise they are left out
};

class PreTokenizer {
 public:
  /// Compiles the patterns (PCRE2 syntax, Unicode classes; `\s` is exactly White_Space).
  /// Throws InvalidInput naming a pattern that does not compile.
  explicit PreTokenizer(std::span<const SplitPattern> patterns);
  /// The same with patterns that keep the rest.
  explicit PreTokenizer(std::span<const std::string> patterns);
  ~PreTokenizer();
  PreTokenizer(PreTokenizer&&) noexcept;
  PreTokenizer& operator=(PreTokenizer&&) noexcept;

  /// The pieces of `text`, in order, none empty; together they are `text` where each pattern keeps the rest. What a
  /// pattern matches is a piece, and so is each stretch between matches that is kept. A byte that is no UTF-8 counts as
  /// the character U+FFFD. Takes time near-linear in the length for the patterns of the table. Safe to call from
  /// several threads.
  std::vector<std::string_view> split(std::string_view text) const;

 private:
  struct Pattern;
  std::vector<std::unique_ptr<Pattern>> patterns_;
};

}  // namespace driftwood
