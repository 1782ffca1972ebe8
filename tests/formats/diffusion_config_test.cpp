// config.json of Stable Diffusion's components: what is read, and what is refused rather than ignored.
#include "formats/diffusion_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "support/oracle.h"

namespace driftwood {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

const json& shapes() {
  static const json file = test::read_json(DRIFTWOOD_TEST_DATA "/sd/sd14_shapes.json");
  return file;
}

json config(const char* component, const char* kind = "config") { return shapes().at(component).at(kind); }

json with(json document, const char* key, json value) {
  document[key] = std::move(value);
  return document;
}

std::string refusal(const char* component, const json& document) {
  try {
    if (component == std::string("text_encoder")) parse_clip_text_config(document.dump());
    if (component == std::string("unet")) parse_unet_config(document.dump());
    if (component == std::string("vae")) parse_vae_config(document.dump());
  } catch (const Unsupported& error) {
    return std::string("unsupported: ") + error.what();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "no error";
}

TEST(DiffusionConfig, ThePublishedFilesAreStableDiffusionsOwn) {
  EXPECT_EQ(parse_clip_text_config(config("text_encoder").dump()), stable_diffusion_clip_config());
  EXPECT_EQ(parse_unet_config(config("unet").dump()), stable_diffusion_unet_config());
  EXPECT_EQ(parse_vae_config(config("vae").dump()), stable_diffusion_vae_config());
}

TEST(DiffusionConfig, EveryDefaultWrittenOutMeansTheSame) {
  EXPECT_EQ(parse_clip_text_config(config("text_encoder", "config_with_defaults").dump()),
            stable_diffusion_clip_config());
  EXPECT_EQ(parse_unet_config(config("unet", "config_with_defaults").dump()), stable_diffusion_unet_config());
  EXPECT_EQ(parse_vae_config(config("vae", "config_with_defaults").dump()), stable_diffusion_vae_config());
}

TEST(DiffusionConfig, AttentionHeadDimIsTheNumberOfHeads) {
  const UnetConfig config_of_list =
      parse_unet_config(with(config("unet"), "attention_head_dim", {5, 10, 20, 20}).dump());
  EXPECT_EQ(config_of_list.levels[1].heads, 10U);
  EXPECT_EQ(parse_unet_config(config("unet").dump()).levels[3].heads, 8U);
}

TEST(DiffusionConfig, UpBlocksAreGivenFromTheCoarsestOn) {
  const UnetConfig unet = parse_unet_config(
      with(config("unet"), "up_block_types", {"CrossAttnUpBlock2D", "UpBlock2D", "UpBlock2D", "UpBlock2D"}).dump());
  EXPECT_TRUE(unet.levels[3].attends_up);
  EXPECT_FALSE(unet.levels[0].attends_up);
  EXPECT_TRUE(unet.levels[0].attends_down);
}

TEST(DiffusionConfig, NumbersThatChangeResultsAreRead) {
  EXPECT_EQ(parse_unet_config(with(config("unet"), "flip_sin_to_cos", false).dump()).flip_sin_to_cos, false);
  EXPECT_EQ(parse_unet_config(with(config("unet"), "freq_shift", 1).dump()).freq_shift, 1);
  EXPECT_EQ(parse_unet_config(with(config("unet"), "norm_eps", 1e-6).dump()).epsilon, 1e-6F);
  EXPECT_EQ(parse_vae_config(with(config("vae"), "scaling_factor", 0.13025).dump()).scaling_factor, 0.13025);
  EXPECT_FALSE(parse_vae_config(with(config("vae"), "use_quant_conv", false).dump()).quant_conv);
  EXPECT_EQ(parse_clip_text_config(with(config("text_encoder"), "hidden_act", "gelu").dump()).activation,
            ClipActivation::Gelu);
  EXPECT_EQ(parse_clip_text_config(with(config("text_encoder"), "layer_norm_eps", 1e-6).dump()).epsilon, 1e-6F);
  EXPECT_EQ(parse_clip_text_config(json{{"model_type", "clip"}, {"text_config", config("text_encoder")}}.dump()),
            stable_diffusion_clip_config());
}

struct Refused {
  const char* component;
  const char* key;
  json value;
};

TEST(DiffusionConfig, WhatNoGraphComputesIsUnsupported) {
  const Refused table[] = {
      {"text_encoder", "hidden_act", "relu"},
      {"unet", "_class_name", "UNet2DModel"},
      {"unet", "act_fn", "mish"},
      {"unet", "addition_embed_type", "text_time"},
      {"unet", "attention_type", "gated"},
      {"unet", "center_input_sample", true},
      {"unet", "class_embed_type", "timestep"},
      {"unet", "conv_in_kernel", 5},
      {"unet", "conv_out_kernel", 1},
      {"unet", "cross_attention_dim", {768, 768, 1024, 1024}},
      {"unet", "cross_attention_norm", "layer_norm"},
      {"unet",
       "down_block_types",
       {"CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "AttnDownBlock2D"}},
      {"unet", "downsample_padding", 0},
      {"unet", "dual_cross_attention", true},
      {"unet", "encoder_hid_dim", 1024},
      {"unet", "mid_block_scale_factor", 1.4},
      {"unet", "mid_block_type", "UNetMidBlock2DSimpleCrossAttn"},
      {"unet", "mid_block_type", nullptr},
      {"unet", "norm_num_groups", nullptr},
      {"unet", "num_attention_heads", 8},
      {"unet", "num_class_embeds", 10},
      {"unet", "only_cross_attention", true},
      {"unet", "only_cross_attention", {false, false, true, true}},
      {"unet", "resnet_out_scale_factor", 1.4},
      {"unet", "resnet_skip_time_act", true},
      {"unet", "resnet_time_scale_shift", "scale_shift"},
      {"unet", "time_cond_proj_dim", 256},
      {"unet", "time_embedding_act_fn", "silu"},
      {"unet", "time_embedding_dim", 1024},
      {"unet", "time_embedding_type", "fourier"},
      {"unet", "timestep_post_act", "silu"},
      {"unet", "transformer_layers_per_block", 2},
      {"unet", "up_block_types", {"UpBlock2D", "AttnUpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D"}},
      {"vae", "_class_name", "VQModel"},
      {"vae", "act_fn", "relu"},
      {"vae", "in_channels", 1},
      {"vae", "latents_mean", {0, 0, 0, 0}},
      {"vae", "mid_block_add_attention", false},
      {"vae", "out_channels", 4},
      {"vae", "shift_factor", 0.1159},
      {"vae", "up_block_types", {"UpDecoderBlock2D", "UpDecoderBlock2D", "UpDecoderBlock2D", "AttnUpDecoderBlock2D"}},
  };
  for (const Refused& row : table) {
    EXPECT_THAT(refusal(row.component, with(config(row.component), row.key, row.value)),
                AllOf(HasSubstr("unsupported: "), HasSubstr(row.key), HasSubstr("supported")))
        << row.component << " " << row.key << " " << row.value;
  }
}

TEST(DiffusionConfig, ListsOfWhatIsSupportedAreFine) {
  EXPECT_EQ(refusal("unet", with(config("unet"), "only_cross_attention", {false, false, false, false})), "no error");
  EXPECT_EQ(refusal("unet", with(config("unet"), "transformer_layers_per_block", {1, 1, 1, 1})), "no error");
  EXPECT_EQ(refusal("unet", with(config("unet"), "use_linear_projection", true)), "no error");
  EXPECT_EQ(refusal("unet", with(config("unet"), "resnet_out_scale_factor", 1)), "no error");
}

TEST(DiffusionConfig, AbsurdSizesAreRefusedWithTheirKey) {
  const std::pair<const char*, std::vector<const char*>> keys[] = {
      {"text_encoder",
       {"hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "vocab_size",
        "max_position_embeddings"}},
      {"unet",
       {"in_channels", "out_channels", "block_out_channels", "layers_per_block", "norm_num_groups",
        "cross_attention_dim", "attention_head_dim"}},
      {"vae", {"in_channels", "latent_channels", "block_out_channels", "layers_per_block", "norm_num_groups"}},
  };
  const json absurd[] = {0, -4, 1000000000, 4294967296, 1e300, 2.5, "4", true, {{"a", 1}}, json::array({0, 0, 0, 0})};
  for (const auto& [component, names] : keys) {
    for (const char* key : names) {
      for (const json& value : absurd) {
        EXPECT_THAT(refusal(component, with(config(component), key, value)),
                    AllOf(HasSubstr(key), ::testing::Not(HasSubstr("unsupported"))))
            << component << " " << key << " " << value;
      }
    }
  }
  for (const json& value : {json(-1), json(2), json(1e300), json("1e-5")}) {
    EXPECT_THAT(refusal("unet", with(config("unet"), "norm_eps", value)), HasSubstr("'norm_eps'")) << value;
    EXPECT_THAT(refusal("unet", with(config("unet"), "freq_shift", value)), HasSubstr("'freq_shift'")) << value;
  }
  EXPECT_THAT(refusal("vae", with(config("vae"), "scaling_factor", 0)), HasSubstr("'scaling_factor'"));
}

TEST(DiffusionConfig, SizesThatDoNotFitEachOtherAreRefused) {
  EXPECT_THAT(refusal("unet", with(config("unet"), "block_out_channels", {320, 640, 1281, 1280})), HasSubstr("1281"));
  EXPECT_THAT(refusal("unet", with(config("unet"), "block_out_channels", {320, 640})), HasSubstr("4 elements"));
  EXPECT_THAT(refusal("unet", with(config("unet"), "block_out_channels", json(std::vector<int>(9, 320)))),
              HasSubstr("at most 8"));
  EXPECT_THAT(refusal("unet", with(config("unet"), "attention_head_dim", {8, 8})), HasSubstr("'attention_head_dim'"));
  EXPECT_THAT(refusal("unet", with(config("unet"), "attention_head_dim", 7)), HasSubstr("'attention_head_dim'"));
  EXPECT_THAT(refusal("unet", with(config("unet"), "norm_num_groups", 33)), HasSubstr("33"));
  EXPECT_THAT(refusal("text_encoder", with(config("text_encoder"), "num_attention_heads", 7)),
              HasSubstr("'num_attention_heads', which is 7"));
}

TEST(DiffusionConfig, WhatIsNoJsonObjectIsRefused) {
  for (const char* text : {"", "{", "[]", "null", "{\"a\": 1, \"a\": 2}"}) {
    EXPECT_THROW(parse_clip_text_config(text), InvalidInput) << text;
    EXPECT_THROW(parse_unet_config(text), InvalidInput) << text;
    EXPECT_THROW(parse_vae_config(text), InvalidInput) << text;
  }
}

}  // namespace
}  // namespace driftwood
