// Folders and files of text-to-image models: right ones by either naming, and hostile ones.
#include "models/image_checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "models/clip_text.h"
#include "models/image_folder.h"
#include "models/unet.h"
#include "models/vae.h"

namespace driftwood {
namespace {

using models::ImageCheckpoint;
using models::ImageComponent;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::ImageFolder;

/// Opens it and builds every graph.
std::string error_of(const std::filesystem::path& path) {
  try {
    const auto model = ImageCheckpoint::open(path);
    models::clip_text_graph(model);
    models::unet_graph(model, {.height = 8, .width = 8});
    models::vae_decoder_graph(model, {.height = 8, .width = 8});
    models::vae_encoder_graph(model, {.height = 64, .width = 64});
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

const SafetensorsOutput& tensor_of(const std::vector<SafetensorsOutput>& tensors, std::string_view name) {
  return *std::ranges::find(tensors, name, &SafetensorsOutput::name);
}
SafetensorsOutput& tensor_of(std::vector<SafetensorsOutput>& tensors, std::string_view name) {
  return const_cast<SafetensorsOutput&>(tensor_of(std::as_const(tensors), name));
}

TEST(ImageCheckpoint, ADiffusersFolder) {
  const ImageFolder folder;
  const auto model = ImageCheckpoint::open(folder.path());
  EXPECT_EQ(model.kind(), ImageCheckpoint::Kind::Folder);
  EXPECT_EQ(model.text_config().hidden, 32U);
  EXPECT_EQ(model.unet_config().levels.size(), 4U);
  EXPECT_EQ(model.unet_config().levels[0].heads, 2U);
  EXPECT_EQ(model.vae_config().scaling_factor, 0.18215);
  ASSERT_TRUE(model.scheduler_config());
  EXPECT_THAT(*model.scheduler_config(), HasSubstr("PNDMScheduler"));
  ASSERT_TRUE(model.tokenizer_folder());
  EXPECT_EQ(model.tokenizer_folder()->filename(), "tokenizer");
  EXPECT_EQ(model.get(ImageComponent::Unet, "conv_in.weight", {16, 4, 3, 3}).type, DataType::F16);
  EXPECT_EQ(model.vector(ImageComponent::Vae, "decoder.conv_out.bias", 3).size(), 3U);
  EXPECT_TRUE(ImageCheckpoint::recognizes(folder.path()));
  EXPECT_GT(model.total_values(), 1000000U);
  EXPECT_EQ(model.total_bytes(), 2 * model.total_values());
  EXPECT_EQ(error_of(folder.path()), "no error");
}

TEST(ImageCheckpoint, HalfPrecisionFilesWhereThereAreNoOthers) {
  const ImageFolder folder;
  folder.rename("unet/diffusion_pytorch_model.safetensors", "unet/diffusion_pytorch_model.fp16.safetensors");
  folder.rename("text_encoder/model.safetensors", "text_encoder/model.fp16.safetensors");
  EXPECT_EQ(error_of(folder.path()), "no error");
}

TEST(ImageCheckpoint, WeightsInShards) {
  const ImageFolder folder;
  const auto file = SafetensorsFile::open(ImageFolder::source() / ImageFolder::weights(ImageComponent::Unet));
  folder.remove(ImageFolder::weights(ImageComponent::Unet));
  nlohmann::json map;
  std::vector<SafetensorsOutput> halves[2];
  for (std::size_t i = 0; i < file.tensors().all().size(); ++i) {
    const StoredTensor& tensor = file.tensors().all()[i];
    halves[i % 2].push_back({tensor.name, tensor.type, tensor.shape(), tensor.bytes});
    map[tensor.name] = i % 2 == 0 ? "a.safetensors" : "b.safetensors";
  }
  write_safetensors(folder.path() / "unet/a.safetensors", halves[0]);
  write_safetensors(folder.path() / "unet/b.safetensors", halves[1]);
  const std::string index = "unet/diffusion_pytorch_model.safetensors.index.json";
  folder.write(index, nlohmann::json{{"weight_map", map}}.dump());
  EXPECT_EQ(error_of(folder.path()), "no error");

  map["conv_in.weight"] = "../../secret.safetensors";
  folder.write(index, nlohmann::json{{"weight_map", map}}.dump());
  EXPECT_THAT(error_of(folder.path()), HasSubstr("no plain file name"));
}

TEST(ImageCheckpoint, OlderNamesOfTheAutoencodersAttention) {
  const ImageFolder folder;
  const auto legacy = std::string(DRIFTWOOD_TEST_DATA) + "/sd/vae_legacy/diffusion_pytorch_model.safetensors";
  folder.remove(ImageFolder::weights(ImageComponent::Vae));
  std::filesystem::create_symlink(legacy, folder.path() / ImageFolder::weights(ImageComponent::Vae));
  EXPECT_EQ(error_of(folder.path()), "no error");
  const auto old = ImageCheckpoint::open(folder.path());
  const auto present = ImageCheckpoint::open(ImageFolder::source());
  for (const char* name : {"to_q", "to_k", "to_v", "to_out.0"}) {
    const std::string weight = std::string("encoder.mid_block.attentions.0.") + name + ".weight";
    EXPECT_TRUE(std::ranges::equal(old.get(ImageComponent::Vae, weight, {32, 32}).bytes,
                                   present.get(ImageComponent::Vae, weight, {32, 32}).bytes));
  }
}

TEST(ImageCheckpoint, LinearsMayBeStoredAsConvolutionsAndTheOtherWayRound) {
  const ImageFolder folder;
  folder.edit_tensors(ImageComponent::Vae, [](std::vector<SafetensorsOutput>& tensors) {
    tensor_of(tensors, "decoder.mid_block.attentions.0.to_q.weight").shape = {32, 32, 1, 1};
  });
  folder.edit_tensors(ImageComponent::Unet, [](std::vector<SafetensorsOutput>& tensors) {
    tensor_of(tensors, "mid_block.attentions.0.proj_in.weight").shape = {48, 48};
  });
  EXPECT_EQ(error_of(folder.path()), "no error");
}

TEST(ImageCheckpoint, TensorsThatNoGraphReadsAreIgnored) {
  const ImageFolder folder;
  const std::vector<std::byte> zeros(77 * 8);
  folder.edit_tensors(ImageComponent::TextEncoder, [&](std::vector<SafetensorsOutput>& tensors) {
    tensors.push_back({"vision_model.embeddings.position_ids", DataType::I64, {1, 77}, zeros});
    tensors.push_back({"logit_scale", DataType::F32, {}, std::span(zeros).first(4)});
  });
  EXPECT_EQ(error_of(folder.path()), "no error");
}

TEST(HostileImageFolder, EveryMissingPartIsNamed) {
  const std::pair<const char*, const char*> parts[] = {
      {"model_index.json", "'model_index.json'"},
      {"text_encoder", "text_encoder' is missing"},
      {"unet", "unet' is missing"},
      {"vae", "vae' is missing"},
      {"unet/config.json", "'config.json'"},
      {"unet/diffusion_pytorch_model.safetensors", "'diffusion_pytorch_model.safetensors'"},
      {"text_encoder/model.safetensors", "'model.safetensors'"},
      {"scheduler/scheduler_config.json", "scheduler_config.json"},
  };
  for (const auto& [part, message] : parts) {
    const ImageFolder folder;
    folder.remove(part);
    EXPECT_THAT(error_of(folder.path()), AllOf(HasSubstr(message), HasSubstr("While opening the model"))) << part;
  }
  EXPECT_THAT(error_of("no/such/folder"), HasSubstr("no/such/folder"));
}

TEST(HostileImageFolder, AMissingTokenizerIsFoundByItsReader) {
  const ImageFolder folder;
  folder.remove("tokenizer");
  EXPECT_FALSE(ImageCheckpoint::open(folder.path()).tokenizer_folder());
}

TEST(HostileImageFolder, OnlyPickledWeightsAreUnsupported) {
  const ImageFolder folder;
  folder.rename("vae/diffusion_pytorch_model.safetensors", "vae/diffusion_pytorch_model.bin");
  EXPECT_THAT(error_of(folder.path()), HasSubstr("supported is 'diffusion_pytorch_model.safetensors'"));
}

TEST(HostileImageFolder, OtherFamiliesAreNamed) {
  const auto with_index = [](const std::function<void(nlohmann::json&)>& edit) {
    const ImageFolder folder;
    folder.edit_json("model_index.json", edit);
    return error_of(folder.path());
  };
  EXPECT_THAT(with_index([](auto& index) {
                index["text_encoder_2"] = {"transformers", "CLIPTextModel"};
              }),
              HasSubstr("second text encoder"));
  EXPECT_THAT(with_index([](auto& index) {
                index["text_encoder"] = {"transformers", "T5EncoderModel"};
              }),
              AllOf(HasSubstr("'T5EncoderModel'"), HasSubstr("supported is CLIPTextModel")));
  EXPECT_THAT(with_index([](auto& index) { index["unet"] = {nullptr, nullptr}; }), HasSubstr("names no 'unet'"));
  EXPECT_THAT(with_index([](auto& index) { index.erase("vae"); }), HasSubstr("names no 'vae'"));
  EXPECT_THAT(with_index([](auto& index) { index["vae"] = "AutoencoderKL"; }), HasSubstr("'vae'"));
  EXPECT_THAT(with_index([](auto& index) { index = nlohmann::json::array(); }), HasSubstr("no JSON object"));
}

TEST(HostileImageFolder, ConfigurationsThatDoNotFitEachOther) {
  const auto with_unet = [](const char* key, const nlohmann::json& value) {
    const ImageFolder folder;
    folder.edit_json("unet/config.json", [&](nlohmann::json& config) { config[key] = value; });
    return error_of(folder.path());
  };
  EXPECT_THAT(with_unet("cross_attention_dim", 64), AllOf(HasSubstr("64"), HasSubstr("32")));
  EXPECT_THAT(with_unet("in_channels", 9), HasSubstr("inpainting"));
  EXPECT_THAT(with_unet("block_out_channels", 1e300),
              AllOf(HasSubstr("'block_out_channels'"), HasSubstr("config.json")));
  EXPECT_THAT(with_unet("layers_per_block", 3), HasSubstr("'down_blocks.0.resnets.2."));
  EXPECT_THAT(with_unet("block_out_channels", {16, 32, 48, 16000}),
              HasSubstr("'down_blocks.3.resnets.0.conv_shortcut.weight'"));
}

TEST(HostileImageFolder, EveryMissingTensorIsNamed) {
  const std::pair<ImageComponent, const char*> tensors[] = {
      {ImageComponent::TextEncoder, "text_model.embeddings.token_embedding.weight"},
      {ImageComponent::TextEncoder, "text_model.embeddings.position_embedding.weight"},
      {ImageComponent::TextEncoder, "text_model.encoder.layers.1.self_attn.out_proj.bias"},
      {ImageComponent::TextEncoder, "text_model.final_layer_norm.weight"},
      {ImageComponent::Unet, "conv_in.bias"},
      {ImageComponent::Unet, "time_embedding.linear_2.weight"},
      {ImageComponent::Unet, "down_blocks.1.resnets.0.conv_shortcut.weight"},
      {ImageComponent::Unet, "mid_block.attentions.0.transformer_blocks.0.attn2.to_k.weight"},
      {ImageComponent::Unet, "up_blocks.3.attentions.2.transformer_blocks.0.ff.net.0.proj.bias"},
      {ImageComponent::Unet, "conv_norm_out.weight"},
      {ImageComponent::Vae, "encoder.down_blocks.0.downsamplers.0.conv.weight"},
      {ImageComponent::Vae, "decoder.mid_block.attentions.0.group_norm.bias"},
      {ImageComponent::Vae, "post_quant_conv.weight"},
      {ImageComponent::Vae, "quant_conv.bias"},
  };
  for (const auto& [component, name] : tensors) {
    const ImageFolder folder;
    folder.edit_tensors(component, [&](std::vector<SafetensorsOutput>& list) {
      std::erase_if(list, [&](const SafetensorsOutput& tensor) { return tensor.name == name; });
    });
    EXPECT_THAT(error_of(folder.path()), AllOf(HasSubstr(std::string("'") + name + "'"), HasSubstr("is missing")));
  }
}

TEST(HostileImageFolder, AWrongShapeIsNamedWithBoth) {
  const ImageFolder folder;
  folder.edit_tensors(ImageComponent::Unet, [](std::vector<SafetensorsOutput>& tensors) {
    tensor_of(tensors, "conv_in.weight").shape = {16, 3, 3, 4};
  });
  EXPECT_THAT(error_of(folder.path()),
              AllOf(HasSubstr("'conv_in.weight' of the UNet"), HasSubstr("[16, 3, 3, 4]"), HasSubstr("[16, 4, 3, 3]")));
}

TEST(HostileImageFolder, AWrongTypeIsNamed) {
  const ImageFolder folder;
  const std::vector<std::byte> zeros(16 * 8);
  folder.edit_tensors(ImageComponent::Unet, [&](std::vector<SafetensorsOutput>& tensors) {
    SafetensorsOutput& tensor = tensor_of(tensors, "conv_in.bias");
    tensor.type = DataType::I64;
    tensor.bytes = zeros;
  });
  EXPECT_THAT(error_of(folder.path()), AllOf(HasSubstr("'conv_in.bias'"), HasSubstr("i64"), HasSubstr("f16")));
}

TEST(HostileImageFolder, DamagedFilesAreNamed) {
  const ImageFolder folder;
  const std::string weights = ImageFolder::weights(ImageComponent::Vae);
  std::ifstream stream(ImageFolder::source() / weights, std::ios::binary);
  std::string bytes(100000, '\0');
  stream.read(bytes.data(), 100000);
  folder.write(weights, bytes);
  EXPECT_THAT(error_of(folder.path()), AllOf(HasSubstr("'data_offsets'"), HasSubstr(weights)));
  folder.write(weights, "");
  EXPECT_THAT(error_of(folder.path()), HasSubstr(weights));
  folder.write("unet/config.json", "{");
  EXPECT_THAT(error_of(folder.path()), HasSubstr("unet/config.json"));
}

TEST(HostileImageFolder, AbsurdExtentsAreRefusedBeforeAnythingIsBuilt) {
  const auto model = ImageCheckpoint::open(ImageFolder::source());
  EXPECT_THROW(models::unet_graph(model, {.height = 0}), InvalidInput);
  EXPECT_THROW(models::unet_graph(model, {.width = 12500}), InvalidInput);
  EXPECT_THROW(models::unet_graph(model, {.batch = 0}), InvalidInput);
  EXPECT_THROW(models::unet_graph(model, {.context_tokens = 0}), InvalidInput);
  EXPECT_THROW(models::vae_decoder_graph(model, {.height = 100000}), InvalidInput);
  EXPECT_THROW(models::vae_encoder_graph(model, {.height = 7, .width = 7}), InvalidInput);
  EXPECT_THROW(models::vae_encoder_graph(model, {.height = 516, .width = 512}), InvalidInput);
}

}  // namespace
}  // namespace driftwood
