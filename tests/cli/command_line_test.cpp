// The binary as a person or a script uses it: streams, exit statuses, messages (the command-line contract).
#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/model_file.h"

namespace driftwood {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string tiny() { return quoted(std::string(DRIFTWOOD_TEST_DATA) + "/llm/llama-gqa-tied"); }

bool has_model() { return test::model_file("SmolLM2-135M-Instruct.Q4_1.gguf").has_value(); }
std::string model() { return quoted(std::string(DRIFTWOOD_SOURCE_DIR) + "/models/SmolLM2-135M-Instruct.Q4_1.gguf"); }

#define NEEDS_MODEL() \
  if (!has_model()) GTEST_SKIP() << "the model is missing: tools/fetch_models.sh smollm2"

// WebGPU's libraries are not asked then, since Dawn would write warnings of its own.
TEST_F(CommandLine, DevicesSaysWhereVulkanHasNoDriver) {
  ::setenv("VK_DRIVER_FILES", (folder_.path() / "none.json").c_str(), 1);
  const Result result = run("devices");
  ::unsetenv("VK_DRIVER_FILES");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  if (result.out.find("webgpu ") == std::string::npos) GTEST_SKIP() << "there is no WebGPU library";
  EXPECT_THAT(result.out, ::testing::AnyOf(HasSubstr("finds no adapter: Vulkan has no driver here."),
                                           HasSubstr("finds no adapter: there is no libvulkan.so.1.")));
}

TEST_F(CommandLine, HelpNamesEveryCommandAndGoesToStandardOutput) {
  const Result result = run("--help");
  EXPECT_EQ(result.status, 0);
  for (const char* name : {"run", "tokenize", "detokenize", "chat-template", "logits", "perplexity", "bench", "memory",
                           "inspect", "devices", "kernel", "image"})
    EXPECT_THAT(result.out, HasSubstr(name));
  EXPECT_EQ(result.err, "");
}

TEST_F(CommandLine, AWrongCommandLineIsStatus2) {
  for (const std::string& arguments : std::vector<std::string>{
           "", "nonsense", "run", "run x --nonsense", "run x -n -1 -p a", "run x -n 99999999999 -p a",
           "run x --precision f64 -p a", "run x -p a --seed -1", "bench x -r 0", "bench x -o yaml", "run x",
           "tokenize x", "perplexity x", "detokenize x --ids 1,a", "detokenize x --ids 1,", "run x -p a --ids 1",
           "kernel", "kernel rms_norm --set nonsense", "run x -p a --storage drum"}) {
    const Result result = run(arguments);
    EXPECT_EQ(result.status, 2) << arguments << "\n" << result.err;
    EXPECT_THAT(result.err, StartsWith("driftwood: error: ")) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
  }
}

TEST_F(CommandLine, AFailureIsStatus1WithASentence) {
  for (const std::string& arguments : std::vector<std::string>{
           std::string("run /does/not/exist -p a"), "inspect " + file("empty.gguf", ""),
           "run " + file("text.gguf", "not a model") + " -p a",
           std::string("run ") + tiny() + " --ids 1 --device opencl:99",
           std::string("run ") + tiny() + " --ids 1 --no-fusion nonsense", std::string("run ") + tiny() + " -p a",
           std::string("run ") + tiny() + " --ids 9999 --device reference",
           std::string("run ") + tiny() + " --ids 1 --temp -1", std::string("kernel nonsense"),
           std::string("kernel rms_norm"), std::string("logits ") + tiny() + " --ids 1,2 --positions 2",
           std::string("run ") + tiny() + " -f /does/not/exist", std::string("run / -p a"),
           std::string("tokenize ") + tiny() + " -p a"}) {
    const Result result = run(arguments);
    EXPECT_EQ(result.status, 1) << arguments << "\n" << result.err;
    EXPECT_THAT(result.err, HasSubstr("driftwood: error: ")) << arguments;
  }
}

TEST_F(CommandLine, IdsWithoutATokenizerGiveIds) {
  const Result result = run("run " + tiny() + " --ids 5,6,7 -n 3 --temp 0 --device reference");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), ','), 2) << result.out;
}

