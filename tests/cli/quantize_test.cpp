// `driftwood quantize` through the shell, on the small models of tests/data/llm.
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace driftwood {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

class QuantizeCommand : public CommandLine {
 protected:
  std::string model(const std::string& name) const { return quoted(DRIFTWOOD_TEST_DATA "/llm/" + name); }
  fs::path path(const std::string& name) const { return folder_.path() / name; }
  std::string out(const std::string& name) const { return quoted(path(name).string()); }

  /// The logits of the last of some ids.
  nlohmann::json logits(const std::string& file) {
    const Result result = run("logits " + file + " --ids 1,7,3,9,2 --top 5 --device reference --json");
    EXPECT_EQ(result.status, 0) << result.err;
    return nlohmann::json::parse(result.out).at(0);
  }
};

// Quantized files run, and the finer the scheme the nearer their logits.
TEST_F(QuantizeCommand, EverySchemeMakesAModelThatRuns) {
  const double whole = logits(model("llama-gqa-tied")).at("logsumexp");
  struct Case {
    const char* scheme;
    double tolerance;
    bool opens_elsewhere;
  };
  for (const Case& c : {Case{"f32", 1e-4, true}, Case{"f16", 1e-2, true}, Case{"q8", 0.1, false},
                        Case{"q8_0", 0.1, true}, Case{"844", 1.5, false}, Case{"q4_0", 1.5, true}}) {
    SCOPED_TRACE(c.scheme);
    const Result made = run("quantize " + model("llama-gqa-tied") + " " + out("m.gguf") + " --force --scheme " +
                            c.scheme + " --threads 2");
    ASSERT_EQ(made.status, 0) << made.err;
    EXPECT_EQ(made.out, "");
    EXPECT_THAT(made.err, HasSubstr(c.opens_elsewhere ? "readers of GGUF open it" : "do not open it"));
    EXPECT_THAT(made.err, Not(HasSubstr("quantizing to")));  // no progress where no terminal is
    EXPECT_NEAR(logits(out("m.gguf")).at("logsumexp"), whole, c.tolerance);
  }
}

TEST_F(QuantizeCommand, AFileIsQuantizedFromAnother) {
  ASSERT_EQ(run("quantize " + model("gemma3-local") + " " + out("whole.gguf") + " --scheme f32").status, 0);
  EXPECT_NEAR(logits(out("whole.gguf")).at("logsumexp"), logits(model("gemma3-local")).at("logsumexp"), 1e-3);
  const Result made = run("quantize " + out("whole.gguf") + " " + out("eight.gguf") + " --scheme q8 --json");
  ASSERT_EQ(made.status, 0) << made.err;
  const auto report = nlohmann::json::parse(made.out);
  EXPECT_EQ(report.at("scheme"), "q8");
  EXPECT_EQ(report.at("bytes"), fs::file_size(path("eight.gguf")));
  EXPECT_EQ(report.at("opens_elsewhere"), false);
  EXPECT_GT(report.at("types").at("i8c").at("values"), report.at("types").at("f32").at("values"));
  EXPECT_NEAR(logits(out("eight.gguf")).at("logsumexp"), logits(out("whole.gguf")).at("logsumexp"), 0.2);
  const auto inspected = nlohmann::json::parse(run("inspect " + out("eight.gguf") + " --json").out);
  EXPECT_EQ(inspected.at("metadata").at("driftwood.scheme"), "q8");
  EXPECT_EQ(inspected.at("metadata").at("general.architecture"), "gemma3");

  const Result again = run("quantize " + out("eight.gguf") + " " + out("four.gguf") + " --scheme q4_0");
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("is quantized already"));
}

TEST_F(QuantizeCommand, RowsThatASchemeDoesNotTakeAreReported) {
  const Result made = run("quantize " + model("odd-sizes") + " " + out("odd.gguf") + " --scheme q4_0");
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_THAT(made.err, HasSubstr("f16 (q4_0 does not take its rows)"));
  ASSERT_EQ(run("quantize " + model("odd-sizes") + " " + out("odd.gguf") + " --force --scheme 844").status, 0);
  EXPECT_NEAR(logits(out("odd.gguf")).at("logsumexp"), logits(model("odd-sizes")).at("logsumexp"), 1.5);
}

TEST_F(QuantizeCommand, WhatIsWrongIsSaidBeforeTheWork) {
  const std::string source = model("llama-gqa-tied");
  const Result unknown = run("quantize " + source + " " + out("x.gguf") + " --scheme q3");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("'q3' is no scheme; there are q8, 844, q4_0"));
  EXPECT_EQ(run("quantize " + source + " " + out("x.gguf")).status, 2);

  ASSERT_EQ(run("quantize " + source + " " + out("x.gguf") + " --scheme f16").status, 0);
  const std::string before = contents(path("x.gguf"));
  const Result exists = run("quantize " + source + " " + out("x.gguf") + " --scheme q8");
  EXPECT_EQ(exists.status, 1);
  EXPECT_THAT(exists.err, HasSubstr("exists; --force replaces it"));
  const Result same = run("quantize " + out("x.gguf") + " " + out("x.gguf") + " --scheme q8 --force");
  EXPECT_EQ(same.status, 1);
  EXPECT_THAT(same.err, HasSubstr("is the model itself"));
  EXPECT_EQ(contents(path("x.gguf")), before);

  const Result nowhere = run("quantize " + source + " " + out("no/such/x.gguf") + " --scheme q8");
  EXPECT_EQ(nowhere.status, 1);
  EXPECT_THAT(nowhere.err, HasSubstr("is no folder that can be written to"));
  const Result full = run("quantize " + source + " /dev/full --scheme q8 --force");
  EXPECT_EQ(full.status, 1);
  EXPECT_THAT(full.err, HasSubstr("No space left on device"));
  const Result no_model = run("quantize " + file("a.gguf", "GGUF") + " " + out("y.gguf") + " --scheme q8");
  EXPECT_EQ(no_model.status, 1);
  EXPECT_FALSE(fs::exists(path("y.gguf")));
}

}  // namespace
}  // namespace driftwood
