#include "text/tokenizer_gguf.h"

#include <fmt/format.h>

#include "base/error.h"
#include "formats/quote.h"
#include "text/byte_tokens.h"
#include "text/pre_tokenizer.h"

namespace driftwood {

namespace {

constexpr std::string_view model_key = "tokenizer.ggml.model";
constexpr std::string_view types_key = "tokenizer.ggml.token_type";
constexpr std::string_view merges_key = "tokenizer.ggml.merges";
constexpr std::string_view scores_key = "tokenizer.ggml.scores";
constexpr std::string_view pre_key = "tokenizer.ggml.pre";

TokenizerModel read_model(const GgufMetadata& metadata) {
  const std::string_view name = metadata.get_string(model_key);
  if (name == "gpt2") return TokenizerModel::ByteLevelBpe;
  if (name == "llama") return TokenizerModel::SentencePiece;
  throw Unsupported(
      fmt::format("The key '{}' is {}; supported are 'gpt2' (byte-level BPE) and 'llama' (SentencePiece BPE).",
                  model_key, quote_name(name)));
}

std::vector<TokenType> read_types(const GgufMetadata& metadata, std::size_t tokens) {
  std::vector<TokenType> types;
  const auto numbers = metadata.find_integers(types_key);
  if (!numbers) return types;
  if (numbers->size() != tokens) {
    throw InvalidInput(fmt::format("The key '{}' has {} elements, but 'tokenizer.ggml.tokens' has {}.", types_key,
                                   numbers->size(), tokens));
  }
  types.reserve(tokens);
  for (const std::int64_t number : *numbers) {
    if (number < 0 || number > 6) {
      throw InvalidInput(fmt::format("The key '{}' has the type {} at element {}; 0 to 6 are known.", types_key, number,
                                     types.size()));
    }
    types.push_back(number == 0 ? TokenType::Normal : static_cast<TokenType>(number));
  }
  return types;
}

std::vector<std::pair<std::string, std::string>> read_merges(const GgufMetadata& metadata) {
  std::vector<std::pair<std::string, std::string>> merges;
  const auto lines = metadata.get_strings(merges_key);
  merges.reserve(lines.size());
  for (const std::string_view line : lines) {
    // The first byte may be the space of a token that is a space, so the separator is looked for after it.
    const std::size_t space = line.find(' ', 1);
    if (space == std::string_view::npos || space + 1 == line.size()) {
      throw InvalidInput(fmt::format("The key '{}' has {} at element {}; two tokens with a space between are expected.",
                                     merges_key, quote_name(line), merges.size()));
    }
    merges.emplace_back(line.substr(0, space), line.substr(space + 1));
  }
  return merges;
}

std::optional<std::int32_t> read_id(const GgufMetadata& metadata, std::string_view key, std::size_t tokens) {
  const auto id = metadata.find_i64(key);
  if (!id || *id == -1) return std::nullopt;
  if (*id < 0 || static_cast<std::uint64_t>(*id) >= tokens) {
    throw InvalidInput(fmt::format("The key '{}' is {}, but the vocabulary has {} tokens.", key, *id, tokens));
  }
  return static_cast<std::int32_t>(*id);
}

/// SentencePiece files may leave these ids out; its trainer numbers them so.
std::optional<std::int32_t> or_default(std::optional<std::int32_t> id, std::int32_t value, const TokenizerData& data) {
  const bool applies =
      data.model == TokenizerModel::SentencePiece && static_cast<std::size_t>(value) < data.tokens.size();
  return id || !applies ? id : std::optional(value);
}

}  // namespace

TokenizerData load_tokenizer_data(const GgufMetadata& metadata) {
  TokenizerData data;
  data.model = read_model(metadata);
  const auto tokens = metadata.get_strings("tokenizer.ggml.tokens");
  data.tokens.assign(tokens.begin(), tokens.end());
  data.types = read_types(metadata, tokens.size());

  bool adds_bos = false;
  if (data.model == TokenizerModel::ByteLevelBpe) {
    data.pre_tokenizer = metadata.find_string(pre_key).value_or("default");
    try {
      const PreTokenizerFamily& family = pre_tokenizer_family(data.pre_tokenizer);
      adds_bos = family.add_bos;
      if (family.composes) data.normalizer = {NormalizerStep::ComposedForm};
    } catch (Error& error) {
      error.add_context(fmt::format("While reading the key '{}'.", pre_key));
      throw;
    }
    data.merges = read_merges(metadata);
  } else {
    adds_bos = true;
    data.scores = metadata.get_floats(scores_key);
    if (data.scores.size() != tokens.size()) {
      throw InvalidInput(fmt::format("The key '{}' has {} elements, but 'tokenizer.ggml.tokens' has {}.", scores_key,
                                     data.scores.size(), tokens.size()));
    }
    mark_byte_tokens(data);
    data.space_prefix = metadata.find_bool("tokenizer.ggml.add_space_prefix").value_or(true) ? SpacePrefix::EachFragment
                                                                                             : SpacePrefix::None;
  }

  data.bos = or_default(read_id(metadata, "tokenizer.ggml.bos_token_id", tokens.size()), 1, data);
  data.eos = or_default(read_id(metadata, "tokenizer.ggml.eos_token_id", tokens.size()), 2, data);
  data.unknown = or_default(read_id(metadata, "tokenizer.ggml.unknown_token_id", tokens.size()), 0, data);
  data.eot = read_id(metadata, "tokenizer.ggml.eot_token_id", tokens.size());
  data.padding = read_id(metadata, "tokenizer.ggml.padding_token_id", tokens.size());
  data.add_bos = metadata.find_bool("tokenizer.ggml.add_bos_token").value_or(adds_bos && data.bos.has_value());
  data.add_eos = metadata.find_bool("tokenizer.ggml.add_eos_token").value_or(false);
  data.chat_template = metadata.find_string("tokenizer.chat_template").value_or("");
  return data;
}

}  // namespace driftwood
