// `driftwood tune`: what is measured is kept, shown, used and forgotten.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/command_line.h"

namespace driftwood {
namespace {

using ::testing::HasSubstr;

class TuneCommand : public CommandLine {
 protected:
  TuneCommand() {
    ::setenv("DRIFTWOOD_CACHE_DIR", (folder_.path() / "cache").c_str(), 1);
    ::setenv("DRIFTWOOD_SELFTEST", "0", 1);
  }
  ~TuneCommand() override {
    ::unsetenv("DRIFTWOOD_CACHE_DIR");
    ::unsetenv("DRIFTWOOD_SELFTEST");
  }
  /// Puts an entry into a table that has none or some.
  static void file_with(const std::string& path, const std::string& entry) {
    auto table = nlohmann::json::parse(contents(path));
    table["entries"] = nlohmann::json::array({nlohmann::json::parse(entry)});
    std::ofstream(path) << table.dump();
  }
  static std::string tiny() { return quoted(std::string(DRIFTWOOD_TEST_DATA) + "/llm/llama-gqa-tied"); }
};

TEST_F(TuneCommand, ShowsWhatItWouldTry) {
  const Result result = run("tune " + tiny() + " --device reference -p 4 --dry-run");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("prefill: linear "));
  EXPECT_THAT(result.out, HasSubstr("decode: attention "));
  EXPECT_THAT(result.out, HasSubstr(" splits "));
  const Result json = run("tune " + tiny() + " --device reference -p 4 --dry-run --json");
  EXPECT_GT(nlohmann::json::parse(json.out)["nodes"].size(), 5U);
}

TEST_F(TuneCommand, WhatIsMeasuredIsKeptUsedAndForgotten) {
  const std::string device = " --device reference ";
  const Result tuned = run("tune " + tiny() + device + "-p 2 --budget 1 --json");
  ASSERT_EQ(tuned.status, 0) << tuned.err;
  const auto document = nlohmann::json::parse(tuned.out);
  EXPECT_EQ(document["device"], "reference");
  EXPECT_EQ(document["whole"].size(), 2U);
  EXPECT_EQ(document["options"]["precision"], "auto");
  for (const auto& node : document["nodes"]) EXPECT_TRUE(node["refused"].empty()) << node;
  const std::string file = document["kept"];
  EXPECT_THAT(file, HasSubstr((folder_.path() / "cache").string()));

  // As if a search had found something.
  file_with(file, R"({"node": "select-token", "tokens": 2, "places": 0, "kernel": "select-token", "values": {},
                      "us": 1, "rule_us": 2, "modules": [], "code": "cbf29ce484222325"})");
  EXPECT_THAT(run("tune --list" + device).out, HasSubstr("select-token"));
  const auto options = [&](const std::string& more) {
    const Result bench = run("bench " + tiny() + device + "-p 2 -n 0 -r 1 -o json" + more);
    EXPECT_EQ(bench.status, 0) << bench.err;
    return nlohmann::json::parse(bench.out)[0]["options"]["tuning"];
  };
  EXPECT_EQ(options(""), "cache");
  EXPECT_EQ(options(" --no-tuning"), "off");
  EXPECT_THAT(run("tune --forget" + device).out, HasSubstr("is forgotten"));
  EXPECT_THAT(run("tune --forget" + device).out, HasSubstr("Nothing is kept"));
  EXPECT_EQ(options(""), "rule");
}

TEST_F(TuneCommand, WrongCommandLinesAreStatus2) {
  for (const std::string arguments : {"tune --budget 0", "tune -p 0", "tune --nonsense"}) {
    const Result result = run(arguments + " --device reference");
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
  }
  const Result limited = run("tune --device reference --limits " + file("limits.json", R"({"local_memory": 16384})"));
  EXPECT_EQ(limited.status, 2);
  EXPECT_THAT(limited.err, HasSubstr("--limits"));
  EXPECT_EQ(run("tune /does/not/exist --device reference").status, 1);
}

}  // namespace
}  // namespace driftwood
