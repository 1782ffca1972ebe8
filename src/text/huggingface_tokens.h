// The files beside a vocabulary in Hugging Face's older folders (vocab.json or tokenizer.model): added_tokens.json,
// special_tokens_map.json and tokenizer_config.json.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/mapped_file.h"
#include "text/huggingface_sections.h"

namespace driftwood::huggingface {

/// Throws InvalidInput, naming the file, where the text is no JSON object.
Json parse_object(std::string_view text, std::string_view name);
/// The same; an empty object for an empty text.
Json parse_optional_object(std::string_view text, std::string_view name);

/// An id below `limit`. Throws InvalidInput for all else.
std::size_t checked_id(const Json& id, std::string_view token, std::string_view file, std::size_t limit);

struct AddedToken {
  std::string text;
  bool is_special = false, left = false, right = false;
};

/// Tokens beside the vocabulary, or of it, that are found wherever a text spells them: by id. `added` is
/// added_tokens.json, `config` tokenizer_config.json, either an object.
std::map<std::size_t, AddedToken> added_tokens(const Json& added, const Json& config, std::size_t vocabulary);

/// Puts them into the vocabulary: those past it must go on where it ends, and one of it must have its text there,
/// unless `renames`.
void add_tokens(const std::map<std::size_t, AddedToken>& added, TokenizerData& data, bool renames = false);

/// The name of a special token ("bos_token"): the map's, else the configuration's; "" where neither has one.
std::string special_name(const Json& map, const Json& config, const char* key);

/// The token of that text, "" for none; added tokens are mostly the last.
std::optional<std::int32_t> named_id(const TokenizerData& data, const std::string& text);

/// The chat template in tokenizer_config.json: a text, or of several the one named "default"; "" for none.
std::string template_of(const Json& config);

/// A file of a folder; empty where it is not there and need not be. Throws InvalidInput past `largest` bytes.
class FolderFile {
 public:
  static constexpr std::size_t largest = std::size_t{64} << 20;

  FolderFile(const std::filesystem::path& folder, const char* name, bool is_required);

  std::span<const std::byte> bytes() const { return file_ ? file_->bytes() : std::span<const std::byte>(); }
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes().data()), bytes().size()}; }

 private:
  std::optional<MappedFile> file_;
};

}  // namespace driftwood::huggingface
