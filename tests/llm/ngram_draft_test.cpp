#include "llm/ngram_draft.h"

#include <gtest/gtest.h>

namespace driftwood::llm {
namespace {

using Tokens = std::vector<std::int32_t>;

TEST(NgramDraft, IsWhatFollowedTheLastPlaceThatReadTheSame) {
  const DraftSettings settings{.tokens = 3};
  EXPECT_EQ(ngram_draft(Tokens{1, 2, 3, 10, 11, 12, 13, 9, 1, 2, 3}, settings, 8), (Tokens{10, 11, 12}));
  EXPECT_EQ(ngram_draft(Tokens{1, 2, 3, 10, 1, 2, 3, 20, 1, 2, 3}, settings, 8), (Tokens{20, 1, 2}));
}

TEST(NgramDraft, LongerPlacesComeBeforeShorterOnes) {
  const DraftSettings settings{.tokens = 1};
  EXPECT_EQ(ngram_draft(Tokens{1, 2, 3, 10, 7, 2, 3, 20, 1, 2, 3}, settings, 8), (Tokens{10}));
  EXPECT_EQ(ngram_draft(Tokens{7, 2, 3, 20, 1, 2, 3}, settings, 8), (Tokens{20}));
  EXPECT_EQ(ngram_draft(Tokens{3, 20, 1, 2, 3}, settings, 8), Tokens{}) << "one token alone is no reason to guess";
}

TEST(NgramDraft, APeriodGoesOn) {
  const DraftSettings settings{.tokens = 5};
  EXPECT_EQ(ngram_draft(Tokens{4, 4, 4, 4}, settings, 8), (Tokens{4, 4, 4, 4, 4}));
  EXPECT_EQ(ngram_draft(Tokens{1, 2, 1, 2, 1, 2}, settings, 8), (Tokens{1, 2, 1, 2, 1}));
}

TEST(NgramDraft, IsNoLongerThanAskedFor) {
  const Tokens tokens = {1, 2, 3, 4, 5, 6, 1, 2};
  EXPECT_EQ(ngram_draft(tokens, {.tokens = 8}, 2), (Tokens{3, 4}));
  EXPECT_EQ(ngram_draft(tokens, {.tokens = 8}, 0), Tokens{});
  EXPECT_EQ(ngram_draft(tokens, {.tokens = 0}, 8), Tokens{});
  EXPECT_EQ(ngram_draft(Tokens{}, {.tokens = 8}, 8), Tokens{});
  EXPECT_EQ(ngram_draft(Tokens{1, 2}, {.tokens = 8}, 8), Tokens{});
}

}  // namespace
}  // namespace driftwood::llm
