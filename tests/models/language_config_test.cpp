#include "models/language_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "models/language_names.h"

namespace driftwood::models {
namespace {

HfConfig small() {
  HfConfig config;
  config.model_type = "llama";
  config.hidden_size = 64;
  config.intermediate_size = 160;
  config.num_hidden_layers = 3;
  config.num_attention_heads = 4;
  config.num_key_value_heads = 2;
  config.head_dim = 16;
  config.vocab_size = 320;
  return config;
}

std::string error_of(const HfConfig& config) {
  try {
    language_config(config);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(LanguageConfig, ReadsAHuggingFaceConfig) {
  const LanguageConfig config = language_config(small());
  EXPECT_EQ(config.heads, 4u);
  EXPECT_EQ(config.rotary, 16u);
  EXPECT_EQ(config.pairing, graph::RopePairing::Halves);
}

TEST(LanguageConfig, RefusesWhatDoesNotFit) {
  HfConfig config = small();
  config.num_key_value_heads = 3;
  EXPECT_THAT(error_of(config), testing::HasSubstr("4 attention heads, which is no multiple of its 3 KV heads"));
  config = small();
  config.model_type = "mamba";
  EXPECT_THAT(error_of(config), testing::HasSubstr("'mamba' is not supported"));
  config = small();
  config.rope.type = "dynamic";
  EXPECT_THAT(error_of(config), testing::HasSubstr("'dynamic'"));
  config = small();
  config.hidden_act = "gelu";
  EXPECT_THAT(error_of(config), testing::HasSubstr("'gelu'"));
  config = small();
  config.head_dim = 15;
  config.rope.partial_rotary_factor = 1;
  EXPECT_THAT(error_of(config), testing::HasSubstr("rotary dimension 15 is not an even number"));
}

TEST(RopeFrequencies, PlainAreInversePowersOfTheBase) {
  const auto frequencies = rope_frequencies({}, 16, 512);
  ASSERT_EQ(frequencies.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_FLOAT_EQ(frequencies[i], static_cast<float>(std::pow(10000.0, -2.0 * static_cast<double>(i) / 16)));
}

TEST(RopeFrequencies, Llama3StretchesLongWavesAndKeepsShortOnes) {
  LanguageRope rope{.base = 500000};
  const auto plain = rope_frequencies(rope, 16, 512);
  rope.llama3 = {.factor = 8, .low_frequency_factor = 1, .high_frequency_factor = 4, .original_context = 64};
  const auto scaled = rope_frequencies(rope, 16, 512);
  EXPECT_FLOAT_EQ(scaled.front(), plain.front());    // 64 / 2 pi turns: over 4
  EXPECT_FLOAT_EQ(scaled.back(), plain.back() / 8);  // far below one turn
}

TEST(RopeFrequencies, DivisorsMustBeAsManyAsPairs) {
  EXPECT_FLOAT_EQ(rope_frequencies({.divisors = std::vector<float>(8, 2.0F)}, 16, 512)[0], 0.5F);
  EXPECT_THROW(rope_frequencies({.divisors = {1.0F}}, 16, 512), InvalidInput);
}

TEST(LanguageNames, HuggingFaceNames) {
  EXPECT_EQ(hugging_face_name("token_embd.weight", {}), "model.embed_tokens.weight");
  EXPECT_EQ(hugging_face_name("blk.12.ffn_down.weight", {}), "model.layers.12.mlp.down_proj.weight");
  EXPECT_EQ(hugging_face_name("blk.3.attn_q.bias", {}), "model.layers.3.self_attn.q_proj.bias");
  EXPECT_EQ(hugging_face_name("blk.0.ffn_norm.weight", {}), "model.layers.0.post_attention_layernorm.weight");
  EXPECT_EQ(hugging_face_name("blk.0.other", {}), "blk.0.other");
  EXPECT_EQ(hugging_face_name("blk.0.other.weight", {}), "blk.0.other.weight");
  EXPECT_EQ(hugging_face_name("blk.weight", {}), "blk.weight");
  EXPECT_EQ(hugging_face_name("", {}), "");
}

TEST(LanguageNames, NormsAfterAttentionAndFusedTensorsHaveNamesOfTheirOwn) {
  const LanguageConfig post{.post_norms = true}, fused{.fused_gate_up = true};
  EXPECT_EQ(hugging_face_name("blk.0.ffn_norm.weight", post), "model.layers.0.pre_feedforward_layernorm.weight");
  EXPECT_EQ(hugging_face_name("blk.0.post_attention_norm.weight", post),
            "model.layers.0.post_attention_layernorm.weight");
  EXPECT_EQ(hugging_face_name("blk.0.post_ffw_norm.weight", post), "model.layers.0.post_feedforward_layernorm.weight");
  EXPECT_EQ(hugging_face_name("blk.0.ffn_up.weight", fused), "model.layers.0.mlp.gate_up_proj.weight");
}

TEST(LanguageNames, OfAModelForImagesAndText) {
  EXPECT_EQ(hugging_face_name("blk.0.attn_k.weight", {}, "language_model.model."),
            "language_model.model.layers.0.self_attn.k_proj.weight");
  EXPECT_EQ(hugging_face_name("output.weight", {}, "language_model.model."), "language_model.lm_head.weight");
  EXPECT_EQ(hugging_face_name("output.weight", {}, "model.language_model."), "lm_head.weight");
}

}  // namespace
}  // namespace driftwood::models
