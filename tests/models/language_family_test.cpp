// What families read of config.json as published models write it, older keys included.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "formats/safetensors.h"
#include "formats/temporary_folder.h"
#include "models/families/family.h"
#include "models/gguf_of_folder.h"
#include "models/language_graph.h"

namespace driftwood::models {
namespace {

using ::testing::ElementsAre, ::testing::IsEmpty;

LanguageConfig config_of(const char* json) { return language_config(parse_hf_config(json)); }

std::string oracle(const std::string& model) { return std::string(DRIFTWOOD_TEST_DATA) + "/llm/" + model; }

TEST(LanguageFamily, EveryNameLeadsToOneFamily) {
  for (const Family* family : families()) {
    for (const std::string_view name : family->architectures)
      if (!name.empty()) {
        EXPECT_EQ(&family_of_architecture(name), family);
      }
    for (const std::string_view name : family->model_types)
      if (!name.empty()) {
        EXPECT_EQ(&family_of_model_type(name), family);
      }
  }
  EXPECT_THROW(family_of_architecture(""), Unsupported);
  EXPECT_THROW(family_of_model_type("Llama"), Unsupported);
}

TEST(LanguageFamily, MistralHasOneWindowForAllLayersOrNone) {
  const LanguageConfig first = config_of(R"({"model_type": "mistral", "hidden_size": 4096, "intermediate_size": 14336,
      "num_hidden_layers": 2, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32000,
      "max_position_embeddings": 32768, "rope_theta": 10000.0, "sliding_window": 4096})");
  EXPECT_EQ(first.window_of(0), 4096u);
  EXPECT_EQ(first.window_of(1), 4096u);
  const LanguageConfig second = config_of(R"({"model_type": "mistral", "hidden_size": 4096, "intermediate_size": 14336,
      "num_hidden_layers": 2, "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32000,
      "max_position_embeddings": 32768, "rope_theta": 1000000.0, "sliding_window": null})");
  EXPECT_EQ(second.window_of(0), 0u);
  EXPECT_EQ(second.rope.base, 1e6);
}

TEST(LanguageFamily, QwenNamesAWindowThatItDoesNotUse) {
  constexpr const char* json = R"({"model_type": "qwen2", "hidden_size": 896, "intermediate_size": 4864,
      "num_hidden_layers": 3, "num_attention_heads": 14, "num_key_value_heads": 2, "vocab_size": 151936,
      "max_window_layers": 2, "sliding_window": 32768, "use_sliding_window": %s})";
  const LanguageConfig unused = config_of(std::string(json).replace(std::string(json).find("%s"), 2, "false").c_str());
  EXPECT_TRUE(unused.qkv_bias);
  EXPECT_THAT(unused.windowed, IsEmpty());
  const LanguageConfig used = config_of(std::string(json).replace(std::string(json).find("%s"), 2, "true").c_str());
  EXPECT_THAT(used.windowed, ElementsAre(false, false, true));
  EXPECT_EQ(used.window_of(2), 32768u);
}

TEST(LanguageFamily, Gemma2TakesItsScaleFromTheFile) {
  const LanguageConfig config = config_of(R"({"model_type": "gemma2", "hidden_size": 4608, "intermediate_size": 36864,
      "num_hidden_layers": 3, "num_attention_heads": 32, "num_key_value_heads": 16, "head_dim": 128,
      "vocab_size": 256000, "query_pre_attn_scalar": 144, "hidden_act": "gelu_pytorch_tanh",
      "attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0, "sliding_window": 4096})");
  EXPECT_FLOAT_EQ(config.attention_scale, 1.0F / 12);
  EXPECT_FLOAT_EQ(config.embedding_scale, std::sqrt(4608.0F));
  EXPECT_EQ(config.attention_softcap, 50);
  EXPECT_EQ(config.logit_softcap, 30);
  EXPECT_THAT(config.windowed, ElementsAre(true, false, true));
  EXPECT_TRUE(config.tied_head);
}