TEST_F(CommandLine, TheContextIsNotExceededByOne) {
  EXPECT_EQ(run("run " + tiny() + " --ids 5,6,7 -n 1 --ctx 3 --temp 0 --device reference").status, 0);
  const Result over = run("run " + tiny() + " --ids 5,6,7 -n 1 --ctx 2 --temp 0 --device reference");
  EXPECT_EQ(over.status, 1);
  EXPECT_THAT(over.err, HasSubstr("3 tokens, over the context of 2"));
  const Result full =
      run("run " + tiny() + " --ids 5,6,7 -n 9 --ctx 5 --temp 0 --device reference --json --ignore-eos");
  EXPECT_EQ(full.status, 0) << full.err;
  const auto document = nlohmann::json::parse(full.out);
  EXPECT_EQ(document["finish_reason"], "length");
  EXPECT_THAT(full.err, HasSubstr("the context of 5 tokens is full"));
  EXPECT_EQ(document["tokens"].size(), 3u);  // two are fed back; the third needs no room
}

TEST_F(CommandLine, TheContextAndTheCacheAreChosen) {
  const auto plan = [&](const std::string& options) {
    const Result result = run("memory " + tiny() + " --device reference --json " + options);
    EXPECT_EQ(result.status, 0) << result.err;
    return nlohmann::json::parse(result.out);
  };
  const auto automatic = plan("");
  EXPECT_EQ(automatic["context"], 512) << "the model's own where that is not over 4096";
  EXPECT_EQ(plan("--ctx 0")["context"], 512);
  EXPECT_EQ(plan("--ctx 0")["kv_cache"], automatic["kv_cache"]);
  EXPECT_EQ(automatic["kv_type"], "f16");
  EXPECT_EQ(plan("--kv-type f32")["kv_cache"].get<double>(), 2 * automatic["kv_cache"].get<double>());
  EXPECT_EQ(plan("--precision f32")["kv_type"], "f32");
  EXPECT_EQ(run("memory " + tiny() + " --kv-type q3").status, 2);
  EXPECT_EQ(run("memory " + tiny() + " --ctx 16777217").status, 2);
}

TEST_F(CommandLine, TheMemoryPlanShowsWhatRingsSave) {
  const std::string windowed = quoted(std::string(DRIFTWOOD_TEST_DATA) + "/llm/mistral-swa");
  const auto plan = [&](const std::string& context) {
    const Result result = run("memory " + windowed + " --device reference --json --ctx " + context);
    EXPECT_EQ(result.status, 0) << result.err;
    return nlohmann::json::parse(result.out);
  };
  const auto small = plan("512"), large = plan("2048");
  EXPECT_EQ(small["kv_rings"]["places"], 0) << "a run of the whole context leaves nothing to save";
  EXPECT_EQ(large["kv_rings"]["places"], 1088) << "a window of 16 and runs of 1,024, in steps of 64";
  EXPECT_EQ(large["kv_rings"]["bytes"], large["kv_cache"]) << "every layer has a window";
  EXPECT_EQ(large["kv_cache"].get<double>() + large["kv_rings"]["saved"].get<double>(),
            4 * small["kv_cache"].get<double>());
  EXPECT_THAT(run("memory " + windowed + " --device reference --ctx 2048").out, HasSubstr("rings of 1088"));
}

TEST_F(CommandLine, DraftsLeaveTheTokensAsTheyAre) {
  const std::string command =
      "run " + tiny() + " --ids 5,6,7,5,6,7,5,6 -n 12 --temp 0 --ctx 24 --device reference --json";
  const Result plain = run(command), drafted = run(command + " --draft ngram --draft-tokens 3");
  ASSERT_EQ(drafted.status, 0) << drafted.err;
  const auto without = nlohmann::json::parse(plain.out), with = nlohmann::json::parse(drafted.out);
  EXPECT_EQ(with["tokens"], without["tokens"]);
  EXPECT_EQ(without["draft"]["drafted"], 0);
  EXPECT_GE(with["draft"]["drafted"], with["draft"]["accepted"]);
  EXPECT_EQ(run("run " + tiny() + " --ids 5 --draft ngram --draft-tokens 16").status, 2);
}

