// Names of the original Stable Diffusion 1.x checkpoints, and whole files in that naming.
#include "models/image_names.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "base/error.h"
#include "models/clip_text.h"
#include "models/image_folder.h"
#include "models/image_shapes.h"
#include "models/unet.h"
#include "models/vae.h"

namespace driftwood {
namespace {

using models::ImageComponent;
using models::original_to_diffusers;
using ::testing::HasSubstr;

TEST(ImageNames, OriginalNamesOfEachKind) {
  struct Row {
    const char* original;
    ImageComponent component;
    const char* name;
  };
  const Row table[] = {
      {"cond_stage_model.transformer.text_model.encoder.layers.11.mlp.fc2.bias", ImageComponent::TextEncoder,
       "text_model.encoder.layers.11.mlp.fc2.bias"},
      {"cond_stage_model.transformer.embeddings.token_embedding.weight", ImageComponent::TextEncoder,
       "text_model.embeddings.token_embedding.weight"},
      {"model.diffusion_model.input_blocks.0.0.weight", ImageComponent::Unet, "conv_in.weight"},
      {"model.diffusion_model.input_blocks.1.0.in_layers.0.weight", ImageComponent::Unet,
       "down_blocks.0.resnets.0.norm1.weight"},
      {"model.diffusion_model.input_blocks.2.1.transformer_blocks.0.attn2.to_k.weight", ImageComponent::Unet,
       "down_blocks.0.attentions.1.transformer_blocks.0.attn2.to_k.weight"},
      {"model.diffusion_model.input_blocks.3.0.op.bias", ImageComponent::Unet,
       "down_blocks.0.downsamplers.0.conv.bias"},
      {"model.diffusion_model.input_blocks.4.0.skip_connection.weight", ImageComponent::Unet,
       "down_blocks.1.resnets.0.conv_shortcut.weight"},
      {"model.diffusion_model.input_blocks.11.0.emb_layers.1.weight", ImageComponent::Unet,
       "down_blocks.3.resnets.1.time_emb_proj.weight"},
      {"model.diffusion_model.middle_block.0.out_layers.3.weight", ImageComponent::Unet,
       "mid_block.resnets.0.conv2.weight"},
      {"model.diffusion_model.middle_block.1.proj_in.weight", ImageComponent::Unet,
       "mid_block.attentions.0.proj_in.weight"},
      {"model.diffusion_model.middle_block.2.in_layers.2.bias", ImageComponent::Unet, "mid_block.resnets.1.conv1.bias"},
      {"model.diffusion_model.output_blocks.2.1.conv.weight", ImageComponent::Unet,
       "up_blocks.0.upsamplers.0.conv.weight"},
      {"model.diffusion_model.output_blocks.5.2.conv.weight", ImageComponent::Unet,
       "up_blocks.1.upsamplers.0.conv.weight"},
      {"model.diffusion_model.output_blocks.11.1.norm.weight", ImageComponent::Unet,
       "up_blocks.3.attentions.2.norm.weight"},
      {"model.diffusion_model.time_embed.2.bias", ImageComponent::Unet, "time_embedding.linear_2.bias"},
      {"model.diffusion_model.out.0.weight", ImageComponent::Unet, "conv_norm_out.weight"},
      {"model.diffusion_model.out.2.weight", ImageComponent::Unet, "conv_out.weight"},
      {"first_stage_model.encoder.down.1.block.0.nin_shortcut.weight", ImageComponent::Vae,
       "encoder.down_blocks.1.resnets.0.conv_shortcut.weight"},
      {"first_stage_model.encoder.down.2.downsample.conv.weight", ImageComponent::Vae,
       "encoder.down_blocks.2.downsamplers.0.conv.weight"},
      {"first_stage_model.encoder.mid.attn_1.proj_out.weight", ImageComponent::Vae,
       "encoder.mid_block.attentions.0.to_out.0.weight"},
      {"first_stage_model.decoder.mid.attn_1.norm.bias", ImageComponent::Vae,
       "decoder.mid_block.attentions.0.group_norm.bias"},
      {"first_stage_model.decoder.mid.block_2.conv1.weight", ImageComponent::Vae,
       "decoder.mid_block.resnets.1.conv1.weight"},
      {"first_stage_model.decoder.up.3.upsample.conv.weight", ImageComponent::Vae,
       "decoder.up_blocks.0.upsamplers.0.conv.weight"},
      {"first_stage_model.decoder.up.0.block.2.norm2.weight", ImageComponent::Vae,
       "decoder.up_blocks.3.resnets.2.norm2.weight"},
      {"first_stage_model.decoder.norm_out.bias", ImageComponent::Vae, "decoder.conv_norm_out.bias"},
      {"first_stage_model.quant_conv.weight", ImageComponent::Vae, "quant_conv.weight"},
  };
  for (const Row& row : table) {
    const auto name = original_to_diffusers(row.original);
    ASSERT_TRUE(name) << row.original;
    EXPECT_EQ(name->component, row.component) << row.original;
    EXPECT_EQ(name->name, row.name) << row.original;
  }
}

TEST(ImageNames, WhatIsOfNoComponentHasNoName) {
  for (const char* name :
       {"alphas_cumprod", "model_ema.decay", "model.diffusion_model.input_blocks.",
        "model.diffusion_model.foo.0.weight", "model.diffusion_model.input_blocks.99999999999.0.weight",
        "model.diffusion_model.input_blocks.x.0.weight", "first_stage_model.decoder.up.9.block.0.conv1.weight",
        "cond_stage_model.transformer.logit_scale", "cond_stage_model.transformer.text_model.embeddings.position_ids",
        ""})
    EXPECT_FALSE(original_to_diffusers(name)) << name;
}

/// The other way round, by replacements from the most particular to the most general.
std::string original_name(ImageComponent component, std::string name) {
  const auto replace = [&](const char* pattern, const char* format) {
    name = std::regex_replace(name, std::regex(pattern), format);
  };
  if (component == ImageComponent::TextEncoder) return "cond_stage_model.transformer." + name;
  if (component == ImageComponent::Vae) {
    replace("mid_block.resnets.0", "mid.block_1");
    replace("mid_block.resnets.1", "mid.block_2");
    replace("mid_block.attentions.0.group_norm", "mid.attn_1.norm");
    replace("mid_block.attentions.0.to_out.0", "mid.attn_1.proj_out");
    replace("mid_block.attentions.0.to_", "mid.attn_1.");
    replace("conv_norm_out", "norm_out");
    replace("conv_shortcut", "nin_shortcut");
    replace("down_blocks", "down");
    for (int i = 0; i < 4; ++i) replace(fmt::format("up_blocks.{}", i).c_str(), fmt::format("up.{}", 3 - i).c_str());
    replace("resnets", "block");
    replace("downsamplers.0", "downsample");
    replace("upsamplers.0", "upsample");
    return "first_stage_model." + name;
  }
  std::smatch match;
  if (std::regex_match(name, match, std::regex("(down|up)_blocks\\.(\\d)\\.(\\w+)\\.(\\d)\\.(.*)"))) {
    const bool down = match[1] == "down";
    const int block = std::stoi(match[2]), layer = std::stoi(match[4]);
    const std::string kind = match[3];
    if (kind == "downsamplers") name = fmt::format("input_blocks.{}.0.{}", 3 * block + 3, match[5].str());
    if (kind == "upsamplers")
      name = fmt::format("output_blocks.{}.{}.{}", 3 * block + 2, block == 0 ? 1 : 2, match[5].str());
    if (kind == "resnets" || kind == "attentions")
      name = fmt::format("{}_blocks.{}.{}.{}", down ? "input" : "output", 3 * block + layer + (down ? 1 : 0),
                         kind == "resnets" ? 0 : 1, match[5].str());
    if (kind == "downsamplers") replace("\\.conv\\.", ".op.");
  }
  replace("mid_block.resnets.0", "middle_block.0");
  replace("mid_block.resnets.1", "middle_block.2");
  replace("mid_block.attentions.0", "middle_block.1");
  if (name.find(".transformer_blocks.") == std::string::npos) {
    replace("\\.norm1", ".in_layers.0");
    replace("\\.conv1", ".in_layers.2");
    replace("\\.time_emb_proj", ".emb_layers.1");
    replace("\\.norm2", ".out_layers.0");
    replace("\\.conv2", ".out_layers.3");
    replace("\\.conv_shortcut", ".skip_connection");
  }
  replace("time_embedding.linear_1", "time_embed.0");
  replace("time_embedding.linear_2", "time_embed.2");
  replace("conv_norm_out", "out.0");
  replace("conv_out", "out.2");
  replace("conv_in", "input_blocks.0.0");
  return "model.diffusion_model." + name;
}

/// A file of the real model in the original naming whose data are a hole of zeros.
struct OriginalFile {
  OriginalFile() {
    header["model_ema.decay"] = entry(DataType::F32, {});
    for (const ImageComponent component : models::image_components)
      for (const StoredTensor& tensor : testing::real_tensors(component)) {
        auto shape = tensor.shape();
        // The original's linears of the VAE's attention are convolutions.
        if (component == ImageComponent::Vae && tensor.name.find(".to_") != std::string::npos && shape.size() == 2)
          shape.insert(shape.end(), {1, 1});
        header[original_name(component, tensor.name)] = entry(DataType::F16, shape);
      }
  }
  nlohmann::json entry(DataType type, const std::vector<std::uint64_t>& shape) {
    const std::uint64_t begin = bytes;
    bytes += stored_bytes("tensor", type, shape);
    return {{"dtype", type == DataType::F16 ? "F16" : "F32"}, {"shape", shape}, {"data_offsets", {begin, bytes}}};
  }
  std::filesystem::path write(const testing::TemporaryFolder& folder) const {
    const std::string text = header.dump();
    const std::uint64_t length = text.size();
    std::string start(reinterpret_cast<const char*>(&length), 8);
    const auto path = folder.write("model.safetensors", start + text);
    std::filesystem::resize_file(path, 8 + length + bytes);
    return path;
  }

