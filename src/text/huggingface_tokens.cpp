#include "text/huggingface_tokens.h"

#include <fmt/format.h>

#include "base/error.h"
#include "formats/guarded_json.h"
#include "formats/quote.h"

namespace driftwood::huggingface {

namespace {

AddedToken to_added_token(const Json& json) {
  AddedToken token{string_of(json, "content"), flag_of(json, "special", false), flag_of(json, "lstrip", false),
                   flag_of(json, "rstrip", false)};
  if (flag_of(json, "single_word", false)) {
    throw Unsupported(
        fmt::format("The added token {} is found as a whole word only ('single_word'), which is not supported.",
                    quote_name(token.text)));
  }
  return token;
}

}  // namespace

Json parse_object(std::string_view text, std::string_view name) {
  Json json = parse_json(text, fmt::format("The file {}", name));
  if (!json.is_object()) throw InvalidInput(fmt::format("The file {} holds no JSON object.", name));
  return json;
}

Json parse_optional_object(std::string_view text, std::string_view name) {
  return text.empty() ? Json::object() : parse_object(text, name);
}

std::size_t checked_id(const Json& id, std::string_view token, std::string_view file, std::size_t limit) {
  if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= limit) {
    throw InvalidInput(fmt::format("The token {} of {} has the id {}, but with {} tokens ids are 0 to {}.",
                                   quote_name(token), file, quote_name(id.dump()), limit, limit - 1));
  }
  return id.get<std::size_t>();
}

std::map<std::size_t, AddedToken> added_tokens(const Json& added, const Json& config, std::size_t vocabulary) {
  std::map<std::size_t, AddedToken> tokens;
  const Json& decoder = member(config, "added_tokens_decoder");
  const std::size_t limit = vocabulary + added.size() + decoder.size();
  for (const auto& [text, id] : added.items()) {
    tokens[checked_id(id, text, "added_tokens.json", limit)].text = text;
  }
  if (!decoder.is_object()) return tokens;
  for (const auto& [key, value] : decoder.items()) {
    const bool is_number = !key.empty() && key.size() < 10 && key.find_first_not_of("0123456789") == std::string::npos;
    const std::string text = string_of(value, "content");
    const std::size_t id =
        checked_id(is_number ? Json(std::stoul(key)) : Json(key), text, "tokenizer_config.json", limit);
    tokens[id] = to_added_token(value);
  }
  return tokens;
}

void add_tokens(const std::map<std::size_t, AddedToken>& added, TokenizerData& data, bool renames) {
  for (const auto& [id, token] : added) {  // ascending: those past the vocabulary go on where it ends
    if (token.text.empty()) throw InvalidInput(fmt::format("The added token with the id {} has no text.", id));
    if (id > data.tokens.size()) {
      throw InvalidInput(fmt::format("The added token {} has the id {}, but {} is the next that is free.",
                                     quote_name(token.text), id, data.tokens.size()));
    }
    if (id == data.tokens.size()) {
      data.tokens.push_back(token.text);
      data.types.push_back(TokenType::Normal);
    }
    if (renames) data.tokens[id] = token.text;
    if (data.tokens[id] != token.text) {
      throw InvalidInput(fmt::format("The id {} is the token {} in one file and {} in another.", id,
                                     quote_name(data.tokens[id]), quote_name(token.text)));
    }
    data.types[id] = token.is_special ? TokenType::Control : TokenType::UserDefined;
    if (token.left || token.right) data.strips.push_back({static_cast<std::int32_t>(id), token.left, token.right});
  }
}

std::string special_name(const Json& map, const Json& config, const char* key) {
  for (const Json* file : {&map, &config}) {
    const Json& value = member(*file, key);
    const std::string text = value.is_object() ? string_of(value, "content") : string_of(*file, key);
    if (!text.empty()) return text;
  }
  return {};
}

std::optional<std::int32_t> named_id(const TokenizerData& data, const std::string& text) {
  if (text.empty()) return std::nullopt;
  for (std::size_t id = data.tokens.size(); id-- > 0;) {  // added tokens are mostly the last
    if (data.tokens[id] == text) return static_cast<std::int32_t>(id);
  }
  return std::nullopt;
}

std::string template_of(const Json& config) {
  const Json& value = member(config, "chat_template");
  if (value.is_string()) return value.get<std::string>();
  std::string first;
  if (value.is_array()) {
    for (const Json& named : value) {
      if (first.empty() || string_of(named, "name") == "default") first = string_of(named, "template");
    }
  }
  return first;
}

FolderFile::FolderFile(const std::filesystem::path& folder, const char* name, bool is_required) {
  const std::filesystem::path path = folder / name;
  std::error_code ignored;
  if (!is_required && !std::filesystem::exists(path, ignored)) return;
  file_.emplace(path);
  if (file_->size() > largest) {
    throw InvalidInput(
        fmt::format("The file '{}' has {} bytes; at most {} are read.", path.string(), file_->size(), largest));
  }
}

}  // namespace driftwood::huggingface
