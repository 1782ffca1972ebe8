// Small random models of every family against Hugging Face transformers in double precision (tests/data/llm).
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "formats/safetensors.h"
#include "formats/temporary_folder.h"
#include "graph/program.h"
#include "kernels/source.h"
#include "llm/session.h"
#include "models/gguf_of_folder.h"
#include "models/language_graph.h"
#include "support/limited_devices.h"
#include "support/oracle.h"

namespace driftwood {
namespace {

using test::relative_error, test::values;

struct Case {
  std::string model, device, precision;
  bool is_gguf = false;
};

std::string folder(const std::string& model) { return std::string(DRIFTWOOD_TEST_DATA) + "/llm/" + model; }

double root_mean_square(const std::vector<float>& values) {
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value) * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

class LanguageOracle : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    device = test::limited_device(GetParam().device);
    if (device == nullptr) GTEST_SKIP() << "there is no device " << GetParam().device;
    options.precision = *graph::precision_from_name(GetParam().precision);
    if (GetParam().is_gguf)
      checkpoint = models::Checkpoint::open(files.write("model.gguf", test::gguf_of_folder(checkpoint)));
    store = std::make_shared<graph::ResourceStore>(*device,
                                                   [&](std::string_view name) { return checkpoint.find(name)->bytes; });
  }
  double tolerance() const { return GetParam().precision == "f32" ? 1e-4 : 2e-3; }

  graph::Program program(const models::LanguageGraphSettings& settings) {
    graph::ProgramSettings program_settings;
    program_settings.options = options;
    program_settings.store = store;
    program_settings.sources = kernels::source;
    return graph::Program(*device, models::language_graph(checkpoint, settings), program_settings);
  }
  models::LanguageGraphSettings settings(std::uint32_t context, std::uint32_t max_tokens) const {
    return llm::graph_settings({.context = context, .options = options}, device->facts(), max_tokens, true);
  }
  std::vector<float> logits(const graph::Program& program, std::uint32_t tokens) const {
    std::vector<float> result(std::size_t{tokens} * checkpoint.config().vocabulary);
    program.read_floats("logits", result);
    return result;
  }

  gpu::Device* device = nullptr;
  graph::GraphOptions options;
  testing::TemporaryFolder files;
  models::Checkpoint checkpoint = models::Checkpoint::open(folder(GetParam().model));
  std::shared_ptr<graph::ResourceStore> store;
  SafetensorsFile expected = SafetensorsFile::open(folder(GetParam().model) + "/expected.safetensors");
  std::vector<std::int32_t> tokens = values<std::int32_t>(expected, "tokens");
  std::vector<float> expected_logits = values<float>(expected, "prefill_logits");
};

TEST_P(LanguageOracle, PrefillLogitsAndHiddenStatesOfEveryToken) {
  const auto n = static_cast<std::uint32_t>(tokens.size());
  auto graph_settings = settings(n + 5, n + 3);
  graph_settings.hidden_output = true;
  graph::Program prefill = program(graph_settings);
  prefill.write("ids", std::as_bytes(std::span(tokens)));
  prefill.run({.tokens = n, .position = 0});

  std::vector<float> hidden(std::size_t{n} * checkpoint.config().hidden);
  prefill.read_floats("hidden", hidden);
  EXPECT_LT(relative_error(logits(prefill, n), expected_logits), tolerance());
  EXPECT_LT(relative_error(hidden, values<float>(expected, "last_hidden")), tolerance());
}

TEST_P(LanguageOracle, GreedyTokensThroughPrefillAndDecode) {
  const auto greedy = values<std::int32_t>(expected, "greedy");
  llm::Session session(*device, checkpoint,
                       {.context = static_cast<std::uint32_t>(tokens.size() + greedy.size()), .options = options});
  std::vector<float> logits = session.feed(tokens);
  for (std::size_t i = 0; i < greedy.size(); ++i) {
    const auto best = static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
    // Half precision may take the other of two logits that are nearer to each other than its tolerance: odd-sizes has
    // two 0.003 apart.
    const float gap = logits[static_cast<std::size_t>(best)] - logits[static_cast<std::size_t>(greedy[i])];
    if (best != greedy[i]) {
      EXPECT_LT(gap, GetParam().precision == "f32" ? 0.0 : 4 * tolerance() * root_mean_square(logits)) << "token " << i;
    }
    if (i + 1 < greedy.size()) logits = session.feed(std::span(&greedy[i], 1));
  }
}

