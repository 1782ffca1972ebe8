#include "text/tokenizer_huggingface.h"

#include <fmt/format.h>

#include "base/error.h"
#include "formats/quote.h"
#include "text/byte_tokens.h"
#include "text/huggingface_tokens.h"
#include "text/tokenizer_clip.h"
#include "text/tokenizer_sentencepiece.h"

namespace driftwood {

using huggingface::flag_of;
using huggingface::FolderFile;
using huggingface::Json;
using huggingface::member;
using huggingface::named_id;
using huggingface::string_of;

namespace {

// The largest vocabularies have some 300,000 tokens; a wild id must not allocate gigabytes.
constexpr std::int64_t most_tokens = 1 << 24;

Json parse(std::string_view text, std::string_view name) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    throw InvalidInput(fmt::format("The file {} is no valid JSON: {}.", name, error.what()));
  }
}

std::size_t checked_id(const Json& id, std::string_view token) {
  if (!id.is_number_integer() || id < 0 || id >= most_tokens) {
    throw InvalidInput(fmt::format("The token {} of tokenizer.json has the id {}; 0 to {} are allowed.",
                                   quote_name(token), id.dump(), most_tokens - 1));
  }
  return id.get<std::size_t>();
}

void put_token(TokenizerData& data, std::size_t id, const std::string& text, TokenType type) {
  if (id >= data.tokens.size()) {
    data.tokens.resize(id + 1);
    data.types.resize(id + 1, TokenType::Unused);  // ids that nothing names
  }
  data.tokens[id] = text;
  data.types[id] = type;
}

void read_vocabulary(const Json& model, TokenizerData& data) {
  const Json& vocabulary = member(model, "vocab");
  if (!vocabulary.is_object()) throw InvalidInput("The tokenizer.json has no object 'model.vocab'.");
  const bool has_bytes = data.model == TokenizerModel::SentencePiece && flag_of(model, "byte_fallback", false);
  for (const auto& [text, id] : vocabulary.items()) {
    put_token(data, checked_id(id, text), text, has_bytes && byte_of_token(text) ? TokenType::Byte : TokenType::Normal);
  }
}

void read_merges(const Json& model, TokenizerData& data) {
  const Json& merges = member(model, "merges");
  if (!merges.is_array()) throw InvalidInput("The tokenizer.json has no list 'model.merges'.");
  for (const Json& merge : merges) {
    if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
      data.merges.emplace_back(merge[0].get<std::string>(), merge[1].get<std::string>());
      continue;
    }
    const std::string line = merge.is_string() ? merge.get<std::string>() : "";
    const std::size_t space = line.find(' ', 1);
    if (space == std::string::npos) {
      throw InvalidInput(fmt::format("The merge {} of tokenizer.json is {}; two strings are expected.",
                                     data.merges.size(), quote_name(merge.dump())));
    }
    data.merges.emplace_back(line.substr(0, space), line.substr(space + 1));
  }
}

void read_added_tokens(const Json& tokenizer, TokenizerData& data) {
  const Json& added = member(tokenizer, "added_tokens");
  if (!added.is_array()) return;
  for (const Json& token : added) {
    const std::string text = string_of(token, "content");
    const std::size_t id = checked_id(member(token, "id"), text);
    if (flag_of(token, "single_word", false)) {
      throw Unsupported(
          fmt::format("The added token {} is found as a whole word only ('single_word'), which is not "
                      "supported.",
                      quote_name(text)));
    }
    put_token(data, id, text, flag_of(token, "special", false) ? TokenType::Control : TokenType::UserDefined);
    const bool left = flag_of(token, "lstrip", false);
    const bool right = flag_of(token, "rstrip", false);
    if (left || right) data.strips.push_back({static_cast<std::int32_t>(id), left, right});
  }
}

std::optional<std::int32_t> configured_id(const TokenizerData& data, const Json& config, const char* name) {
  const Json& value = member(config, name);
  return named_id(data, value.is_object() ? string_of(value, "content") : string_of(config, name));
}

