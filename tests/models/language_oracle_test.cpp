// Small random Llama models against Hugging Face transformers in double precision (tests/data/llm).
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "formats/safetensors.h"
#include "graph/program.h"
#include "kernels/source.h"
#include "llm/session.h"
#include "models/language_graph.h"
#include "support/devices.h"
#include "support/oracle.h"

namespace driftwood {
namespace {

using test::relative_error, test::values;

struct Case {
  std::string model, device, precision;
};

std::string folder(const std::string& model) { return std::string(DRIFTWOOD_TEST_DATA) + "/llm/" + model; }

class LanguageOracle : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    device = test::device(GetParam().device);
    if (device == nullptr) GTEST_SKIP() << "there is no device " << GetParam().device;
    options.precision = *graph::precision_from_name(GetParam().precision);
  }
  double tolerance() const { return GetParam().precision == "f32" ? 1e-4 : 2e-3; }

  gpu::Device* device = nullptr;
  graph::GraphOptions options;
  models::Checkpoint checkpoint = models::Checkpoint::open(folder(GetParam().model));
  SafetensorsFile expected = SafetensorsFile::open(folder(GetParam().model) + "/expected.safetensors");
};

TEST_P(LanguageOracle, PrefillLogitsAndHiddenStatesOfEveryToken) {
  const auto tokens = values<std::int32_t>(expected, "tokens");
  const auto n = static_cast<std::uint32_t>(tokens.size());
  llm::SessionSettings settings{.context = n + 5, .options = options};
  auto graph_settings = llm::graph_settings(settings, device->facts(), n + 3, true);
  graph_settings.hidden_output = true;
  auto store = std::make_shared<graph::ResourceStore>(
      *device, [&](std::string_view name) { return checkpoint.find(name)->bytes; });
  graph::ProgramSettings program_settings;
  program_settings.options = options;
  program_settings.store = store;
  program_settings.sources = kernels::source;
  graph::Program program(*device, models::language_graph(checkpoint, graph_settings), program_settings);
  program.write("ids", std::as_bytes(std::span(tokens)));
  program.run({.tokens = n, .position = 0});

  std::vector<float> logits(std::size_t{n} * checkpoint.config().vocabulary),
      hidden(std::size_t{n} * checkpoint.config().hidden);
  program.read_floats("logits", logits);
  program.read_floats("hidden", hidden);
  EXPECT_LT(relative_error(logits, values<float>(expected, "prefill_logits")), tolerance());
  EXPECT_LT(relative_error(hidden, values<float>(expected, "last_hidden")), tolerance());
}

TEST_P(LanguageOracle, GreedyTokensThroughPrefillAndDecode) {
  const auto tokens = values<std::int32_t>(expected, "tokens");
  const auto greedy = values<std::int32_t>(expected, "greedy");
  llm::Session session(*device, checkpoint,
                       {.context = static_cast<std::uint32_t>(tokens.size() + greedy.size()), .options = options});
  std::vector<float> logits = session.feed(tokens);
  std::vector<std::int32_t> got;
  for (std::size_t i = 0; i < greedy.size(); ++i) {
    got.push_back(static_cast<std::int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin()));
    if (i + 1 < greedy.size()) logits = session.feed(std::span(&got.back(), 1));
  }
  EXPECT_EQ(got, greedy);
}

std::vector<Case> cases() {
  std::vector<Case> list;
  // The interpreter runs the kernels of GPUs and those of CPUs; the latter are slow there, so one precision.
  for (const char* model : {"llama-gqa-tied", "odd-sizes"}) list.push_back({model, "reference-cpu", "f32"});
  for (const std::string device : {"reference", "opencl:0"})
    for (const std::string model : {"llama-mha", "llama-gqa-tied", "llama3-rope", "odd-sizes"})
      for (const std::string precision : {"f32", "auto"}) list.push_back({model, device, precision});
  return list;
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.device + "_" + info.param.model + "_" + info.param.precision;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, LanguageOracle, testing::ValuesIn(cases()), case_name);

}  // namespace
}  // namespace driftwood
