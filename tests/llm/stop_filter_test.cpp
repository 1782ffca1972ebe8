#include <gtest/gtest.h>

#include "llm/generate.h"

namespace driftwood::llm {
namespace {

std::string through(StopFilter& filter, const std::vector<std::string>& pieces) {
  std::string text;
  for (const std::string& piece : pieces) text += filter.push(piece);
  return text;
}

TEST(StopFilter, PassesTextWithoutStopsAtOnce) {
  StopFilter filter({});
  EXPECT_EQ(filter.push("abc"), "abc");
  EXPECT_FALSE(filter.stopped());
}

TEST(StopFilter, StopsBeforeAStopTextThatComesInPieces) {
  StopFilter filter({"END"});
  EXPECT_EQ(through(filter, {"one E", "N", "D two"}), "one ");
  EXPECT_TRUE(filter.stopped());
  EXPECT_EQ(filter.push("more"), "");
}

TEST(StopFilter, GivesBackWhatOnlyBeganLikeAStop) {
  StopFilter filter({"END"});
  EXPECT_EQ(filter.push("one EN"), "one ");
  EXPECT_EQ(filter.push("x"), "ENx");
  EXPECT_EQ(filter.push("EN"), "");
  EXPECT_EQ(filter.flush(), "EN");
}

TEST(StopFilter, TheEarliestOfSeveralStopsCounts) {
  StopFilter filter({"zz", "b"});
  EXPECT_EQ(filter.push("abzz"), "a");
  EXPECT_TRUE(filter.stopped());
}

TEST(StopFilter, AnEmptyStopTextIsNone) {
  StopFilter filter({""});
  EXPECT_EQ(filter.push("abc"), "abc");
}

}  // namespace
}  // namespace driftwood::llm