TEST_F(CommandLine, JsonIsOneDocumentWithTheContractsFields) {
  const Result result = run("run " + tiny() + " --ids 5,6 -n 2 --temp 0 --device reference --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto document = nlohmann::json::parse(result.out);
  for (const char* field : {"text", "tokens", "prompt_tokens", "finish_reason", "device", "timings"})
    EXPECT_TRUE(document.contains(field)) << field;
  for (const char* field :
       {"load_ms", "prompt_ms", "prompt_per_second", "predicted_ms", "predicted_per_second", "host_ms_per_token"})
    EXPECT_TRUE(document["timings"].contains(field)) << field;
}

TEST_F(CommandLine, BenchHasTheFieldsOfLlamaBench) {
  const Result result = run("bench " + tiny() + " -p 4 -n 2 -r 2 -o json --device reference");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto rows = nlohmann::json::parse(result.out);
  ASSERT_EQ(rows.size(), 2u);
  for (const char* field : {"model_filename", "model_size", "model_n_params", "backends", "gpu_info", "n_prompt",
                            "n_gen", "n_depth", "avg_ts", "stddev_ts", "samples_ts", "weights_bytes", "planned_bytes",
                            "naive_bytes", "options", "type_k", "type_v"})
    EXPECT_TRUE(rows[0].contains(field)) << field;
  EXPECT_EQ(rows[0]["n_prompt"], 4);
  EXPECT_EQ(rows[1]["n_gen"], 2);
  EXPECT_EQ(rows[0]["samples_ts"].size(), 2u);
  EXPECT_EQ(rows[0]["sampling"], "none");
  EXPECT_EQ(rows[1]["sampling"], "device");
  EXPECT_GT(rows[1]["host_ms_per_token"].get<double>(), 0);
  const Result host = run("bench " + tiny() + " -p 0 -n 2 -r 1 -o json --device reference --sampling host");
  EXPECT_EQ(nlohmann::json::parse(host.out)[0]["sampling"], "host");
}

TEST_F(CommandLine, MemoryAndGraphNeedNoRun) {
  const Result memory = run("memory " + tiny() + " --json --device reference");
  ASSERT_EQ(memory.status, 0) << memory.err;
  const auto document = nlohmann::json::parse(memory.out);
  EXPECT_GT(document["activations"]["prefill"]["naive"].get<double>(),
            document["activations"]["prefill"]["planned"].get<double>());
  EXPECT_LE(document["launches"]["decode"]["most_of_layer"], 7);
  EXPECT_LE(document["launches"]["decode"]["elsewhere"], 3);
  EXPECT_GT(document["launches"]["prefill"]["total"], document["launches"]["decode"]["total"]);
  EXPECT_THAT(run("memory " + tiny() + " --device reference").out, HasSubstr(" a layer x "));
  const std::string graph = run("graph " + tiny() + " --device reference").out;
  EXPECT_THAT(graph, HasSubstr("rope-qkv"));
  EXPECT_THAT(graph, HasSubstr(" a layer x "));
  EXPECT_THAT(run("graph " + tiny() + " --before --format dot --device reference").out, StartsWith("digraph"));
}

TEST_F(CommandLine, LogitsOfPositionsAndOutToAFile) {
  const std::string out = quoted((folder_.path() / "logits.safetensors").string());
  const Result result =
      run("logits " + tiny() + " --ids 5,6,7 --positions 0,-1 --top 3 --json --out " + out + " --device reference");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto rows = nlohmann::json::parse(result.out);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["position"], 0);
  EXPECT_EQ(rows[1]["position"], 2);
  EXPECT_EQ(rows[1]["top_ids"].size(), 3u);
  EXPECT_THAT(run("inspect " + out).out, HasSubstr("logits"));
}

TEST_F(CommandLine, DevicesAreListedWithTheirFacts) {
  const Result result = run("devices --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto devices = nlohmann::json::parse(result.out);
  ASSERT_FALSE(devices.empty());
  bool reference = false;
  int defaults = 0;
  for (const auto& device : devices) {
    for (const char* field : {"id", "name", "api", "driver", "facts"}) EXPECT_TRUE(device.contains(field)) << field;
    reference = reference || device["id"] == "reference";
    defaults += device["default"] == true ? 1 : 0;
  }
  EXPECT_EQ(defaults, 1);
  EXPECT_TRUE(reference);
}

TEST_F(CommandLine, WrongLimitsAreRefused) {
  const Result missing = run("selftest --device reference --limits /nowhere/limits.json");
  EXPECT_EQ(missing.status, 1);
  EXPECT_THAT(missing.err, HasSubstr("'/nowhere/limits.json' cannot be opened"));
  const Result model = run("selftest --device reference --limits " DRIFTWOOD_TEST_DATA "/sd/clip_tokenize.json");
  EXPECT_EQ(model.status, 1);
  EXPECT_THAT(model.err, HasSubstr("limits"));
}

TEST_F(CommandLine, AKernelsCodeCanBeSeen) {
  const Result result =
      run("kernel rms_norm --set epsilon=1e-5 --set lanes=64 --set x=tensor:f32:16x64 --set y=tensor:f16:16x64 --set "
          "gamma=tensor:f32:1x64");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("__kernel"));
  EXPECT_THAT(run("kernel --list").out, HasSubstr("package::rms_norm"));
}