void read_special_ids(const Json& tokenizer, const Json& config, TokenizerData& data) {
  const huggingface::Around around = huggingface::read_post_processor(tokenizer);
  data.bos = configured_id(data, config, "bos_token");
  data.eos = configured_id(data, config, "eos_token");
  data.unknown = configured_id(data, config, "unk_token");
  data.padding = configured_id(data, config, "pad_token");
  if (!data.bos) data.bos = named_id(data, around.before);
  if (!data.eos) data.eos = named_id(data, around.after);
  if (!data.unknown) data.unknown = named_id(data, string_of(member(tokenizer, "model"), "unk_token"));
  const auto is_added = [&](const char* flag, const std::string& token, std::optional<std::int32_t> id) {
    const bool by_template = !token.empty() && id && data.tokens[static_cast<std::size_t>(*id)] == token;
    return flag_of(config, flag, by_template) && id.has_value();
  };
  data.add_bos = is_added("add_bos_token", around.before, data.bos);
  data.add_eos = is_added("add_eos_token", around.after, data.eos);
}

}  // namespace

TokenizerData parse_tokenizer_data(std::string_view tokenizer_json, std::string_view tokenizer_config_json,
                                   std::string_view chat_template) {
  const Json tokenizer = parse(tokenizer_json, "tokenizer.json");
  const Json config = tokenizer_config_json.empty() ? Json() : parse(tokenizer_config_json, "tokenizer_config.json");
  const Json& model = member(tokenizer, "model");
  const std::string type = string_of(model, "type");
  if (type != "BPE" && !(type.empty() && member(model, "merges").is_array())) {
    throw Unsupported(
        fmt::format("The tokenizer.json has a model of the type {}; only 'BPE' is supported.", quote_name(type)));
  }
  TokenizerData data;
  data.end_of_word_suffix = string_of(model, "end_of_word_suffix");
  if (!string_of(model, "continuing_subword_prefix").empty()) {
    throw Unsupported("The tokenizer.json has a 'continuing_subword_prefix', which is not supported.");
  }
  if (!data.end_of_word_suffix.empty() && !huggingface::is_byte_level(tokenizer)) {
    throw Unsupported("The tokenizer.json has an 'end_of_word_suffix', which is supported for byte-level BPE only.");
  }
  data.ignore_merges = flag_of(model, "ignore_merges", false);
  if (huggingface::is_byte_level(tokenizer)) {
    data.model = TokenizerModel::ByteLevelBpe;
    huggingface::read_byte_level_steps(tokenizer, data);
  } else {
    data.model = TokenizerModel::SentencePiece;
    data.user_defined_end_fragments = true;
    huggingface::read_sentence_piece_steps(tokenizer, data);
  }
  read_vocabulary(model, data);
  read_merges(model, data);
  read_added_tokens(tokenizer, data);
  read_special_ids(tokenizer, config, data);
  data.chat_template = chat_template.empty() ? huggingface::template_of(config) : std::string(chat_template);
  return data;
}

bool has_tokenizer(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder / "tokenizer.json", ignored) || is_sentence_piece_folder(folder) ||
         is_clip_folder(folder);
}

TokenizerData load_tokenizer_data(const std::filesystem::path& folder) {
  std::error_code ignored;
  const std::filesystem::path inner = folder / "tokenizer";  // of a diffusers folder
  if (!has_tokenizer(folder) && std::filesystem::is_directory(inner, ignored)) return load_tokenizer_data(inner);
  if (!std::filesystem::exists(folder / "tokenizer.json", ignored)) {
    if (is_sentence_piece_folder(folder)) return load_sentence_piece_data(folder);
    if (is_clip_folder(folder)) return load_clip_tokenizer_data(folder);
    throw InvalidInput(
        fmt::format("The folder '{}' has no tokenizer: tokenizer.json is missing, and so are "
                    "tokenizer.model and vocab.json with merges.txt.",
                    folder.string()));
  }
  try {
    const FolderFile tokenizer(folder, "tokenizer.json", true), config(folder, "tokenizer_config.json", false);
    const FolderFile chat(folder, "chat_template.jinja", false);
    return parse_tokenizer_data(tokenizer.text(), config.text(), chat.text());
  } catch (Error& error) {
    error.add_context(fmt::format("While reading the tokenizer of '{}'.", folder.string()));
    throw;
  }
}

}  // namespace driftwood
