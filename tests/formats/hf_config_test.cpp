#include "formats/hf_config.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "formats/refusal.h"
#include "formats/temporary_folder.h"

namespace driftwood::testing {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

json smallest() {
  return json::parse(R"({"model_type": "llama", "hidden_size": 64, "intermediate_size": 160, "num_hidden_layers": 3,
                         "num_attention_heads": 8, "vocab_size": 320})");
}

HfConfig parse(const json& document) { return parse_hf_config(document.dump()); }

HfConfig parse_with(const char* patch) {
  json document = smallest();
  document.merge_patch(json::parse(patch));
  return parse(document);
}

TEST(HfConfig, WhatIsNotGivenHasItsDefault) {
  const HfConfig config = parse(smallest());
  EXPECT_EQ(config.hidden_size, 64);
  EXPECT_EQ(config.intermediate_size, 160);
  EXPECT_EQ(config.num_hidden_layers, 3);
  EXPECT_EQ(config.num_attention_heads, 8);
  EXPECT_EQ(config.num_key_value_heads, 8);
  EXPECT_EQ(config.head_dim, 8);
  EXPECT_EQ(config.vocab_size, 320);
  EXPECT_EQ(config.rms_norm_eps, 1e-6);
  EXPECT_EQ(config.hidden_act, "silu");
  EXPECT_FALSE(config.tie_word_embeddings);
  EXPECT_FALSE(config.attention_bias);
  EXPECT_EQ(config.rope.type, "default");
  EXPECT_EQ(config.rope.theta, 10000);
  EXPECT_FALSE(config.sliding_rope);
  EXPECT_FALSE(config.sliding_window);
  EXPECT_FALSE(config.bos_token_id);
  EXPECT_THAT(config.eos_token_ids, IsEmpty());
}

TEST(HfConfig, PresentAndOlderRopeKeysMeanTheSame) {
  const HfConfig present =
      parse_with(R"({"rope_parameters": {"rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0,
      "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}})");
  const HfConfig older = parse_with(R"({"rope_theta": 500000.0, "rope_scaling": {"rope_type": "llama3", "factor": 8.0,
      "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}})");
  for (const HfConfig& config : {present, older}) {
    EXPECT_EQ(config.rope.type, "llama3");
    EXPECT_EQ(config.rope.theta, 500000);
    EXPECT_EQ(config.rope.factor, 8);
    EXPECT_EQ(config.rope.low_freq_factor, 1);
    EXPECT_EQ(config.rope.high_freq_factor, 4);
    EXPECT_EQ(config.rope.original_max_position_embeddings, 8192);
  }
  EXPECT_EQ(parse_with(R"({"rope_scaling": {"type": "linear", "factor": 2}})").rope.type, "linear");
  EXPECT_EQ(parse_with(R"({"rope_scaling": null})").rope.type, "default");
}

TEST(HfConfig, LongRopeOfPhi3) {
  const HfConfig config = parse_with(R"({"original_max_position_embeddings": 4096, "max_position_embeddings": 131072,
      "rope_scaling": {"type": "su", "short_factor": [1.0, 1.5], "long_factor": [1, 20.5]}})");
  EXPECT_EQ(config.rope.type, "longrope");
  EXPECT_EQ(config.rope.original_max_position_embeddings, 4096);
  EXPECT_THAT(config.rope.short_factor, ElementsAre(1, 1.5));
  EXPECT_THAT(config.rope.long_factor, ElementsAre(1, 20.5));
}

TEST(HfConfig, SlidingLayersMayHaveTheirOwnRope) {
  const HfConfig present = parse_with(R"({"rope_parameters": {"full_attention": {"rope_theta": 1000000.0, "rope_type":
      "linear", "factor": 8}, "sliding_attention": {"rope_theta": 20000.0, "rope_type": "default"}}, "sliding_window": 512})");
  const HfConfig older = parse_with(R"({"rope_theta": 1000000.0, "rope_local_base_freq": 20000.0, "sliding_window": 512,
      "rope_scaling": {"rope_type": "linear", "factor": 8}})");
  for (const HfConfig& config : {present, older}) {
    EXPECT_EQ(config.rope.theta, 1000000);
    EXPECT_EQ(config.rope.factor, 8);
    EXPECT_EQ(config.rope.type, "linear");
    ASSERT_TRUE(config.sliding_rope);
    EXPECT_EQ(config.sliding_rope->theta, 20000);
    EXPECT_EQ(config.sliding_rope->type, "default");
    EXPECT_EQ(config.sliding_window, 512);
  }
}