TEST(LanguageFamily, Gemma3ForImagesAndTextHasItsLanguageModelInsideAndLeavesKeysOut) {
  const LanguageConfig config = config_of(R"({"model_type": "gemma3", "eos_token_id": [1, 106], "vision_config": {},
      "text_config": {"model_type": "gemma3_text", "hidden_size": 2560, "intermediate_size": 10240,
                      "num_hidden_layers": 7, "rope_scaling": {"factor": 8.0, "rope_type": "linear"},
                      "sliding_window": 1024}})");
  EXPECT_EQ(config.architecture, "gemma3_text");
  EXPECT_EQ(config.heads, 8u);
  EXPECT_EQ(config.kv_heads, 4u);
  EXPECT_EQ(config.head_size, 256u);
  EXPECT_EQ(config.vocabulary, 262208u);
  EXPECT_FLOAT_EQ(config.attention_scale, 1.0F / 16);
  EXPECT_THAT(config.windowed, ElementsAre(true, true, true, true, true, false, true));
  EXPECT_EQ(config.rope_of(5).base, 1e6);
  EXPECT_EQ(config.rope_of(5).linear_factor, 8);
  EXPECT_EQ(config.rope_of(0).base, 1e4);
  EXPECT_EQ(config.rope_of(0).linear_factor, 1);
  EXPECT_EQ(config.window_of(4), 1024u);
}

TEST(LanguageFamily, Gemma3ForImagesAndTextHasItsTensorsUnderNamesOfTheirOwn) {
  const auto model = SafetensorsFile::open(oracle("gemma3-local"));
  const std::string config = R"({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "hidden_size": 64,
      "intermediate_size": 160, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 1,
      "head_dim": 32, "vocab_size": 320, "sliding_window": 16, "query_pre_attn_scalar": 32}})";
  for (const std::string prefix : {"language_model.model.", "model.language_model."}) {
    const driftwood::testing::TemporaryFolder folder;
    std::vector<SafetensorsOutput> tensors;
    for (const StoredTensor& tensor : model.tensors().all())
      tensors.push_back({.name = prefix + tensor.name.substr(6),
                         .type = tensor.type,
                         .shape = tensor.shape(),
                         .bytes = tensor.bytes});
    write_safetensors(folder.path() / "model.safetensors", tensors);
    folder.write("config.json", config);
    const auto checkpoint = Checkpoint::open(folder.path());
    EXPECT_EQ(checkpoint.get("blk.0.attn_q.weight", {64, 128}).name, prefix + "layers.0.self_attn.q_proj.weight");
    EXPECT_NO_THROW(language_graph(checkpoint, {.max_tokens = 4, .cache_size = 32}));
  }
}

TEST(LanguageFamily, Phi3ForLongContextsHasItsFactorsInTheFile) {
  const LanguageConfig config = config_of(R"({"model_type": "phi3", "hidden_size": 64, "intermediate_size": 160,
      "num_hidden_layers": 1, "num_attention_heads": 8, "vocab_size": 320, "max_position_embeddings": 131072,
      "original_max_position_embeddings": 4096, "rope_theta": 10000.0, "sliding_window": 262144,
      "rope_scaling": {"type": "su", "short_factor": [1.05, 1.1, 1.25, 2], "long_factor": [1.3, 2.5, 40, 64]}})");
  EXPECT_TRUE(config.fused_qkv && config.fused_gate_up);
  EXPECT_NEAR(config.rope.magnitude, 1.1902380714238083, 1e-12);
  const auto within = rope_frequencies(config.rope, config.rotary, 4096);
  const auto beyond = rope_frequencies(config.rope, config.rotary, 4097);
  for (std::size_t i = 0; i < 4; ++i) {
    const double plain = std::pow(10000.0, -0.25 * static_cast<double>(i));
    EXPECT_FLOAT_EQ(within[i], static_cast<float>(plain / config.rope.divisors[i]));
    EXPECT_FLOAT_EQ(beyond[i], static_cast<float>(plain / config.rope.long_divisors[i]));
  }
}

