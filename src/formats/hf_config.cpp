#include "formats/hf_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "base/error.h"
#include "base/mapped_file.h"
#include "formats/guarded_json.h"
#include "formats/json_fields.h"
#include "formats/quote.h"

namespace driftwood {
namespace {

// Limits, each at least ten times the largest published model of its kind. Products of any three of the sizes fit 64
// bits.
constexpr std::uint32_t most_hidden = 1 << 18;
constexpr std::uint32_t most_intermediate = 1 << 21;
constexpr std::uint32_t most_layers = 4096;
constexpr std::uint32_t most_heads = 4096;
constexpr std::uint32_t most_head_dim = 4096;
constexpr std::uint32_t most_vocabulary = 1 << 24;
constexpr std::uint32_t most_positions = 1 << 30;
constexpr std::size_t most_rope_factors = most_head_dim / 2;
constexpr std::size_t longest_file = 16 << 20;

// What transformers takes where a file of this kind leaves a key out; published files do.
constexpr std::pair<std::string_view, std::string_view> defaults[] = {
    {"mistral", R"({"num_key_value_heads": 8, "sliding_window": 4096})"},
    {"qwen2", R"({"use_sliding_window": false, "sliding_window": 4096})"},
    {"qwen3", R"({"use_sliding_window": false, "sliding_window": 4096, "head_dim": 128})"},
    {"gemma2", R"({"head_dim": 256, "query_pre_attn_scalar": 256, "sliding_window": 4096, "attn_logit_softcapping": 50,
                   "final_logit_softcapping": 30, "hidden_activation": "gelu_pytorch_tanh"})"},
    {"gemma3_text", R"({"vocab_size": 262208, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256,
                        "max_position_embeddings": 131072, "query_pre_attn_scalar": 256, "sliding_window": 4096,
                        "rope_theta": 1e6, "hidden_activation": "gelu_pytorch_tanh"})"},
};

// Adds to the object the keys that it lacks.
void add_missing(nlohmann::json& object, const nlohmann::json& others) {
  for (const auto& [key, value] : others.items()) {
    if (!object.contains(key)) object[key] = value;
  }
}

// The part for text of a model for images and text, with what only the whole says: its tokens and its type.
nlohmann::json text_part(const nlohmann::json& document) {
  nlohmann::json text = document["text_config"];
  if (!text.is_object()) throw InvalidInput("The key 'text_config' is no object.");
  for (const char* key : {"bos_token_id", "eos_token_id", "pad_token_id", "dtype", "torch_dtype"}) {
    if (document.contains(key) && (!text.contains(key) || text[key].is_null())) text[key] = document[key];
  }
  return text;
}

bool is_gemma(std::string_view model_type) { return model_type.starts_with("gemma"); }

// rope_parameters, rope_scaling (whose type is called 'type' in the oldest files) or one entry of the former.
void read_rope(const JsonFields& fields, HfRope& rope) {
  rope.type = fields.text("rope_type").value_or(fields.text("type").value_or(rope.type));
  rope.theta = fields.number("rope_theta", 1, 1e15).value_or(rope.theta);
  rope.partial_rotary_factor = fields.number("partial_rotary_factor", 1e-3, 1).value_or(rope.partial_rotary_factor);
  rope.factor = fields.number("factor", 1e-3, 1e6).value_or(rope.factor);
  rope.low_freq_factor = fields.number("low_freq_factor", 1e-3, 1e6).value_or(rope.low_freq_factor);
  rope.high_freq_factor = fields.number("high_freq_factor", 1e-3, 1e6).value_or(rope.high_freq_factor);
  rope.original_max_position_embeddings = fields.integer("original_max_position_embeddings", 1, most_positions)
                                              .value_or(rope.original_max_position_embeddings);
  rope.beta_fast = fields.number("beta_fast", 1e-6, 1e6).value_or(rope.beta_fast);
  rope.beta_slow = fields.number("beta_slow", 1e-6, 1e6).value_or(rope.beta_slow);
  rope.attention_factor = fields.number("attention_factor", 1e-6, 1e6);
  rope.short_factor = fields.numbers("short_factor", most_rope_factors, 1e-3, 1e6);
  rope.long_factor = fields.numbers("long_factor", most_rope_factors, 1e-3, 1e6);

  constexpr std::string_view types[] = {"default", "linear", "dynamic", "yarn", "llama3", "longrope"};
  if (rope.type == "su") rope.type = "longrope";  // its name in the first Phi-3 files
  if (std::ranges::find(types, rope.type) == std::end(types)) {
    throw Unsupported(fmt::format("The key '{}' is {}; supported are {}.", fields.full("rope_type"),
                                  quote_name(rope.type), fmt::join(types, ", ")));
  }
  if (rope.type == "llama3") {
    if (rope.low_freq_factor >= rope.high_freq_factor) {
      throw InvalidInput(fmt::format("The key '{}' is {}, but must be less than '{}', which is {}.",
                                     fields.full("low_freq_factor"), rope.low_freq_factor,
                                     fields.full("high_freq_factor"), rope.high_freq_factor));
    }
    if (rope.original_max_position_embeddings == 0) {
      throw InvalidInput(fmt::format("The key '{}' is missing, which the type llama3 needs.",
                                     fields.full("original_max_position_embeddings")));
    }
  }
}