TEST(HfConfig, TokenIdsAreOneOrSeveral) {
  const HfConfig one = parse_with(R"({"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0})");
  EXPECT_EQ(one.bos_token_id, 1);
  EXPECT_EQ(one.pad_token_id, 0);
  EXPECT_THAT(one.eos_token_ids, ElementsAre(2));
  const HfConfig several = parse_with(R"({"bos_token_id": null, "eos_token_id": [128001, 128008, 128009]})");
  EXPECT_FALSE(several.bos_token_id);
  EXPECT_THAT(several.eos_token_ids, ElementsAre(128001, 128008, 128009));
}

TEST(HfConfig, FamiliesDifferInDetail) {
  EXPECT_FALSE(parse_with(R"({"sliding_window": 4096, "use_sliding_window": false})").sliding_window);
  EXPECT_EQ(parse_with(R"({"sliding_window": 4096})").sliding_window, 4096);
  EXPECT_TRUE(parse_with(R"({"model_type": "gemma2"})").tie_word_embeddings);
  EXPECT_EQ(parse_with(R"({"hidden_act": "gelu", "hidden_activation": "gelu_pytorch_tanh"})").hidden_act,
            "gelu_pytorch_tanh");
  EXPECT_EQ(parse_with(R"({"torch_dtype": "bfloat16"})").dtype, "bfloat16");
  EXPECT_EQ(parse_with(R"({"head_dim": 256})").head_dim, 256);
  EXPECT_EQ(parse_with(R"({"final_logit_softcapping": 30.0})").final_logit_softcapping, 30);
}

TEST(HfConfig, OfAModelForImagesAndTextIsThePartForText) {
  const HfConfig config =
      parse_hf_config(R"({"model_type": "gemma3", "eos_token_id": [1, 106], "torch_dtype": "bfloat16",
      "text_config": {"model_type": "gemma3_text", "hidden_size": 64, "intermediate_size": 160, "num_hidden_layers": 2}})");
  EXPECT_EQ(config.model_type, "gemma3_text");
  EXPECT_EQ(config.hidden_size, 64);
  EXPECT_EQ(config.num_attention_heads, 8);
  EXPECT_EQ(config.head_dim, 256);
  EXPECT_EQ(config.rope.theta, 1e6);
  EXPECT_EQ(config.dtype, "bfloat16");
  EXPECT_THAT(config.eos_token_ids, ElementsAre(1, 106));
  EXPECT_TRUE(config.tie_word_embeddings);
}

TEST(HfConfig, WindowsThatAFamilyHasWhereTheFileSaysNothing) {
  EXPECT_EQ(parse_with(R"({"model_type": "mistral"})").sliding_window, 4096);
  json none = smallest();
  none["model_type"] = "mistral";
  none["sliding_window"] = nullptr;
  EXPECT_FALSE(parse(none).sliding_window);
  EXPECT_FALSE(parse_with(R"({"model_type": "qwen2"})").sliding_window);
  EXPECT_EQ(parse_with(R"({"model_type": "qwen2", "use_sliding_window": true})").sliding_window, 4096);
  EXPECT_EQ(parse_with(R"({"max_window_layers": 21})").max_window_layers, 21);
  EXPECT_EQ(parse_with(R"({"sliding_window_pattern": 6})").sliding_window_pattern, 6);
  EXPECT_EQ(parse_with(R"({"_sliding_window_pattern": 2})").sliding_window_pattern, 2);
}

struct Refused {
  const char* patch;
  const char* expected;
};
void PrintTo(const Refused& refused, std::ostream* stream) { *stream << refused.patch; }

class HostileHfConfig : public ::testing::TestWithParam<Refused> {};

TEST_P(HostileHfConfig, IsRefusedByAMessageThatNamesTheKey) {
  const Refusal refusal = refusal_of([] { parse_with(GetParam().patch); });
  EXPECT_THAT(refusal.message, HasSubstr(GetParam().expected));
}