TEST_F(CommandLine, TokenizeThereAndBack) {
  NEEDS_MODEL();
  const Result ids = run("tokenize " + model() + " -p - --json", "The sea\n");
  ASSERT_EQ(ids.status, 0) << ids.err;
  std::string list = ids.out.substr(1, ids.out.find(']') - 1);
  EXPECT_EQ(run("detokenize " + model() + " --ids " + list).out, "The sea\n");
  const Result lines = run("tokenize " + model() + " --jsonl",
                           "{\"text\": \"a\"}\n{\"text\": \"<|im_end|>\", \"parse_special\": true}\n");
  EXPECT_EQ(lines.out, "{\"ids\":[81]}\n{\"ids\":[2]}\n");
  const Result bad = run("tokenize " + model() + " --jsonl", "{\"text\": \"a\"}\nnonsense\n");
  EXPECT_EQ(bad.status, 1);
  EXPECT_THAT(bad.err, HasSubstr("Line 2"));
  EXPECT_EQ(run("detokenize " + model() + " --ids 49152").status, 1);
}

TEST_F(CommandLine, HostilePrompts) {
  NEEDS_MODEL();
  const std::string common = "run " + model() + " -n 1 --temp 0 --ctx 64 ";
  const Result empty = run(common + "--raw -p ''");
  EXPECT_EQ(empty.status, 1);
  EXPECT_THAT(empty.err, HasSubstr("The prompt is empty"));
  EXPECT_EQ(run(common + "-p ''").status, 0) << "an empty user turn is a prompt";
  EXPECT_EQ(run(common + "--raw -p -", std::string("a\0b", 3)).status, 0);
  EXPECT_EQ(run(common + "--raw -p -", "\xff\xfe\x80 \xf0\x9f").status, 0);
  const Result long_text = run(common + "--raw -p -", std::string(1 << 20, 'a'));
  EXPECT_EQ(long_text.status, 1);
  EXPECT_THAT(long_text.err, HasSubstr("over the context of 64"));
}

TEST_F(CommandLine, RunWritesTextAndNothingElseToStandardOutput) {
  NEEDS_MODEL();
  const Result result = run("run " + model() + " -p 'List the days of the week.' -n 24 --temp 0 --ctx 256");
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, StartsWith("Here are the days of the week in order:"));
  EXPECT_THAT(result.err, HasSubstr("device "));
  EXPECT_EQ(result.err.find('\r'), std::string::npos);
  EXPECT_EQ(result.err.find('\033'), std::string::npos);
  const Result stopped =
      run("run " + model() + " -p 'List the days of the week.' -n 24 --temp 0 --ctx 256 --stop ' days'");
  EXPECT_EQ(stopped.out, "Here are the\n");
}

TEST_F(CommandLine, TheSameSeedGivesTheSameText) {
  NEEDS_MODEL();
  const std::string command = "run " + model() + " -p 'Tell me a story.' -n 12 --seed 11 --ctx 128";
  const Result first = run(command), second = run(command);
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(first.out, second.out);
}

TEST_F(CommandLine, ChatTemplateRendersMessages) {
  NEEDS_MODEL();
  const Result result = run("chat-template " + model() + " --messages -",
                            R"([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}])");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out,
            "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
  EXPECT_EQ(run("chat-template " + model() + " --messages -", "{").status, 1);
  EXPECT_EQ(run("chat-template " + model() + " --messages -", "{}").status, 1);
  const Result object = run("chat-template " + model() + " --no-generation-prompt --messages -",
                            R"({"messages": [{"role": "system", "content": "x"}], "tools": []})");
  EXPECT_EQ(object.out, "<|im_start|>system\nx<|im_end|>\n") << object.err;
}

}  // namespace
}  // namespace driftwood