// The older keys stand beside the sizes; the present ones override them. Gemma 3 has one entry a kind of layer.
void read_ropes(const JsonFields& fields, HfConfig& config) {
  HfRope rope;
  rope.theta = fields.number("rope_theta", 1, 1e15).value_or(rope.theta);
  rope.partial_rotary_factor = fields.number("partial_rotary_factor", 1e-3, 1).value_or(1);
  rope.original_max_position_embeddings =
      fields.integer("original_max_position_embeddings", 1, most_positions).value_or(0);
  if (const auto local = fields.number("rope_local_base_freq", 1, 1e15)) {
    config.sliding_rope = HfRope{};
    config.sliding_rope->theta = *local;
  }
  config.rope = rope;
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    const auto parameters = fields.object(key);
    if (!parameters) continue;
    const auto full = parameters->object("full_attention");
    const auto sliding = parameters->object("sliding_attention");
    if (sliding) read_rope(*sliding, config.sliding_rope.emplace());
    read_rope(full ? *full : *parameters, config.rope);
  }
}

void read_sizes(const JsonFields& fields, HfConfig& config) {
  config.hidden_size = fields.required_integer("hidden_size", 1, most_hidden);
  config.intermediate_size = fields.required_integer("intermediate_size", 1, most_intermediate);
  config.num_hidden_layers = fields.required_integer("num_hidden_layers", 1, most_layers);
  config.num_attention_heads = fields.required_integer("num_attention_heads", 1, most_heads);
  config.num_key_value_heads =
      fields.integer("num_key_value_heads", 1, most_heads).value_or(config.num_attention_heads);
  if (config.num_attention_heads % config.num_key_value_heads != 0) {
    throw InvalidInput(
        fmt::format("The key 'num_attention_heads' is {}, but must be a multiple of 'num_key_value_heads', "
                    "which is {}.",
                    config.num_attention_heads, config.num_key_value_heads));
  }
  const auto head_dim = fields.integer("head_dim", 1, most_head_dim);
  if (!head_dim && config.hidden_size % config.num_attention_heads != 0) {
    throw InvalidInput(
        fmt::format("The key 'hidden_size' is {}, which is no multiple of 'num_attention_heads', {}, and "
                    "there is no 'head_dim'.",
                    config.hidden_size, config.num_attention_heads));
  }
  config.head_dim = head_dim.value_or(config.hidden_size / config.num_attention_heads);
  if (config.head_dim > most_head_dim) {
    throw InvalidInput(
        fmt::format("The keys 'hidden_size' and 'num_attention_heads' give heads of {}; at most {} are "
                    "supported.",
                    config.head_dim, most_head_dim));
  }
  config.vocab_size = fields.required_integer("vocab_size", 1, most_vocabulary);
  config.max_position_embeddings =
      fields.integer("max_position_embeddings", 1, most_positions).value_or(config.max_position_embeddings);
}

