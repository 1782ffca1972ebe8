// The tokenizer in a Hugging Face model folder: tokenizer.json, with tokenizer_config.json and
// chat_template.jinja where they exist. A folder without it may have a tokenizer.model (tokenizer_sentencepiece.h) or
// CLIP's older files (tokenizer_clip.h); a diffusers folder has either in its `tokenizer`.
//
// BPE models are read: byte-level ones (also CLIP's, whose words end with "</w>"), whose patterns are taken from the
// `pre_tokenizer` section, and SentencePiece ones (byte fallback, U+2581). A section that would change the text in a
// way that is not implemented is refused, not passed over.
#pragma once

#include <filesystem>
#include <string_view>

#include "text/tokenizer_data.h"

namespace driftwood {

/// Whether the folder itself has the files of a tokenizer.
bool has_tokenizer(const std::filesystem::path& folder);

/// Throws InvalidInput where the files are missing, wrong or over 64 MiB, Unsupported for what is described above.
TokenizerData load_tokenizer_data(const std::filesystem::path& folder);

/// The same from the texts of the files; all but the first may be empty.
TokenizerData parse_tokenizer_data(std::string_view tokenizer_json, std::string_view tokenizer_config_json,
                                   std::string_view chat_template);

}  // namespace driftwood
