#include "llm/prefill_chunks.h"

#include <gtest/gtest.h>

namespace driftwood::llm {
namespace {

TEST(PrefillChunks, BeginSmallWhereNothingIsKnown) {
  EXPECT_EQ(PrefillChunks(1024, 200).next(), 64u);
  EXPECT_EQ(PrefillChunks(48, 200).next(), 48u);
}

TEST(PrefillChunks, ArePowersOfTwoWithinTheLimit) {
  PrefillChunks chunks(1024, 200);
  chunks.measured(64, 64);  // 1 ms a token
  EXPECT_EQ(chunks.next(), 128u);
  chunks.measured(128, 40);
  EXPECT_EQ(chunks.next(), 512u);
  chunks.measured(512, 20);
  EXPECT_EQ(chunks.next(), 1024u);
  chunks.measured(1024, 2048);
  EXPECT_EQ(chunks.next(), 64u);
}

// A tile of positions takes its time however few of them are tokens.
TEST(PrefillChunks, GrowWhereMoreTokensTakeNoMoreTime) {
  PrefillChunks chunks(1024, 200);
  chunks.measured(64, 3000);  // with compilation
  EXPECT_EQ(chunks.next(), 32u);
  chunks.measured(32, 115);
  EXPECT_EQ(chunks.next(), 64u);
  chunks.measured(64, 116);
  EXPECT_EQ(chunks.next(), 128u);
  chunks.measured(128, 260);
  EXPECT_EQ(chunks.next(), 64u);
  chunks.measured(64, 116);
  EXPECT_EQ(chunks.next(), 64u) << "128 were too many";
}

TEST(PrefillChunks, StayWithinTheMostAndTheFewest) {
  PrefillChunks chunks(100, 200);
  chunks.measured(64, 1);
  EXPECT_EQ(chunks.next(), 100u) << "the most of a run, also where that is no power of two";
  chunks.measured(64, 1e6);
  EXPECT_EQ(chunks.next(), 32u);
  chunks.measured(64, 0);
  EXPECT_EQ(chunks.next(), 100u);
  PrefillChunks few(7, 200);
  few.measured(7, 1e6);
  EXPECT_EQ(few.next(), 7u);
}

}  // namespace
}  // namespace driftwood::llm
