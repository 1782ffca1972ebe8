// Drafts by looking back: what followed the last time that the text read as it does now.
//
// A prompt that is summarised, translated or edited comes back in the answer in pieces, and code and lists repeat
// themselves; there the guess costs nothing and is often right. Known as prompt lookup decoding.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace driftwood::llm {

struct DraftSettings {
  std::uint32_t tokens = 0;         // most tokens of a draft; 0: no drafts
  std::uint32_t longest_ngram = 3;  // tokens at the end of the text that are looked for
  std::uint32_t shortest_ngram = 2;
};

/// Limit of DraftSettings::tokens: with the token before it a draft is run in one short batch.
inline constexpr std::uint32_t max_draft_tokens = 15;

/// The tokens that may follow `tokens`, as many as `most` and the settings allow: those after the last earlier place of
/// its longest end that has one, of longest_ngram down to shortest_ngram tokens. Nothing where there is no such place.
std::vector<std::int32_t> ngram_draft(std::span<const std::int32_t> tokens, const DraftSettings& settings,
                                      std::size_t most);

}  // namespace driftwood::llm
