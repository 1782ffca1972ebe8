#include "text/tokenizer_sentencepiece.h"

#include <fmt/format.h>

#include <limits>

#include "base/error.h"
#include "formats/quote.h"
#include "text/huggingface_tokens.h"
#include "text/sentence_piece_file.h"

namespace driftwood {

using huggingface::flag_of;
using huggingface::FolderFile;
using huggingface::Json;
using huggingface::member;

namespace {

std::optional<std::int32_t> or_none(std::int32_t id) { return id < 0 ? std::nullopt : std::optional(id); }

TokenizerData to_data(SentencePieceFile file) {
  if (file.type != SentencePieceFile::Type::Bpe && file.type != SentencePieceFile::Type::Unigram) {
    throw Unsupported(fmt::format(
        "The SentencePiece model is of the type {} (words or characters); supported are 1 (unigram) and 2 (BPE).",
        static_cast<int>(file.type)));
  }
  if (file.spaces_end_words) {
    throw Unsupported("The SentencePiece model puts spaces at the end of words, which is not supported.");
  }
  if (!file.escape_spaces) {
    throw Unsupported(
        "The SentencePiece model leaves spaces as they are ('escape_whitespaces' is false), which is not "
        "supported.");
  }
  TokenizerData data;
  data.model = file.type == SentencePieceFile::Type::Bpe ? TokenizerModel::SentencePiece : TokenizerModel::Unigram;
  data.tokens = std::move(file.pieces);
  data.types = std::move(file.types);
  data.scores = std::move(file.scores);
  data.character_map = std::move(file.character_map);
  data.remove_extra_spaces = file.remove_extra_spaces;
  data.space_prefix = file.add_dummy_prefix ? SpacePrefix::EachFragment : SpacePrefix::None;
  data.unknown = file.unknown;
  data.bos = or_none(file.bos);
  data.eos = or_none(file.eos);
  data.padding = or_none(file.padding);
  return data;
}

/// The tokens that special_tokens_map.json and tokenizer_config.json list without an id.
void mark_special(const Json& list, TokenizerData& data) {
  if (!list.is_array()) return;
  for (const Json& token : list) {
    const auto id = huggingface::named_id(
        data, token.is_string() ? token.get<std::string>() : huggingface::string_of(token, "content"));
    if (id) data.types[static_cast<std::size_t>(*id)] = TokenType::Control;
  }
}

void read_special_tokens(const Json& map, const Json& config, TokenizerData& data) {
  const auto take = [&](const char* key, std::optional<std::int32_t>& id) {
    const std::string name = huggingface::special_name(map, config, key);
    if (name.empty()) return;
    const auto named = huggingface::named_id(data, name);
    if (!named) {
      throw InvalidInput(fmt::format("The vocabulary has no token {}, which is the '{}'.", quote_name(name), key));
    }
    id = named;
  };
  take("bos_token", data.bos);
  take("eos_token", data.eos);
  take("unk_token", data.unknown);
  take("pad_token", data.padding);
  for (const auto& id : {data.bos, data.eos}) {
    if (id) data.types[static_cast<std::size_t>(*id)] = TokenType::Control;
  }
  data.types[static_cast<std::size_t>(*data.unknown)] = TokenType::Unknown;
  for (const Json* file : {&map, &config}) mark_special(member(*file, "additional_special_tokens"), data);
  // Llama's and Gemma's tokenizers add BOS unless the file says otherwise.
  data.add_bos = flag_of(config, "add_bos_token", true) && data.bos.has_value();
  data.add_eos = flag_of(config, "add_eos_token", false) && data.eos.has_value();
}

}  // namespace

bool is_sentence_piece_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder / "tokenizer.model", ignored);
}

TokenizerData parse_sentence_piece_data(const SentencePieceFiles& files) {
  TokenizerData data = to_data(SentencePieceFile::parse(files.model));
  const Json config = huggingface::parse_optional_object(files.tokenizer_config, "tokenizer_config.json");
  const Json map = huggingface::parse_optional_object(files.special_tokens_map, "special_tokens_map.json");
  const Json added = huggingface::parse_optional_object(files.added_tokens, "added_tokens.json");
  huggingface::add_tokens(huggingface::added_tokens(added, config, data.tokens.size()), data, true);
  data.scores.resize(data.tokens.size(), std::numeric_limits<float>::lowest());  // none of them arises by merging
  read_special_tokens(map, config, data);
  const bool adds_space = flag_of(config, "add_prefix_space", data.space_prefix != SpacePrefix::None);
  // With 'legacy' off, only the start of a text gets a space; otherwise the text after each special token does too.
  if (adds_space && !flag_of(config, "legacy", true)) data.space_prefix = SpacePrefix::TextStart;
  if (!adds_space) data.space_prefix = SpacePrefix::None;
  data.chat_template =
      files.chat_template.empty() ? huggingface::template_of(config) : std::string(files.chat_template);
  return data;
}

TokenizerData load_sentence_piece_data(const std::filesystem::path& folder) try {
  const FolderFile model(folder, "tokenizer.model", true);
  const FolderFile config(folder, "tokenizer_config.json", false), added(folder, "added_tokens.json", false);
  const FolderFile map(folder, "special_tokens_map.json", false), chat(folder, "chat_template.jinja", false);
  return parse_sentence_piece_data({.model = model.bytes(),
                                    .tokenizer_config = config.text(),
                                    .added_tokens = added.text(),
                                    .special_tokens_map = map.text(),
                                    .chat_template = chat.text()});
} catch (Error& error) {
  error.add_context(fmt::format("While reading the tokenizer of '{}'.", folder.string()));
  throw;
}

}  // namespace driftwood