/// Where layers have windows: prompts that end before, at and after the window's edge, in chunks that wrap around
/// rings, then token by token.
TEST_P(LanguageOracle, PromptsAroundTheWindowWithRingCaches) {
  const std::uint32_t window = checkpoint.config().window;
  if (checkpoint.config().windowed.empty()) return;
  constexpr std::uint32_t chunk = 8;
  const auto n = static_cast<std::uint32_t>(tokens.size());
  const auto with_ring = [&](std::uint32_t max_tokens) {
    auto result = settings(n, max_tokens);
    result.ring_places = window - 1 + chunk;
    return result;
  };
  graph::Program prefill = program(with_ring(chunk)), decode = program(with_ring(1));
  const auto run = [&](graph::Program& program, std::uint32_t position, std::uint32_t count) {
    program.write("ids", std::as_bytes(std::span(tokens).subspan(position, count)));
    program.run({.tokens = count, .position = position});
    const std::size_t vocabulary = checkpoint.config().vocabulary;
    const std::span<const float> rows = std::span(expected_logits).subspan(position * vocabulary, count * vocabulary);
    EXPECT_LT(relative_error(logits(program, count), rows), tolerance()) << "at token " << position;
  };
  for (const std::uint32_t prompt : {window - 1, window, window + 1, 2 * window + 3}) {
    SCOPED_TRACE(prompt);
    for (std::uint32_t position = 0; position < prompt; position += chunk)
      run(prefill, position, std::min(chunk, prompt - position));
    const std::uint32_t end = prompt == window - 1 ? n : prompt + 2;
    for (std::uint32_t position = prompt; position < end; ++position) run(decode, position, 1);
  }
}

std::vector<Case> cases() {
  std::vector<Case> list;
  // The interpreter runs the kernels of GPUs and those of CPUs; the latter are slow there, so one precision.
  for (const char* model : {"llama-gqa-tied", "odd-sizes"}) list.push_back({model, "reference-cpu", "f32"});
  for (const std::string model :
       {"llama-mha", "llama-gqa-tied", "llama3-rope", "odd-sizes", "mistral-swa", "qwen2-bias", "qwen3-qknorm",
        "phi3-fusedqkv", "gemma-mqa", "gemma2-softcap", "gemma3-local"}) {
    for (const std::string device : {"reference", "opencl:0"})
      for (const std::string precision : {"f32", "auto"}) list.push_back({model, device, precision});
    list.push_back({model, "opencl:0", "auto", true});
    list.push_back({model, "webgpu:0", "f32"});
  }
  list.push_back({"gemma3-local", "webgpu:0", "auto"});
  list.push_back({"llama-gqa-tied", "webgpu:0", "auto", true});
  for (const char* model : {"odd-sizes", "gemma2-softcap"}) list.push_back({model, "webgpu:1", "f32"});
  // Devices that are made smaller, with the kernels of GPUs.
  for (const std::string& profile : test::profiles()) list.push_back({"llama-gqa-tied", "reference/" + profile, "f32"});
  list.push_back({"qwen3-qknorm", "reference/webgpu-default", "f32"});  // which fuses more buffers than that allows
  list.push_back({"gemma3-local", "reference/mobile-64", "f32"});
  list.push_back({"llama-gqa-tied", "opencl:0/mobile-64", "f32"});
  return list;
}

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  std::string name =
      info.param.device + "_" + info.param.model + "_" + info.param.precision + (info.param.is_gguf ? "_gguf" : "");
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, LanguageOracle, ::testing::ValuesIn(cases()), case_name);

}  // namespace
}  // namespace driftwood
