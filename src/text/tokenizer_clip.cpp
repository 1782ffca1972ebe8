#include "text/tokenizer_clip.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/error.h"
#include "base/mapped_file.h"
#include "formats/guarded_json.h"
#include "formats/quote.h"
#include "text/huggingface_sections.h"

namespace driftwood {

using huggingface::flag_of;
using huggingface::Json;
using huggingface::member;
using huggingface::string_of;

namespace {

constexpr std::size_t largest_file = std::size_t{64} << 20;  // CLIP's vocab.json has 1 MB
constexpr std::string_view suffix = "</w>";
constexpr const char* pattern =
    R"(<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+)";
constexpr const char* start_of_text = "<|startoftext|>";
constexpr const char* end_of_text = "<|endoftext|>";

Json parse_object(std::string_view text, std::string_view name) {
  Json json = parse_json(text, fmt::format("The file {}", name));
  if (!json.is_object()) throw InvalidInput(fmt::format("The file {} holds no JSON object.", name));
  return json;
}

std::size_t checked_id(const Json& id, std::string_view token, std::string_view file, std::size_t limit) {
  if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= limit) {
    throw InvalidInput(fmt::format("The token {} of {} has the id {}, but with {} tokens ids are 0 to {}.",
                                   quote_name(token), file, quote_name(id.dump()), limit, limit - 1));
  }
  return id.get<std::size_t>();
}

/// As many tokens as ids, each id once, so that no id makes a table larger than its file.
void read_vocabulary(std::string_view text, TokenizerData& data) {
  const Json vocabulary = parse_object(text, "vocab.json");
  data.tokens.resize(vocabulary.size());
  std::vector<bool> is_named(vocabulary.size());
  bool has_suffix = false;
  for (const auto& [token, value] : vocabulary.items()) {
    const std::size_t id = checked_id(value, token, "vocab.json", vocabulary.size());
    if (is_named[id]) {
      throw InvalidInput(fmt::format("The tokens {} and {} of vocab.json have the same id {}.",
                                     quote_name(data.tokens[id]), quote_name(token), id));
    }
    is_named[id] = true;
    data.tokens[id] = token;
    has_suffix = has_suffix || token.ends_with(suffix);
  }
  if (!has_suffix) {
    throw InvalidInput(fmt::format("The vocab.json is not of a CLIP tokenizer: none of its {} tokens ends with '</w>'.",
                                   data.tokens.size()));
  }
  data.types.assign(data.tokens.size(), TokenType::Normal);
}

void read_merges(std::string_view text, TokenizerData& data) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;
    const std::size_t space = line.find(' ');
    if (space == 0 || space >= line.size() - 1 || line.find(' ', space + 1) != std::string_view::npos) {
      throw InvalidInput(fmt::format("Line {} of merges.txt is {}; two tokens with a space between are expected.",
                                     number, quote_name(line)));
    }
    data.merges.emplace_back(line.substr(0, space), line.substr(space + 1));
  }
}

struct AddedToken {
  std::string text;
  bool is_special = false, left = false, right = false;
};

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

/// Tokens beside the vocabulary, or of it, that are found wherever a text spells them: by id.
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

void add_tokens(const std::map<std::size_t, AddedToken>& added, TokenizerData& data) {
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
    if (data.tokens[id] != token.text) {
      throw InvalidInput(fmt::format("The id {} is the token {} in one file and {} in another.", id,
                                     quote_name(data.tokens[id]), quote_name(token.text)));
    }
    data.types[id] = token.is_special ? TokenType::Control : TokenType::UserDefined;
    if (token.left || token.right) data.strips.push_back({static_cast<std::int32_t>(id), token.left, token.right});
  }
}

/// The name of a special token: the map's, else the configuration's; "" where neither has one.
std::string special_name(const Json& map, const Json& config, const char* key) {
  for (const Json* file : {&map, &config}) {
    const Json& value = member(*file, key);
    const std::string text = value.is_object() ? string_of(value, "content") : string_of(*file, key);
    if (!text.empty()) return text;
  }
  return {};
}

