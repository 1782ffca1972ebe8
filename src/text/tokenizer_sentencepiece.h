// SentencePiece's own file, `tokenizer.model` of a Hugging Face folder, with tokenizer_config.json, added_tokens.json,
// special_tokens_map.json and chat_template.jinja where they exist.
//
// Models of the types BPE and unigram are read, with the table of changes to characters that they were trained with
// (NFKC, say), byte fallback, user-defined pieces and the choices about spaces.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include "text/tokenizer_data.h"

namespace driftwood {

struct SentencePieceFiles {
  std::span<const std::byte> model = {};
  std::string_view tokenizer_config = {};
  std::string_view added_tokens = {};
  std::string_view special_tokens_map = {};
  std::string_view chat_template = {};
};

/// Whether the folder has a tokenizer.model.
bool is_sentence_piece_folder(const std::filesystem::path& folder);

/// Reads the files of a folder. Throws InvalidInput where one is missing, over 64 MiB or wrong.
TokenizerData load_sentence_piece_data(const std::filesystem::path& folder);

/// The same from the files' contents; all but the first may be empty. Throws InvalidInput where the model is cut
/// short or says what cannot be, Unsupported for models of words or characters and for spaces at the end of words.
TokenizerData parse_sentence_piece_data(const SentencePieceFiles& files);

}  // namespace driftwood