  nlohmann::json header;
  std::uint64_t bytes = 0;
};

TEST(ImageNames, AWholeFileInTheOriginalNaming) {
  const testing::TemporaryFolder folder;
  const auto path = OriginalFile().write(folder);
  EXPECT_TRUE(models::ImageCheckpoint::recognizes(path));
  const auto model = models::ImageCheckpoint::open(path);
  EXPECT_EQ(model.kind(), models::ImageCheckpoint::Kind::SingleFile);
  EXPECT_EQ(model.name(), "model");
  EXPECT_FALSE(model.scheduler_config());
  EXPECT_FALSE(model.tokenizer_folder());
  EXPECT_EQ(model.total_values(), 123060480U + 859520964U + 83653863U);
  for (const ImageComponent component : models::image_components)
    EXPECT_EQ(model.tensors(component).all().size(), testing::real_tensors(component).size());
  EXPECT_NO_THROW(models::clip_text_graph(model));
  EXPECT_NO_THROW(models::unet_graph(model));
  EXPECT_NO_THROW(models::vae_decoder_graph(model));
  EXPECT_NO_THROW(models::vae_encoder_graph(model));
}

std::string error_of(const OriginalFile& file) {
  const testing::TemporaryFolder folder;
  try {
    const auto model = models::ImageCheckpoint::open(file.write(folder));
    models::unet_graph(model, {.height = 8, .width = 8});
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ImageNames, AMisshapenTensorIsNamedAsInTheFile) {
  OriginalFile file;
  file.header["model.diffusion_model.out.2.weight"]["shape"] = {4, 3, 320, 3};
  const std::string error = error_of(file);
  EXPECT_THAT(error, HasSubstr("'conv_out.weight' ('model.diffusion_model.out.2.weight') of the UNet"));
  EXPECT_THAT(error, HasSubstr("[4, 3, 320, 3], but [4, 320, 3, 3]"));
}

TEST(ImageNames, AFileWithoutAComponentIsRefused) {
  OriginalFile file;
  OriginalFile without;
  without.header = nlohmann::json::object();
  without.bytes = 0;
  for (const auto& [name, entry] : file.header.items())
    if (!name.starts_with("cond_stage_model."))
      without.header[name] = without.entry(DataType::F16, entry.at("shape").get<std::vector<std::uint64_t>>());
  EXPECT_THAT(error_of(without), HasSubstr("no tensors of a text encoder"));
}

TEST(ImageNames, AFileOfALanguageModelIsNotRecognized) {
  EXPECT_FALSE(models::ImageCheckpoint::recognizes(testing::ImageFolder::source() / "unet"));
  EXPECT_FALSE(models::ImageCheckpoint::recognizes(testing::ImageFolder::source() /
                                                   testing::ImageFolder::weights(ImageComponent::Unet)));
}

}  // namespace
}  // namespace driftwood