std::int32_t special_id(const TokenizerData& data, const std::string& name, std::string_view what) {
  const auto at = std::find(data.tokens.rbegin(), data.tokens.rend(), name);  // they are mostly the last
  if (at == data.tokens.rend()) {
    throw InvalidInput(fmt::format("The vocabulary has no token {}, which is {}.", quote_name(name), what));
  }
  return static_cast<std::int32_t>(data.tokens.rend() - at - 1);
}

void read_special_tokens(const Json& map, const Json& config, TokenizerData& data) {
  const auto name_or = [&](const char* key, const std::string& otherwise) {
    const std::string name = special_name(map, config, key);
    return name.empty() ? otherwise : name;
  };
  const std::string end = name_or("eos_token", end_of_text);
  data.bos = special_id(data, name_or("bos_token", start_of_text), "the start of a text");
  data.eos = special_id(data, end, "the end of a text");
  data.padding = special_id(data, name_or("pad_token", end), "padding");
  data.unknown = special_id(data, name_or("unk_token", end), "what no token covers");
  data.add_bos = data.add_eos = true;
  // Stable Diffusion 2 pads with "!", which also is a byte that merges.
  data.types[static_cast<std::size_t>(*data.padding)] = TokenType::UserDefined;
  for (const auto& id : {data.bos, data.eos, data.unknown}) {
    data.types[static_cast<std::size_t>(*id)] = TokenType::Control;
  }
}

/// A file of the folder; empty where it is not there.
class FolderFile {
 public:
  FolderFile(const std::filesystem::path& folder, const char* name, bool is_required) {
    const std::filesystem::path path = folder / name;
    std::error_code ignored;
    if (!is_required && !std::filesystem::exists(path, ignored)) return;
    file_.emplace(path);
    if (file_->size() > largest_file) {
      throw InvalidInput(
          fmt::format("The file '{}' has {} bytes; at most {} are read.", path.string(), file_->size(), largest_file));
    }
  }
  std::string_view text() const {
    if (!file_) return {};
    return {reinterpret_cast<const char*>(file_->bytes().data()), file_->size()};
  }

 private:
  std::optional<MappedFile> file_;
};

}  // namespace

bool is_clip_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder / "vocab.json", ignored) &&
         std::filesystem::exists(folder / "merges.txt", ignored);
}

TokenizerData parse_clip_tokenizer_data(const ClipTokenizerFiles& files) {
  TokenizerData data;
  data.normalizer = {NormalizerStep::ComposedForm, NormalizerStep::SingleSpaces, NormalizerStep::LowerCase};
  // The library cuts by GPT-2's pattern too. That takes apart only the names of special tokens in another case.
  data.split_patterns = {SplitPattern{pattern, false},
                         SplitPattern{std::string(pre_tokenizer_family("gpt-2").patterns.front())}};
  data.end_of_word_suffix = suffix;
  data.ignore_merges = false;
  const auto optional_object = [](std::string_view text, std::string_view name) {
    return text.empty() ? Json::object() : parse_object(text, name);
  };
  const Json map = optional_object(files.special_tokens_map, "special_tokens_map.json");
  const Json config = optional_object(files.tokenizer_config, "tokenizer_config.json");
  const Json added = optional_object(files.added_tokens, "added_tokens.json");
  read_vocabulary(files.vocab, data);
  read_merges(files.merges, data);
  add_tokens(added_tokens(added, config, data.tokens.size()), data);
  read_special_tokens(map, config, data);
  return data;
}

TokenizerData load_clip_tokenizer_data(const std::filesystem::path& folder) try {
  const FolderFile vocab(folder, "vocab.json", true), merges(folder, "merges.txt", true);
  const FolderFile map(folder, "special_tokens_map.json", false), config(folder, "tokenizer_config.json", false);
  const FolderFile added(folder, "added_tokens.json", false);
  return parse_clip_tokenizer_data({.vocab = vocab.text(),
                                    .merges = merges.text(),
                                    .special_tokens_map = map.text(),
                                    .tokenizer_config = config.text(),
                                    .added_tokens = added.text()});
} catch (Error& error) {
  error.add_context(fmt::format("While reading the tokenizer of '{}'.", folder.string()));
  throw;
}

}  // namespace driftwood
