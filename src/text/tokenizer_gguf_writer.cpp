#include "text/tokenizer_gguf_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "text/pre_tokenizer.h"

namespace driftwood {
namespace {

bool splits_alike(const PreTokenizerFamily& family, const TokenizerData& data) {
  return std::ranges::equal(
             family.patterns, data.split_patterns,
             [](std::string_view a, const SplitPattern& b) { return a == b.expression && b.keeps_rest; }) &&
         family.ignore_merges == data.ignore_merges.value_or(family.ignore_merges);
}

/// Whether readers of a family's files bring texts into Unicode's form C, as the data do, or neither.
bool normalizes_alike(const PreTokenizerFamily& family, const TokenizerData& data) {
  return family.composes ? data.normalizer == std::vector{NormalizerStep::ComposedForm} : data.normalizer.empty();
}

/// The name of the family that cuts and changes text as the data do; empty where none does.
std::string_view family_name(const TokenizerData& data) {
  for (const PreTokenizerFamily& family : pre_tokenizer_families()) {
    const bool is_named = std::ranges::find(family.names, data.pre_tokenizer) != family.names.end();
    const bool cuts = data.split_patterns.empty() ? is_named : splits_alike(family, data);
    if (cuts && normalizes_alike(family, data))
      return data.split_patterns.empty() ? data.pre_tokenizer : family.names.front();
  }
  return {};
}

using Ranks = std::unordered_map<std::string, std::size_t>;

/// The first merge that makes a token, by its text.
Ranks ranks_of_merges(const TokenizerData& data) {
  Ranks ranks;
  for (std::size_t rank = 0; rank < data.merges.size(); ++rank) {
    ranks.emplace(data.merges[rank].first + data.merges[rank].second, rank);
  }
  return ranks;
}

/// Merging by score takes the pair whose result scores best; merging by rank the pair of the lowest rank. A token
/// scores by the first merge that makes it.
std::vector<float> scores_of_merges(const TokenizerData& data, const Ranks& ranks) {
  std::vector<float> scores(data.tokens.size());
  for (std::size_t id = 0; id < scores.size(); ++id) {
    const auto found = ranks.find(data.tokens[id]);
    scores[id] = -static_cast<float>(found != ranks.end() ? found->second : data.merges.size() + id);
  }
  return scores;
}

/// Hugging Face looks for added tokens in the text as it is, where no space is written as U+2581; readers of GGUF look
/// where spaces already are. A token that only merges can give there must be no more than that here.
std::vector<TokenType> types_of_pieces(const TokenizerData& data, const Ranks& ranks) {
  std::vector<TokenType> types = data.types;
  for (std::size_t id = 0; id < types.size(); ++id) {
    const std::string& text = data.tokens[id];
    if (types[id] == TokenType::UserDefined && text.find("\u2581") != std::string::npos) {
      types[id] = ranks.contains(text) ? TokenType::Normal : TokenType::Unused;
    }
  }
  return types;
}

}  // namespace

std::string gguf_tokenizer_obstacle(const TokenizerData& data) {
  if (!data.end_of_word_suffix.empty()) return "GGUF has no words for tokens that end a word.";
  const bool is_byte_level = data.model == TokenizerModel::ByteLevelBpe;
  if (!is_byte_level && !data.normalizer.empty()) return "GGUF has no words for a normalizer.";
  if (!data.character_map.empty()) return "GGUF has no words for SentencePiece's table of characters with merges.";
  if (data.split_at_spaces) return "GGUF has no words for merges that end at spaces.";
  if (data.remove_extra_spaces) return "GGUF has no words for spaces that are left out.";
  if (is_byte_level && family_name(data).empty()) {
    return "No pre-tokenizer that GGUF files name normalizes and cuts text as this tokenizer does.";
  }
  return {};
}

void write_tokenizer(GgufWriter& writer, const TokenizerData& data) {
  if (const std::string obstacle = gguf_tokenizer_obstacle(data); !obstacle.empty()) throw Unsupported(obstacle);
  const bool is_byte_level = data.model == TokenizerModel::ByteLevelBpe;
  writer.add("tokenizer.ggml.model", std::string_view(is_byte_level ? "gpt2" : "llama"));
  writer.add("tokenizer.ggml.pre", is_byte_level ? family_name(data) : std::string_view("default"));
  writer.add_strings("tokenizer.ggml.tokens", data.tokens);
  std::vector<std::int32_t> types(data.tokens.size(), static_cast<std::int32_t>(TokenType::Normal));
  const bool is_ranked = !is_byte_level && data.scores.empty();
  const Ranks ranks = is_ranked ? ranks_of_merges(data) : Ranks();
  std::ranges::transform(is_ranked ? types_of_pieces(data, ranks) : data.types, types.begin(),
                         [](TokenType type) { return static_cast<std::int32_t>(type); });
  writer.add_integers("tokenizer.ggml.token_type", types);
  if (is_byte_level) {
    std::vector<std::string> merges;
    merges.reserve(data.merges.size());
    for (const auto& [left, right] : data.merges) merges.push_back(left + " " + right);
    writer.add_strings("tokenizer.ggml.merges", merges);
  } else {
    writer.add_floats("tokenizer.ggml.scores", is_ranked ? scores_of_merges(data, ranks) : data.scores);
    writer.add("tokenizer.ggml.add_space_prefix", data.space_prefix != SpacePrefix::None);
  }
  const auto add_id = [&](std::string_view name, const std::optional<std::int32_t>& id) {
    if (id) writer.add(fmt::format("tokenizer.ggml.{}_token_id", name), static_cast<std::uint32_t>(*id));
  };
  add_id("bos", data.bos);
  add_id("eos", data.eos);
  add_id("eot", data.eot);
  add_id("unknown", data.unknown);
  add_id("padding", data.padding);
  writer.add("tokenizer.ggml.add_bos_token", data.add_bos);
  writer.add("tokenizer.ggml.add_eos_token", data.add_eos);
  if (!data.chat_template.empty()) writer.add("tokenizer.chat_template", std::string_view(data.chat_template));
}

}  // namespace driftwood
