#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace driftwood {
namespace {

TEST(ShareOut, DoesEachElementOnce) {
  for (const std::size_t count : {0u, 1u, 2u, 7u, 1000u}) {
    for (const unsigned threads : {0u, 1u, 3u, 8u}) {
      std::vector<std::atomic<int>> done(count);
      share_out(count, threads, [&](std::size_t first, std::size_t end) {
        EXPECT_LT(first, end);
        for (std::size_t i = first; i < end; ++i) ++done[i];
      });
      for (const auto& times : done) EXPECT_EQ(times, 1) << count << " on " << threads;
    }
  }
}

TEST(ShareOut, ThrowsWhatTheFirstPartThrewWhenAllAreDone) {
  std::atomic<int> done = 0;
  const auto work = [&](std::size_t first, std::size_t) {
    ++done;
    if (first >= 2) throw std::out_of_range(std::to_string(first));
  };
  try {
    share_out(4, 4, work);
    FAIL() << "nothing was thrown";
  } catch (const std::out_of_range& error) {
    EXPECT_STREQ(error.what(), "2");
  }
  EXPECT_EQ(done, 4);
}

TEST(HostThreads, AreOneAtLeastAndNoMoreThanAskedFor) {
  EXPECT_EQ(host_threads(0), 1u);
  EXPECT_EQ(host_threads(1), 1u);
  EXPECT_LE(host_threads(3), 3u);
  EXPECT_GE(host_threads(3), 1u);
}

}  // namespace
}  // namespace driftwood
