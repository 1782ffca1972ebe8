#include "measure/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "measure/chrome_trace.h"
#include "measure/roofline.h"
#include "measure/stages.h"

namespace driftwood::measure {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Ceilings, TheLimitIsTheLongerOfMovingAndComputing) {
  const Ceilings limits = some_ceilings();
  EXPECT_EQ(limits.bandwidth(), 100);
  EXPECT_EQ(limits.gflops(graph::Arithmetic::Integers), 1000) << "what was not measured is no faster than f32";
  EXPECT_EQ(limits.least_nanoseconds(1000, 1, graph::Arithmetic::Floats), 10);
  EXPECT_EQ(limits.least_nanoseconds(1000, 20000, graph::Arithmetic::Floats), 20);
  EXPECT_EQ(limits.least_nanoseconds(1000, 20000, graph::Arithmetic::Halves), 10);
  EXPECT_EQ(limits.corrected(10000), 6000);
  EXPECT_EQ(limits.corrected(1000), 0) << "never below zero";
}

TEST(Ceilings, TextsThatAreNoneGiveNothing) {
  EXPECT_EQ(ceilings_from_text(to_text(some_ceilings())), some_ceilings());
  for (const char* text : {"", "[]", "[1,2,3]", "{}", "[1,2,3,4,5,6,-7]", "[1,2,3,4,5,6,\"7\"]", "[1,2,3,4,5,6,7",
                           "\xff", "[1,2,3,4,5,6,7,8]", "[null,2,3,4,5,6,7]"})
    EXPECT_EQ(ceilings_from_text(text), std::nullopt) << text;
}

TEST(Profile, LinesOfKernels) {
  const auto stages = some_stages();
  const auto lines = by_kernel(stages[0], some_ceilings());
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].kernel, "linear-matrix");
  EXPECT_NEAR(*lines[0].share_of_limit(), 0.5, 1e-12);
  EXPECT_EQ(lines[0].bound(), Bound::Arithmetic);
  EXPECT_EQ(lines[1].bound(), Bound::Memory);
  EXPECT_EQ(lines[2].share_of_limit(), std::nullopt) << "no time, no share";
  EXPECT_EQ(lines[2].gb_per_s(), 0);
  EXPECT_NEAR(lines[0].share + lines[1].share + lines[2].share, 1, 1e-12);
  EXPECT_EQ(by_kernel(stages[0], std::nullopt)[0].share_of_limit(), std::nullopt);
  const auto decode = by_kernel(stages[1], some_ceilings());
  ASSERT_EQ(decode.size(), 1u);
  EXPECT_EQ(decode[0].calls, 4u);
  EXPECT_NEAR(*decode[0].share_of_limit(), 4 * 1e5 / (2 * 300000.9), 1e-9);
  EXPECT_EQ(by_kernel({.name = "nothing"}, std::nullopt).size(), 0u);
}

// What a viewer relies on: events of a track do not overlap, and their times are those measured.
TEST(ChromeTrace, EventsOfATrackFollowOneAnotherAndAddUp) {
  const auto stages = some_stages();
  const auto document = nlohmann::json::parse(chrome_trace(stages, some_ceilings(), "a \"device\""));
  std::map<int, double> ends, sums;
  std::size_t dispatches = 0;
  for (const auto& event : document["traceEvents"]) {
    if (event["ph"] != "X") continue;
    const int track = event["tid"];
    const double start = event["ts"], duration = event["dur"];
    EXPECT_GE(start, ends[track] - 1e-9) << event;
    EXPECT_GE(duration, 0) << event;
    ends[track] = start + duration;
    sums[track] += duration;
    if (track != 2) continue;
    ++dispatches;
    for (const char* field : {"label", "bytes", "flops"}) EXPECT_TRUE(event["args"].contains(field)) << field;
    if (event["name"] == "linear-matrix") {
      EXPECT_NEAR(event["args"]["share_of_limit"].get<double>(), 0.5, 1e-9);
    }
  }
  EXPECT_EQ(dispatches, 7u);
  EXPECT_NEAR(sums[2], 1000 * (stages[0].kernels_ms() + stages[1].kernels_ms()), 0.01);
  EXPECT_NEAR(sums[1], 1250 + 2 * 100, 0.01) << "waiting takes no time where submitting took longer";
  EXPECT_EQ(nlohmann::json::parse(chrome_trace({}, std::nullopt, ""))["traceEvents"].size(), 3u);
}

TEST(Roofline, ShowsEachKernelAndEachLimit) {
  auto stages = some_stages();
  stages[0].name = "a <b> & \"c\"";
  const std::string svg = roofline_svg(stages, some_ceilings(), "title");
  EXPECT_THAT(svg, HasSubstr("<svg xmlns"));
  for (const char* name : {">linear-matrix<", ">rms-norm<", ">linear-rows<", "memory: 100 GB/s", "matrix units: 1e+04",
                           "f16: 2000", "Without a place here: cache-write", "a &lt;b&gt; &amp; &quot;c&quot;"})
    EXPECT_THAT(svg, HasSubstr(name));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
  EXPECT_THROW(roofline_svg({}, some_ceilings(), "empty"), InvalidInput);
  EXPECT_THAT(roofline_svg(stages, {}, "no limits"), Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace driftwood::measure
