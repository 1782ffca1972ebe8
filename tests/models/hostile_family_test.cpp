// Files that lack what their family needs, or say of it what cannot be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "formats/temporary_folder.h"
#include "models/gguf_of_folder.h"
#include "models/language_graph.h"
#include "support/oracle.h"

namespace driftwood {
namespace {

using test::GgufChanges;
using ::testing::AllOf, ::testing::HasSubstr;
using testing::GgufBuilder;

std::filesystem::path folder(const std::string& model) {
  return std::filesystem::path(DRIFTWOOD_TEST_DATA) / "llm" / model;
}

std::string error_of(const std::filesystem::path& path) {
  try {
    models::language_graph(models::Checkpoint::open(path), {.max_tokens = 4, .cache_size = 8});
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// Of a GGUF file made of an oracle's folder.
std::string error_of(const std::string& model, const GgufChanges& changes) {
  const testing::TemporaryFolder files;
  return error_of(files.write("model.gguf", test::gguf_of_folder(models::Checkpoint::open(folder(model)), changes)));
}

/// Of an oracle's folder with a patch of its config.json.
std::string error_of(const std::string& model, const char* patch) {
  const testing::TemporaryFolder files;
  nlohmann::json config = test::read_json(folder(model) / "config.json");
  config.merge_patch(nlohmann::json::parse(patch));
  files.write("config.json", config.dump());
  std::filesystem::create_symlink(folder(model) / "model.safetensors", files.path() / "model.safetensors");
  return error_of(files.path());
}

GgufChanges with_u32(const std::string& key, std::uint32_t value) {
  return {.with = {{key, [value](GgufBuilder& b, const std::string& k) { b.u32(k, value); }}}};
}

GgufChanges with_f32(const std::string& key, float value) {
  return {.with = {{key, [value](GgufBuilder& b, const std::string& k) { b.f32(k, value); }}}};
}

GgufChanges with_tensor(const std::string& name, std::vector<std::uint64_t> dims, float value = 1) {
  std::size_t size = 1;
  for (const std::uint64_t extent : dims) size *= extent;
  return {.with = {{name, [=](GgufBuilder& b, const std::string& n) {
                      b.f32_tensor(n, dims, std::vector<float>(size, value));
                    }}}};
}

TEST(HostileFamily, TheWholeFilesAreRight) {
  for (const char* model :
       {"mistral-swa", "qwen2-bias", "qwen3-qknorm", "phi3-fusedqkv", "gemma-mqa", "gemma2-softcap", "gemma3-local"}) {
    EXPECT_EQ(error_of(folder(model)), "no error") << model;
    EXPECT_EQ(error_of(model, GgufChanges{}), "no error") << model;
  }
}

TEST(HostileFamily, TensorsOfTheFamilyThatAreMissingAreNamed) {
  for (const auto& [model, tensor] :
       std::map<std::string, std::string>{{"qwen2-bias", "blk.1.attn_k.bias"},
                                          {"qwen3-qknorm", "blk.0.attn_q_norm.weight"},
                                          {"phi3-fusedqkv", "blk.2.attn_qkv.weight"},
                                          {"gemma2-softcap", "blk.0.post_ffw_norm.weight"},
                                          {"gemma3-local", "blk.0.attn_k_norm.weight"}})
    EXPECT_THAT(error_of(model, GgufChanges{.without = {tensor}}), HasSubstr("'" + tensor + "'"));
  EXPECT_THAT(error_of("gemma2-softcap", GgufChanges{.without = {"blk.1.post_attention_norm.weight"}}),
              HasSubstr("'blk.1.post_attention_norm.weight'"));
}

TEST(HostileFamily, WrongShapesAreNamedWithTheRightOnes) {
  EXPECT_THAT(error_of("phi3-fusedqkv", with_tensor("blk.0.attn_qkv.weight", {64, 64})),
              AllOf(HasSubstr("'blk.0.attn_qkv.weight'"), HasSubstr("[64, 64]"), HasSubstr("[64, 128]")));
  EXPECT_THAT(error_of("phi3-fusedqkv", with_tensor("blk.0.ffn_up.weight", {64, 160})),
              AllOf(HasSubstr("'blk.0.ffn_up.weight'"), HasSubstr("[64, 160]"), HasSubstr("[64, 320]")));
  EXPECT_THAT(error_of("qwen3-qknorm", with_tensor("blk.0.attn_q_norm.weight", {96})),
              AllOf(HasSubstr("'blk.0.attn_q_norm.weight'"), HasSubstr("[96]"), HasSubstr("[24]")));
  EXPECT_THAT(error_of("qwen2-bias", with_tensor("blk.0.attn_q.bias", {65})), HasSubstr("'blk.0.attn_q.bias'"));
}

TEST(HostileFamily, HeadSizesThatDoNotFitAreRefused) {
  GgufChanges changes = with_u32("qwen3.attention.key_length", 16);
  EXPECT_THAT(error_of("qwen3-qknorm", changes), HasSubstr("'qwen3.attention.value_length' differs"));
  changes.without = {"qwen3.attention.value_length", "qwen3.rope.dimension_count"};
  EXPECT_THAT(error_of("qwen3-qknorm", changes), HasSubstr("'blk.0.attn_q.weight'"));
  EXPECT_THAT(error_of("qwen3-qknorm", with_u32("qwen3.rope.dimension_count", 26)), HasSubstr("rotary dimension 26"));
}

TEST(HostileFamily, TensorsThatTheFamilyDoesNotHaveAreNotIgnored) {
  EXPECT_THAT(error_of("phi3-fusedqkv", with_tensor("blk.0.attn_q.weight", {64, 64})),
              HasSubstr("'blk.0.attn_q.weight' has no place"));
  EXPECT_THAT(error_of("gemma-mqa", with_tensor("blk.0.post_ffw_norm.weight", {64})),
              HasSubstr("'blk.0.post_ffw_norm.weight' has no place"));
  EXPECT_THAT(error_of("llama-mha", with_tensor("blk.3.attn_norm.weight", {64})),
              HasSubstr("'blk.3.attn_norm.weight' has no place in a model of 3 layers"));
}

TEST(HostileFamily, AbsurdWindowsAreRefused) {
  EXPECT_THAT(error_of("gemma3-local", GgufChanges{.without = {"gemma3.attention.sliding_window"}}),
              HasSubstr("'gemma3.attention.sliding_window'"));
  for (const std::uint32_t value : {0u, 0xFFFFFFFFu})
    EXPECT_THAT(error_of("gemma3-local", with_u32("gemma3.attention.sliding_window", value)),
                HasSubstr("'gemma3.attention.sliding_window'"));
  EXPECT_THAT(error_of("gemma2-softcap", with_u32("gemma2.attention.sliding_window", 0xFFFFFFFFu)),
              HasSubstr("sliding window 4294967295 is not within 1 and 268435456"));
  const std::string pattern = "gemma2.attention.sliding_window_pattern";
  EXPECT_THAT(error_of("gemma2-softcap", with_u32(pattern, 0)), HasSubstr("'" + pattern + "'"));
  const GgufChanges short_array{.with = {{pattern, [](GgufBuilder& b, const std::string& key) {
                                            b.numbers<std::uint8_t>(key, testing::type_bool, {1, 0});
                                          }}}};
  EXPECT_THAT(error_of("gemma2-softcap", short_array),
              HasSubstr("'" + pattern + "' has 2 entries, but the model has 3 layers"));
}

TEST(HostileFamily, SoftCapsMustBePositiveNumbers) {
  for (const std::string key : {"gemma2.attn_logit_softcapping", "gemma2.final_logit_softcapping"})
    for (const float value :
         {0.0F, -30.0F, 1e30F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
      EXPECT_THAT(error_of("gemma2-softcap", with_f32(key, value)), HasSubstr("'" + key + "'")) << value;
}

TEST(HostileFamily, RopeMustHavePositiveNumbersAsManyAsPairs) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float value : {0.0F, -1.0F, nan}) {
    EXPECT_THAT(error_of("gemma3-local", with_f32("gemma3.rope.freq_base_swa", value)), HasSubstr("RoPE base"));
    EXPECT_THAT(error_of("phi3-fusedqkv", with_f32("phi3.rope.scaling.attn_factor", value)),
                HasSubstr("RoPE magnitude"));
    EXPECT_THAT(error_of("phi3-fusedqkv", with_tensor("rope_factors_long.weight", {8}, value)),
                HasSubstr("long RoPE factors"));
  }
  EXPECT_THAT(error_of("phi3-fusedqkv", with_tensor("rope_factors_short.weight", {9})),
              AllOf(HasSubstr("'rope_factors_short.weight'"), HasSubstr("[8]")));
  GgufChanges yarn = with_f32("qwen2.rope.scaling.factor", -4);
  yarn.with["qwen2.rope.scaling.type"] = [](GgufBuilder& b, const std::string& key) { b.string(key, "yarn"); };
  EXPECT_THAT(error_of("qwen2-bias", yarn), HasSubstr("RoPE scaling factor -4"));
  yarn.with["qwen2.rope.scaling.type"] = [](GgufBuilder& b, const std::string& key) { b.string(key, "ntk"); };
  EXPECT_THAT(error_of("qwen2-bias", yarn), HasSubstr("'qwen2.rope.scaling.type' is 'ntk'"));
}

TEST(HostileFamily, ConfigJsonOfAFamilyMustMakeSense) {
  EXPECT_THAT(error_of("mistral-swa", R"({"layer_types": ["full_attention", "chunked_attention", "full_attention"]})"),
              HasSubstr("'chunked_attention'"));
  EXPECT_THAT(error_of("qwen2-bias", R"({"layer_types": ["full_attention", "sliding_attention", "full_attention"]})"),
              HasSubstr("there is no 'sliding_window'"));
  EXPECT_THAT(error_of("gemma3-local", R"({"use_bidirectional_attention": true})"),
              HasSubstr("'use_bidirectional_attention' is true"));
  EXPECT_THAT(error_of("gemma-mqa", R"({"tie_word_embeddings": false})"), HasSubstr("'lm_head.weight'"));
  EXPECT_THAT(error_of("gemma-mqa", R"({"hidden_act": "relu"})"), HasSubstr("'hidden_act' is 'relu'"));
  EXPECT_THAT(error_of("llama-mha", R"({"attention_bias": true})"),
              HasSubstr("'model.layers.0.self_attn.q_proj.bias'"));
  EXPECT_THAT(error_of("phi3-fusedqkv", R"({"rope_parameters": {"rope_type": "longrope"}})"),
              HasSubstr("'short_factor'"));
  EXPECT_THAT(error_of("phi3-fusedqkv", R"({"rope_parameters": {"rope_type": "longrope", "short_factor": [1, 1],
                                                                "long_factor": [2, 2]}})"),
              HasSubstr("There are 2 RoPE factors where the rotary dimension 16 needs 8"));
  EXPECT_THAT(error_of("phi3-fusedqkv", R"({"model_type": "phi"})"),
              HasSubstr("The model type 'phi' is not supported; supported are 'llama', 'mistral', 'qwen2', 'qwen3', "
                        "'phi3', 'gemma', 'gemma2', 'gemma3_text', 'gemma3'"));
}

}  // namespace
}  // namespace driftwood
