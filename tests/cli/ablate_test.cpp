// `driftwood ablate`: techniques on and off.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace driftwood {
namespace {

using ::testing::HasSubstr;

std::string tiny() { return quoted(std::string(DRIFTWOOD_TEST_DATA) + "/llm/llama-gqa-tied"); }

TEST_F(CommandLine, AblateGivesTechniquesOnAndOff) {
  const std::string arguments =
      "ablate " + tiny() + " -p 2 -n 1 -r 2 --least-ms 0 --device reference --only memory-plan --only fuse-rope-cache";
  const Result result = run(arguments + " --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto document = nlohmann::json::parse(result.out);
  for (const char* field : {"model", "version", "test_time", "device", "driver", "options", "rows", "skipped"})
    EXPECT_TRUE(document.contains(field)) << field;
  EXPECT_EQ(document["options"]["repeats"], 2);
  EXPECT_EQ(document["options"]["weight_rows"], "interleaved");
  bool has_pass = false, has_memory = false;
  for (const auto& row : document["rows"]) {
    for (const char* field : {"group", "technique", "stage", "on", "off", "on_ms", "off_ms", "ratio", "ratio_low",
                              "ratio_high", "confidence", "ratio_spread", "rounds", "samples_on_ms"})
      EXPECT_TRUE(row.contains(field)) << field;
    EXPECT_EQ(row["samples_off_ms"].size(), 2u);
    EXPECT_LE(row["on_submit_ms"].get<double>(), row["on_ms"].get<double>());
    EXPECT_GT(row["off_submit_ms"].get<double>(), 0);
    has_pass |= row["technique"] == "fuse-rope-cache";
    has_memory |= row["technique"] == "memory-plan" && row.contains("off_bytes");
  }
  EXPECT_TRUE(has_pass);
  EXPECT_TRUE(has_memory);
}

TEST_F(CommandLine, AblateRefusesWhatItDoesNotKnow) {
  const Result unknown = run("ablate " + tiny() + " --only magic");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("'magic' is no technique: there are virtualised-access, storage"));
  EXPECT_EQ(run("ablate " + tiny() + " -r 0").status, 2);
  EXPECT_EQ(run("ablate /does/not/exist").status, 1);
}

// The switches that it turns are options of every command that runs a model.
TEST_F(CommandLine, SwitchesOfTechniques) {
  const std::string arguments = "run " + tiny() + " --ids 1,2 -n 3 --temp 0 --device reference ";
  const std::string plain = run(arguments).out;
  for (const char* option : {"--weight-rows separate", "--kv-layout token-minor", "--memory-plan naive",
                             "--no-kernel attention-split --no-kernel attention-cache-tile"}) {
    const Result result = run(arguments + option);
    EXPECT_EQ(result.status, 0) << option << result.err;
    EXPECT_EQ(result.out, plain) << option;
  }
  const Result unknown = run(arguments + "--no-kernel magic");
  EXPECT_EQ(unknown.status, 1);
  EXPECT_THAT(unknown.err, HasSubstr("There is no kernel 'magic' to switch off"));
  const Result needed = run(arguments + "--no-kernel embedding");
  EXPECT_EQ(needed.status, 1);
  EXPECT_THAT(needed.err, HasSubstr("Switched off for it: 'embedding'."));
  EXPECT_EQ(run(arguments + "--weight-rows sideways").status, 2);
  EXPECT_EQ(run(arguments + "--memory-plan magic").status, 2);
}

}  // namespace
}  // namespace driftwood
