// `driftwood selftest`, and the test that a device gets when a model first runs on it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/command_line.h"

namespace driftwood {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class SelftestCommand : public CommandLine {
 protected:
  bool has_opencl() {
    const Result devices = run("devices --json");
    return devices.out.find("\"id\":\"opencl:0\"") != std::string::npos;
  }
  std::size_t records() const {
    std::error_code error;
    std::size_t count = 0;
    for (std::filesystem::directory_iterator it(folder_.path() / "cache/selftest", error), end; it != end; ++it)
      ++count;
    return count;
  }
};

TEST_F(SelftestCommand, PrintsALineAKernelAndASummary) {
  const Result result = run("selftest --device reference");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, ContainsRegex("subgroups +1 case +right\n"));
  EXPECT_THAT(result.out, ContainsRegex("linear-matrix +[0-9]+ cases? +right\n"));
  EXPECT_THAT(result.out, ContainsRegex("reference: ([0-9]+) of ([0-9]+) kernels and features are right in [0-9]+ "
                                        "cases, [0-9.]+ s\n$"));
  EXPECT_THAT(result.out, Not(HasSubstr("wrong")));
}

TEST_F(SelftestCommand, WritesOneJsonDocument) {
  const Result result = run("selftest --device reference --json");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const auto document = nlohmann::json::parse(result.out);
  EXPECT_EQ(document["device"], "reference");
  EXPECT_EQ(document["right"], true);
  EXPECT_EQ(document["worked_around"], true);
  EXPECT_GT(document["kernels"].size(), 25U);
  for (const auto& kernel : document["kernels"]) EXPECT_EQ(kernel["verdict"], "right") << kernel;
  EXPECT_TRUE(document["amendments"]["kernels"].empty());
}

TEST_F(SelftestCommand, AnUnknownDeviceIsStatus1) {
  const Result result = run("selftest --device nothing:7");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("nothing:7"));
}

TEST_F(SelftestCommand, ADeviceIsTestedWhenAModelFirstRunsOnIt) {
  if (!has_opencl()) GTEST_SKIP() << "no OpenCL device";
  const std::string model = quoted(std::string(DRIFTWOOD_TEST_DATA) + "/llm/llama-gqa-tied");
  const auto with_cache = [&](const std::string& options) {
    // The shell's own: the command begins with the binary.
    ::setenv("DRIFTWOOD_CACHE_DIR", (folder_.path() / "cache").c_str(), 1);
    Result result = run("run " + model + " --ids 1,2 -n 2 --temp 0 --device opencl:0 " + options);
    ::unsetenv("DRIFTWOOD_CACHE_DIR");
    EXPECT_EQ(result.status, 0) << result.err;
    return result;
  };
  const Result first = with_cache("");
  EXPECT_EQ(records(), 1U);
  EXPECT_THAT(first.err, Not(HasSubstr("selftest"))) << "silent where nothing is wrong";
  EXPECT_THAT(first.err, Not(HasSubstr("self-test")));
  const auto written =
      std::filesystem::last_write_time(*std::filesystem::directory_iterator(folder_.path() / "cache/selftest"));
  EXPECT_EQ(with_cache("").out, first.out);
  EXPECT_EQ(std::filesystem::last_write_time(*std::filesystem::directory_iterator(folder_.path() / "cache/selftest")),
            written)
      << "the record is read";
  std::filesystem::remove_all(folder_.path() / "cache/selftest");
  EXPECT_EQ(with_cache("--no-selftest").out, first.out);
  EXPECT_EQ(records(), 0U);
  ::setenv("DRIFTWOOD_SELFTEST", "0", 1);
  EXPECT_EQ(with_cache("").out, first.out);
  ::unsetenv("DRIFTWOOD_SELFTEST");
  EXPECT_EQ(records(), 0U);
}

}  // namespace
}  // namespace driftwood
