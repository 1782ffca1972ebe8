#include "llm/ngram_draft.h"

#include <algorithm>

namespace driftwood::llm {

std::vector<std::int32_t> ngram_draft(std::span<const std::int32_t> tokens, const DraftSettings& settings,
                                      std::size_t most) {
  most = std::min<std::size_t>(most, settings.tokens);
  if (most == 0) return {};
  for (std::size_t n = settings.longest_ngram; n >= std::max(settings.shortest_ngram, 1U); --n) {
    if (tokens.size() <= n) continue;
    const auto end = tokens.last(n);
    for (std::size_t at = tokens.size() - n; at-- > 0;) {
      if (!std::ranges::equal(tokens.subspan(at, n), end)) continue;
      // What followed may reach the end of the text and go on in the draft itself: a period is repeated.
      std::vector<std::int32_t> draft;
      for (std::size_t from = at + n; draft.size() < most; ++from)
        draft.push_back(from < tokens.size() ? tokens[from] : draft[from - tokens.size()]);
      return draft;
    }
  }
  return {};
}

}  // namespace driftwood::llm