INSTANTIATE_TEST_SUITE_P(
    All, HostileHfConfig,
    ::testing::Values(
        Refused{R"({"hidden_size": null, "text_config": {}})", "'hidden_size' is missing"},
        Refused{R"({"sliding_window_pattern": 0})", "'sliding_window_pattern' is 0"},
        Refused{R"({"sliding_window": 0})", "'sliding_window' is 0"},
        Refused{R"({"sliding_window": 4294967295})", "'sliding_window' is 4294967295"},
        Refused{R"({"max_window_layers": -1})", "'max_window_layers' is -1"},
        Refused{R"({"attn_logit_softcapping": 0})", "'attn_logit_softcapping' is 0"},
        Refused{R"({"final_logit_softcapping": -30})", "'final_logit_softcapping' is -30"},
        Refused{R"({"query_pre_attn_scalar": 0})", "'query_pre_attn_scalar' is 0"},
        Refused{R"({"use_bidirectional_attention": "all"})", "'use_bidirectional_attention' is 'all'"},
        Refused{R"({"hidden_size": null})", "The key 'hidden_size' is missing."},
        Refused{R"({"hidden_size": "64"})", "'hidden_size' is '64', but must be an integer between 1 and 262144."},
        Refused{R"({"hidden_size": 0})", "'hidden_size' is 0"},
        Refused{R"({"hidden_size": -64})", "'hidden_size' is -64"},
        Refused{R"({"hidden_size": 64.5})", "'hidden_size' is 64.5"},
        Refused{R"({"hidden_size": 18446744073709551615})", "'hidden_size' is 18446744073709551615"},
        Refused{R"({"hidden_size": [64]})", "'hidden_size' is an array"},
        Refused{R"({"hidden_size": 66})", "'hidden_size' is 66, which is no multiple of 'num_attention_heads', 8"},
        Refused{R"({"hidden_size": 262144, "num_attention_heads": 1})", "heads of 262144"},
        Refused{R"({"num_hidden_layers": 4294967296})", "'num_hidden_layers' is 4294967296"},
        Refused{R"({"num_attention_heads": 0})", "'num_attention_heads' is 0"},
        Refused{R"({"num_key_value_heads": 3})", "'num_attention_heads' is 8, but must be a multiple"},
        Refused{R"({"num_key_value_heads": 0})", "'num_key_value_heads' is 0"},
        Refused{R"({"head_dim": 1000000})", "'head_dim' is 1000000"},
        Refused{R"({"vocab_size": 99999999})", "'vocab_size' is 99999999"},
        Refused{R"({"intermediate_size": 99999999})", "'intermediate_size' is 99999999"},
        Refused{R"({"max_position_embeddings": 0})", "'max_position_embeddings' is 0"},
        Refused{R"({"rms_norm_eps": "small"})", "'rms_norm_eps' is 'small'"},
        Refused{R"({"rms_norm_eps": -1})", "'rms_norm_eps' is -1"},
        Refused{R"({"attention_bias": 1})", "'attention_bias' is 1, but must be true or false"},
        Refused{R"({"layer_types": ["full_attention"]})", "'layer_types' has 1 entries"},
        Refused{R"({"rope_theta": 0})", "'rope_theta' is 0"},
        Refused{R"({"rope_parameters": {"rope_type": "spiral"}})", "'rope_parameters.rope_type' is 'spiral'"},
        Refused{R"({"rope_scaling": {"type": "linear", "factor": 0}})", "'rope_scaling.factor' is 0"},
        Refused{R"({"rope_scaling": {"type": "llama3"}})",
                "'rope_scaling.original_max_position_embeddings' is missing"},
        Refused{R"({"rope_scaling": {"type": "llama3", "low_freq_factor": 4, "high_freq_factor": 4}})",
                "'rope_scaling.low_freq_factor' is 4, but must be less than"},
        Refused{R"({"rope_parameters": {"sliding_attention": {"factor": -1}}})",
                "'rope_parameters.sliding_attention.factor' is -1"},
        Refused{R"({"rope_parameters": 5})", "'rope_parameters' is 5, but must be an object"},
        Refused{R"({"eos_token_id": -1})", "'eos_token_id' is -1"},
        Refused{R"({"eos_token_id": ["a"]})", "'eos_token_id' is 'a'"}));

TEST(HostileHfConfigText, IsRefused) {
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[]"), std::string(R"({"vocab_size":1,"vocab_size":2})"),
        std::string(100000, '['), std::string("{\"a\":\"\xFF\"}")}) {
    EXPECT_THAT(refusal_of([&] { parse_hf_config(text); }).message, HasSubstr("The configuration"))
        << text.substr(0, 20);
  }
}

TEST(HfConfigFile, IsFoundInItsFolder) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal_of([&] { read_hf_config(folder.path()); }).message, HasSubstr("config.json' cannot be opened"));
  folder.write("config.json", smallest().dump());
  EXPECT_EQ(read_hf_config(folder.path()).hidden_size, 64);
  EXPECT_EQ(read_hf_config(folder.path() / "config.json").hidden_size, 64);
  folder.write("config.json", "{}");
  EXPECT_THAT(refusal_of([&] { read_hf_config(folder.path()); }).message,
              HasSubstr("'hidden_size' is missing.\nWhile reading"));
}

}  // namespace
}  // namespace driftwood::testing
