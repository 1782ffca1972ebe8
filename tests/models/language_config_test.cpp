#include "models/language_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "models/checkpoint.h"

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
  config.rope.type = "yarn";
  EXPECT_THAT(error_of(config), testing::HasSubstr("'yarn'"));
  config = small();
  config.hidden_act = "gelu";
  EXPECT_THAT(error_of(config), testing::HasSubstr("'gelu'"));
  config = small();
  config.head_dim = 15;
  config.rope.partial_rotary_factor = 1;
  EXPECT_THAT(error_of(config), testing::HasSubstr("rotary dimension 15 is not an even number"));
}

TEST(RopeFrequencies, PlainAreInversePowersOfTheBase) {
  LanguageConfig config = language_config(small());
  const auto frequencies = rope_frequencies(config);
  ASSERT_EQ(frequencies.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_FLOAT_EQ(frequencies[i], static_cast<float>(std::pow(10000.0, -2.0 * static_cast<double>(i) / 16)));
}

TEST(RopeFrequencies, Llama3StretchesLongWavesAndKeepsShortOnes) {
  LanguageConfig config = language_config(small());
  config.rope_base = 500000;
  config.llama3 = {.factor = 8, .low_frequency_factor = 1, .high_frequency_factor = 4, .original_context = 64};
  const auto scaled = rope_frequencies(config);
  config.llama3.factor = 1;
  const auto plain = rope_frequencies(config);
  EXPECT_FLOAT_EQ(scaled.front(), plain.front());    // 64 / 2 pi turns: over 4
  EXPECT_FLOAT_EQ(scaled.back(), plain.back() / 8);  // far below one turn
}

TEST(RopeFrequencies, DivisorsMustBeAsManyAsPairs) {
  const LanguageConfig config = language_config(small());
  EXPECT_FLOAT_EQ(rope_frequencies(config, std::vector<float>(8, 2.0F))[0], 0.5F);
  EXPECT_THROW(rope_frequencies(config, {1.0F}), InvalidInput);
}

TEST(Checkpoint, HuggingFaceNames) {
  EXPECT_EQ(hugging_face_name("token_embd.weight"), "model.embed_tokens.weight");
  EXPECT_EQ(hugging_face_name("blk.12.ffn_down.weight"), "model.layers.12.mlp.down_proj.weight");
  EXPECT_EQ(hugging_face_name("blk.0.other"), "blk.0.other");
}

}  // namespace
}  // namespace driftwood::models
