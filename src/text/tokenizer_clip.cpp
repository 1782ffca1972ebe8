#include "text/tokenizer_clip.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "formats/quote.h"
#include "text/huggingface_tokens.h"

namespace driftwood {

using huggingface::checked_id;
using huggingface::FolderFile;
using huggingface::Json;
using huggingface::parse_object;
using huggingface::special_name;

namespace {

constexpr std::string_view suffix = "</w>";
constexpr const char* pattern =
    R"(<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+)";
constexpr const char* start_of_text = "<|startoftext|>";
constexpr const char* end_of_text = "<|endoftext|>";

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
  const Json map = huggingface::parse_optional_object(files.special_tokens_map, "special_tokens_map.json");
  const Json config = huggingface::parse_optional_object(files.tokenizer_config, "tokenizer_config.json");
  const Json added = huggingface::parse_optional_object(files.added_tokens, "added_tokens.json");
  read_vocabulary(files.vocab, data);
  read_merges(files.merges, data);
  huggingface::add_tokens(huggingface::added_tokens(added, config, data.tokens.size()), data);
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