TEST(LanguageFamily, Phi3ForLongContextsIsTheSameFromGguf) {
  const driftwood::testing::TemporaryFolder files;
  std::ifstream stream(oracle("phi3-fusedqkv") + "/config.json");
  auto json = nlohmann::json::parse(stream);
  json["max_position_embeddings"] = 16384;
  json["rope_parameters"] = {{"rope_type", "longrope"},
                             {"rope_theta", 10000.0},
                             {"short_factor", {1, 1.25, 1.5, 2, 2, 2, 2.5, 3}},
                             {"long_factor", {1, 2, 4, 8, 16, 16, 24, 32}}};
  files.write("config.json", json.dump());
  std::filesystem::create_symlink(oracle("phi3-fusedqkv") + "/model.safetensors", files.path() / "model.safetensors");
  const auto folder = Checkpoint::open(files.path());
  const auto gguf = Checkpoint::open(files.write("model.gguf", test::gguf_of_folder(folder)));
  EXPECT_EQ(gguf.config().rope.divisors, folder.config().rope.divisors);
  EXPECT_EQ(gguf.config().rope.long_divisors, folder.config().rope.long_divisors);
  EXPECT_EQ(gguf.config().rope.long_from, 4096u);
  EXPECT_FLOAT_EQ(static_cast<float>(gguf.config().rope.magnitude),
                  static_cast<float>(std::sqrt(1 + std::log(4.0) / std::log(4096.0))));
  for (const auto* model : {&folder, &gguf}) {
    const graph::Graph graph = language_graph(*model, {.max_tokens = 4, .cache_size = 8192});
    for (const graph::Node& node : graph.nodes())
      if (const auto* rope = node.as<graph::Rope>()) {
        EXPECT_FLOAT_EQ(rope->magnitude, static_cast<float>(folder.config().rope.magnitude));
      }
    EXPECT_FLOAT_EQ((*graph.find("rope.frequencies")->constant)[7],
                    static_cast<float>(std::pow(10000.0, -14.0 / 16) / 32));
  }
}

TEST(LanguageFamily, YarnKeepsFastWavesAndStretchesSlowOnes) {
  const LanguageConfig config = config_of(R"({"model_type": "qwen2", "hidden_size": 1024, "intermediate_size": 160,
      "num_hidden_layers": 1, "num_attention_heads": 8, "vocab_size": 320, "max_position_embeddings": 32768,
      "rope_theta": 1000000.0,
      "rope_scaling": {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}})");
  EXPECT_NEAR(config.rope.magnitude, 1.138629436111989, 1e-12);
  // From the formulas of the paper: pairs up to 23 stay, those from 40 on are divided by 4.
  const auto frequencies = rope_frequencies(config.rope, 128, 32768);
  EXPECT_FLOAT_EQ(frequencies[0], 1);
  EXPECT_FLOAT_EQ(frequencies[23], 0.006978305848598663F);
  EXPECT_FLOAT_EQ(frequencies[30], 0.0010643609812470017F);
  EXPECT_FLOAT_EQ(frequencies[40], 4.445698525097307e-05F);
  EXPECT_FLOAT_EQ(frequencies[63], 3.102344401879299e-07F);
}

TEST(LanguageFamily, WindowedLayersMayHaveRingsAndWindowsBeyondTheContextAreNone) {
  const auto checkpoint = Checkpoint::open(oracle("gemma2-softcap"));
  const auto caches = [&](const LanguageGraphSettings& settings) {
    std::string text;
    const graph::Graph graph = language_graph(checkpoint, settings);
    for (const graph::Node& node : graph.nodes())
      if (const auto* attention = node.as<graph::Attention>())
        text += fmt::format("{}{}{} ", graph.value(node.inputs[1]).shape.w, attention->ring ? " ring" : "",
                            attention->window != 0 ? " window" : "");
    return text;
  };
  EXPECT_EQ(caches({.max_tokens = 4, .cache_size = 40}), "40 window 40 40 window ");
  EXPECT_EQ(caches({.max_tokens = 4, .cache_size = 40, .ring_places = 19}), "19 ring window 40 19 ring window ");
  EXPECT_EQ(caches({.max_tokens = 4, .cache_size = 40, .ring_places = 64}), "40 window 40 40 window ");
  EXPECT_EQ(caches({.max_tokens = 4, .cache_size = 16, .ring_places = 19}), "16 16 16 ");
  EXPECT_THROW(caches({.max_tokens = 4, .cache_size = 40, .ring_places = 18}), InvalidInput);
}

}  // namespace
}  // namespace driftwood::models
