#include "formats/diffusion_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/error.h"
#include "base/mapped_file.h"
#include "formats/guarded_json.h"
#include "formats/json_fields.h"
#include "formats/quote.h"

namespace driftwood {
namespace {

using nlohmann::json;

// Limits, each at least ten times the largest published model of its kind. Products of any three sizes fit 64 bits.
constexpr std::uint32_t most_channels = 1 << 14;
constexpr std::uint32_t most_levels = 8;
constexpr std::uint32_t most_layers = 256;
constexpr std::uint32_t most_heads = 1024;
constexpr std::uint32_t most_hidden = 1 << 16;
constexpr std::uint32_t most_vocabulary = 1 << 24;
constexpr std::uint32_t most_positions = 1 << 16;
constexpr std::uint32_t most_sample = 1 << 16;
constexpr std::size_t longest_file = 16 << 20;

json parse_config(std::string_view text) {
  json document = parse_json(text, "The configuration", {.depth = 16, .refuse_duplicates = true});
  if (!document.is_object()) throw InvalidInput("The configuration is no JSON object.");
  return document;
}

std::string in_words(const json& value) {
  if (value.is_string()) return quote_name(value.get_ref<const std::string&>());
  const std::string text = value.dump();
  return text.size() <= 80 ? text : fmt::format("an {} of {} elements", value.type_name(), value.size());
}

/// A key that changes what is computed and whose other values no graph here computes.
struct FixedKey {
  const char* key;
  std::vector<json> supported;  // the first one is what an absent key means
  bool null_is_absent = true;
};

void refuse_other_values(const json& document, std::span<const FixedKey> keys) {
  for (const FixedKey& fixed : keys) {
    const auto found = document.find(fixed.key);
    if (found == document.end() || (found->is_null() && fixed.null_is_absent)) continue;
    const auto is_supported = [&](const json& value) {
      return std::ranges::find(fixed.supported, value) != fixed.supported.end();
    };
    // A list gives a value for each level.
    if (is_supported(*found) || (found->is_array() && !found->empty() && std::ranges::all_of(*found, is_supported)))
      continue;
    std::string supported;
    for (const json& value : fixed.supported) supported += (supported.empty() ? "" : " and ") + in_words(value);
    throw Unsupported(fmt::format("The key '{}' is {}; supported is {}.", fixed.key, in_words(*found), supported));
  }
}

// Here null would mean that there are no norms.
std::uint32_t read_groups(const json& document, const JsonFields& fields) {
  if (const auto found = document.find("norm_num_groups"); found != document.end() && found->is_null()) {
    throw Unsupported("The key 'norm_num_groups' is null; supported is a number.");
  }
  return fields.integer("norm_num_groups", 1, most_channels).value_or(32);
}

/// One number for all levels, or a list with one for each.
std::vector<std::uint32_t> for_each_level(const JsonFields& fields, const char* key, std::uint32_t largest,
                                          std::uint32_t value_if_absent, std::size_t levels) {
  std::vector<std::uint32_t> values = fields.integer_or_list(key, 1, largest);
  if (values.empty()) values = {value_if_absent};
  if (values.size() == 1) values.resize(levels, values[0]);
  if (values.size() != levels) {
    throw InvalidInput(fmt::format("The key '{}' has {} elements, but the model has {} levels.", fields.full(key),
                                   values.size(), levels));
  }
  return values;
}

std::vector<std::uint32_t> read_channels(const JsonFields& fields, std::vector<std::uint32_t> if_absent,
                                         std::uint32_t groups) {
  std::vector<std::uint32_t> channels = fields.integer_or_list("block_out_channels", 1, most_channels);
  if (channels.empty()) channels = std::move(if_absent);
  if (channels.size() > most_levels) {
    throw InvalidInput(fmt::format("The key 'block_out_channels' has {} elements; at most {} are allowed.",
                                   channels.size(), most_levels));
  }
  for (const std::uint32_t count : channels) {
    if (count % groups == 0 && count % 4 == 0) continue;
    throw InvalidInput(fmt::format(
        "The key 'block_out_channels' has {}, which is no multiple of 4 and of 'norm_num_groups', which is {}.", count,
        groups));
  }
  return channels;
}

std::vector<std::string> read_types(const JsonFields& fields, const char* key, std::vector<std::string> if_absent,
                                    std::initializer_list<std::string_view> supported, std::size_t levels) {
  std::vector<std::string> types = fields.texts(key, most_levels);
  if (types.empty()) types = std::move(if_absent);
  for (const std::string& type : types) {
    if (std::ranges::find(supported, type) != supported.end()) continue;
    throw Unsupported(
        fmt::format("The key '{}' has {}; supported are {}.", key, quote_name(type), fmt::join(supported, " and ")));
  }
  if (types.size() != levels) {
    throw InvalidInput(
        fmt::format("The key '{}' has {} elements, but 'block_out_channels' has {}.", key, types.size(), levels));
  }
  return types;
}

std::uint32_t read_context(const JsonFields& fields) {
  const std::vector<std::uint32_t> values = fields.integer_or_list("cross_attention_dim", 1, most_hidden);
  if (values.empty()) return 1280;
  if (std::ranges::any_of(values, [&](std::uint32_t value) { return value != values[0]; })) {
    throw Unsupported("The key 'cross_attention_dim' differs between levels; supported is one number for all.");
  }
  return values[0];
}

const std::vector<FixedKey>& fixed_unet_keys() {
  static const std::vector<FixedKey> keys = {
      {"_class_name", {"UNet2DConditionModel"}},
      {"act_fn", {"silu", "swish"}},
      {"addition_embed_type", {nullptr}},
      {"attention_type", {"default"}},
      {"center_input_sample", {false}},
      {"class_embed_type", {nullptr}},
      {"class_embeddings_concat", {false}},
      {"conv_in_kernel", {3}},
      {"conv_out_kernel", {3}},
      {"cross_attention_norm", {nullptr}},
      {"downsample_padding", {1}},
      {"dual_cross_attention", {false}},
      {"encoder_hid_dim", {nullptr}},
      {"encoder_hid_dim_type", {nullptr}},
      {"mid_block_only_cross_attention", {false}},
      {"mid_block_scale_factor", {1}},
      {"mid_block_type", {"UNetMidBlock2DCrossAttn"}, false},
      {"num_attention_heads", {nullptr}},
      {"num_class_embeds", {nullptr}},
      {"only_cross_attention", {false}},
      {"resnet_out_scale_factor", {1}},
      {"resnet_skip_time_act", {false}},
      {"resnet_time_scale_shift", {"default"}},
      {"reverse_transformer_layers_per_block", {nullptr}},
      {"time_cond_proj_dim", {nullptr}},
      {"time_embedding_act_fn", {nullptr}},
      {"time_embedding_dim", {nullptr}},
      {"time_embedding_type", {"positional"}},
      {"timestep_post_act", {nullptr}},
      {"transformer_layers_per_block", {1}},
  };
  return keys;
}

const std::vector<FixedKey>& fixed_vae_keys() {
  static const std::vector<FixedKey> keys = {
      {"_class_name", {"AutoencoderKL"}}, {"act_fn", {"silu", "swish"}},       {"latents_mean", {nullptr}},
      {"latents_std", {nullptr}},         {"mid_block_add_attention", {true}}, {"shift_factor", {0}},
  };
  return keys;
}

}  // namespace

ClipTextConfig parse_clip_text_config(std::string_view text) {
  const json document = parse_config(text);
  JsonFields fields(document);
  // A whole CLIP's configuration has the text encoder's inside.
  if (const auto inner = fields.object("text_config")) fields = *inner;
  ClipTextConfig config;
  config.hidden = fields.integer("hidden_size", 1, most_hidden).value_or(512);
  config.intermediate = fields.integer("intermediate_size", 1, most_hidden).value_or(2048);
  config.layers = fields.integer("num_hidden_layers", 1, most_layers).value_or(12);
  config.heads = fields.integer("num_attention_heads", 1, most_heads).value_or(8);
  config.vocabulary = fields.integer("vocab_size", 1, most_vocabulary).value_or(49408);
  config.max_tokens = fields.integer("max_position_embeddings", 1, most_positions).value_or(77);
  config.epsilon = static_cast<float>(fields.number("layer_norm_eps", 0, 1).value_or(1e-5));
  const std::string activation = fields.text("hidden_act").value_or("quick_gelu");
  if (activation == "gelu") {
    config.activation = ClipActivation::Gelu;
  } else if (activation != "quick_gelu") {
    throw Unsupported(fmt::format("The key '{}' is {}; supported are quick_gelu and gelu.", fields.full("hidden_act"),
                                  quote_name(activation)));
  }
  if (config.hidden % config.heads != 0 || config.hidden / config.heads % 4 != 0) {
    throw InvalidInput(fmt::format("The key '{}' is {}, which is no multiple of 4 times '{}', which is {}.",
                                   fields.full("hidden_size"), config.hidden, fields.full("num_attention_heads"),
                                   config.heads));
  }
  return config;
}

UnetConfig parse_unet_config(std::string_view text) {
  const json document = parse_config(text);
  refuse_other_values(document, fixed_unet_keys());
  const JsonFields fields(document);
  UnetConfig config;
  config.in_channels = fields.integer("in_channels", 1, most_channels).value_or(4);
  config.out_channels = fields.integer("out_channels", 1, most_channels).value_or(4);
  config.groups = read_groups(document, fields);
  config.context = read_context(fields);
  config.sample_size = fields.integer("sample_size", 1, most_sample).value_or(64);
  config.epsilon = static_cast<float>(fields.number("norm_eps", 0, 1).value_or(1e-5));
  config.flip_sin_to_cos = fields.boolean("flip_sin_to_cos").value_or(true);

  const std::vector<std::uint32_t> channels = read_channels(fields, {320, 640, 1280, 1280}, config.groups);
  config.freq_shift = fields.number("freq_shift", 0, 1).value_or(0);
  const std::size_t levels = channels.size();
  const auto down = read_types(fields, "down_block_types",
                               {"CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"},
                               {"CrossAttnDownBlock2D", "DownBlock2D"}, levels);
  const auto up = read_types(fields, "up_block_types",
                             {"UpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D"},
                             {"CrossAttnUpBlock2D", "UpBlock2D"}, levels);
  const auto layers = for_each_level(fields, "layers_per_block", most_layers, 2, levels);
  const auto heads = for_each_level(fields, "attention_head_dim", most_heads, 8, levels);
  for (std::size_t i = 0; i < levels; ++i) {
    config.levels.push_back({.channels = channels[i],
                             .layers = layers[i],
                             .heads = heads[i],
                             .attends_down = down[i] == "CrossAttnDownBlock2D",
                             .attends_up = up[levels - 1 - i] == "CrossAttnUpBlock2D"});
    const bool attends = config.levels[i].attends_down || config.levels[i].attends_up || i + 1 == levels;
    if (!attends || (channels[i] % heads[i] == 0 && channels[i] / heads[i] % 4 == 0)) continue;
    throw InvalidInput(
        fmt::format("The key 'block_out_channels' has {}, which is no multiple of 4 times the {} heads that "
                    "'attention_head_dim' gives.",
                    channels[i], heads[i]));
  }
  return config;
}

VaeConfig parse_vae_config(std::string_view text) {
  const json document = parse_config(text);
  refuse_other_values(document, fixed_vae_keys());
  const JsonFields fields(document);
  VaeConfig config;
  for (const char* key : {"in_channels", "out_channels"}) {
    const std::uint32_t count = fields.integer(key, 1, 64).value_or(config.image_channels);
    if (count == config.image_channels) continue;
    throw Unsupported(fmt::format("The key '{}' is {}; supported is {}, for red, green and blue.", key, count,
                                  config.image_channels));
  }
  config.latent_channels = fields.integer("latent_channels", 1, most_channels).value_or(4);
  config.layers = fields.integer("layers_per_block", 1, most_layers).value_or(1);
  config.groups = read_groups(document, fields);
  config.sample_size = fields.integer("sample_size", 1, most_sample).value_or(32);
  config.scaling_factor = fields.number("scaling_factor", 1e-6, 1e6).value_or(0.18215);
  config.quant_conv = fields.boolean("use_quant_conv").value_or(true);
  config.post_quant_conv = fields.boolean("use_post_quant_conv").value_or(true);
  config.channels = read_channels(fields, {64}, config.groups);
  read_types(fields, "down_block_types", {"DownEncoderBlock2D"}, {"DownEncoderBlock2D"}, config.channels.size());
  read_types(fields, "up_block_types", {"UpDecoderBlock2D"}, {"UpDecoderBlock2D"}, config.channels.size());
  return config;
}

ClipTextConfig stable_diffusion_clip_config() { return {}; }

UnetConfig stable_diffusion_unet_config() {
  UnetConfig config;
  for (const std::uint32_t channels : {320u, 640u, 1280u, 1280u}) config.levels.push_back({.channels = channels});
  config.levels.back().attends_down = config.levels.back().attends_up = false;
  return config;
}

VaeConfig stable_diffusion_vae_config() {
  VaeConfig config;
  config.channels = {128, 256, 512, 512};
  return config;
}

std::string read_config_text(const std::filesystem::path& path) {
  const MappedFile file(path);
  if (file.size() > longest_file) {
    throw InvalidInput(
        fmt::format("The file '{}' has {} bytes; at most {} are allowed.", path.string(), file.size(), longest_file));
  }
  return {reinterpret_cast<const char*>(file.bytes().data()), file.size()};
}

}  // namespace driftwood
