// `driftwood profile`: what it prints, and the files it writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace driftwood {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string tiny() { return quoted(std::string(DRIFTWOOD_TEST_DATA) + "/llm/llama-gqa-tied"); }

// A prompt of more than one chunk: what was not fed last must be there too when it is run as a whole.
TEST_F(CommandLine, ProfileGivesKernelsTraceAndRoofline) {
  const auto trace = folder_.path() / "trace.json", picture = folder_.path() / "roofline.svg";
  const Result result = run("profile " + tiny() + " -p 100 -n 2 -r 1 --json --device opencl --trace " +
                            quoted(trace.string()) + " --roofline " + quoted(picture.string()));
  ASSERT_EQ(result.status, 0) << result.err;
  const auto document = nlohmann::json::parse(result.out);
  for (const char* field : {"device", "driver", "limits", "stages", "options"})
    EXPECT_TRUE(document.contains(field)) << field;
  for (const char* field : {"read_gb_per_s", "copy_gb_per_s", "f32_gflop_per_s", "event_excess_us"})
    EXPECT_GE(document["limits"][field].get<double>(), 0) << field;
  ASSERT_EQ(document["stages"].size(), 2u);
  double kernels_ms = 0;
  std::size_t calls = 0;
  for (const auto& stage : document["stages"]) {
    EXPECT_FALSE(stage["kernels"].empty());
    kernels_ms += stage["kernels_ms"].get<double>();
    double share = 0;
    for (const auto& kernel : stage["kernels"]) {
      calls += kernel["calls"].get<std::size_t>();
      share += kernel["share"].get<double>();
      for (const char* field : {"kernel", "ms", "gb_per_s", "gflop_per_s", "share_of_limit", "limit", "arithmetic"})
        EXPECT_TRUE(kernel.contains(field)) << field;
    }
    EXPECT_NEAR(share, 1, 1e-6);
  }
  std::map<int, double> ends, sums;
  std::size_t dispatches = 0;
  const auto traced = nlohmann::json::parse(contents(trace));
  for (const auto& event : traced["traceEvents"]) {
    if (event["ph"] != "X") continue;
    const int track = event["tid"];
    EXPECT_GE(event["ts"].get<double>(), ends[track] - 1e-6);
    ends[track] = event["ts"].get<double>() + event["dur"].get<double>();
    sums[track] += event["dur"].get<double>();
    dispatches += track == 2 ? 1 : 0;
  }
  EXPECT_EQ(dispatches, calls);
  EXPECT_NEAR(sums[2], 1000 * kernels_ms, 0.001 * static_cast<double>(dispatches));
  EXPECT_THAT(contents(picture), StartsWith("<svg"));
}

TEST_F(CommandLine, ProfileOfTheReferenceHasNoLimits) {
  const std::string arguments = "profile " + tiny() + " -p 2 -n 1 -r 1 --device reference";
  const Result result = run(arguments);
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("not measured of this device"));
  EXPECT_THAT(result.out, HasSubstr("of limit"));
  const Result picture = run(arguments + " --roofline " + quoted((folder_.path() / "x.svg").string()));
  EXPECT_EQ(picture.status, 1);
  EXPECT_THAT(picture.err, HasSubstr("has no limits that a roofline could show"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "x.svg"));
}

TEST_F(CommandLine, ProfileTriesItsFilesFirst) {
  for (const char* option : {"--trace", "--roofline"}) {
    const Result result = run(std::string("profile /no/model ") + option + " /no/folder/file");
    EXPECT_EQ(result.status, 1);
    EXPECT_THAT(result.err, HasSubstr("The file '/no/folder/file' cannot be written: No such file or directory."));
  }
  EXPECT_EQ(run("profile x -r 0").status, 2);
  const Result help = run("profile --help");
  for (const char* option : {"--trace", "--roofline", "--repeats", "--measure-limits", "--json", "--top"})
    EXPECT_THAT(help.out, HasSubstr(option));
}

}  // namespace
}  // namespace driftwood