void read_attention(const JsonFields& fields, HfConfig& config) {
  config.attention_bias = fields.boolean("attention_bias").value_or(false);
  // Qwen2 files name a window that they do not use.
  const bool window_is_used = fields.boolean("use_sliding_window").value_or(true);
  const auto window = fields.integer("sliding_window", 1, most_positions);
  if (window_is_used) config.sliding_window = window;
  config.layer_types = fields.texts("layer_types", most_layers);
  if (!config.layer_types.empty() && config.layer_types.size() != config.num_hidden_layers) {
    throw InvalidInput(fmt::format("The key 'layer_types' has {} entries, but 'num_hidden_layers' is {}.",
                                   config.layer_types.size(), config.num_hidden_layers));
  }
  config.sliding_window_pattern = fields.integer("sliding_window_pattern", 1, most_layers);
  if (!config.sliding_window_pattern) {
    config.sliding_window_pattern = fields.integer("_sliding_window_pattern", 1, most_layers);
  }
  config.max_window_layers = fields.integer("max_window_layers", 0, most_positions).value_or(config.max_window_layers);
  config.use_bidirectional_attention = fields.boolean("use_bidirectional_attention").value_or(false);
  config.attn_logit_softcapping = fields.number("attn_logit_softcapping", 1e-6, 1e6);
  config.final_logit_softcapping = fields.number("final_logit_softcapping", 1e-6, 1e6);
  config.query_pre_attn_scalar = fields.number("query_pre_attn_scalar", 1e-6, 1e6);
}

void read_tokens(const JsonFields& fields, HfConfig& config) {
  const auto first = [&](const char* key) -> std::optional<std::uint32_t> {
    const auto ids = fields.integer_or_list(key, 0, most_vocabulary - 1);
    if (ids.empty()) return std::nullopt;
    return ids.front();
  };
  config.bos_token_id = first("bos_token_id");
  config.pad_token_id = first("pad_token_id");
  config.eos_token_ids = fields.integer_or_list("eos_token_id", 0, most_vocabulary - 1);
}

}  // namespace

HfConfig parse_hf_config(std::string_view text) {
  nlohmann::json document = parse_json(text, "The configuration", {.depth = 16, .refuse_duplicates = true});
  if (!document.is_object()) throw InvalidInput("The configuration is no JSON object.");
  if (document.contains("text_config") && !document.contains("hidden_size")) document = text_part(document);
  const std::string model_type = JsonFields(document).text("model_type").value_or("");
  for (const auto& [type, values] : defaults) {
    if (type == model_type) add_missing(document, nlohmann::json::parse(values));
  }
  const JsonFields fields(document);

  HfConfig config;
  config.model_type = model_type;
  config.architectures = fields.texts("architectures", 16);
  read_sizes(fields, config);
  config.rms_norm_eps = fields.number("rms_norm_eps", 0, 1).value_or(config.rms_norm_eps);
  config.hidden_act = fields.text("hidden_activation").value_or(fields.text("hidden_act").value_or(config.hidden_act));
  config.mlp_bias = fields.boolean("mlp_bias").value_or(false);
  config.tie_word_embeddings = fields.boolean("tie_word_embeddings").value_or(is_gemma(config.model_type));
  config.dtype = fields.text("dtype").value_or(fields.text("torch_dtype").value_or(""));
  read_attention(fields, config);
  read_ropes(fields, config);
  read_tokens(fields, config);
  return config;
}

HfConfig read_hf_config(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto file_path = std::filesystem::is_directory(path, ignored) ? path / "config.json" : path;
  try {
    const MappedFile file(file_path);
    if (file.size() > longest_file) {
      throw InvalidInput(
          fmt::format("The configuration has {} bytes; at most {} are allowed.", file.size(), longest_file));
    }
    return parse_hf_config({reinterpret_cast<const char*>(file.bytes().data()), file.size()});
  } catch (Error& error) {
    error.add_context(fmt::format("While reading '{}'.", file_path.string()));
    throw;
  }
}

}  // namespace driftwood
