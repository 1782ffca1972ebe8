// The tokenizer in a Hugging Face model folder: tokenizer.json, with tokenizer_config.json and
// chat_template.jinja where they exist. A folder of CLIP's older files, and a diffusers folder that has a
// `tokenizer` inside, are read as tokenizer_clip.h says.
//
// BPE models are read: byte-level ones (also CLIP's, whose words end with "</w>"), whose patterns are taken from the
// `pre_tokenizer` section, and SentencePiece ones (byte fallback, U+2581). A section that would change the text in a
// way that is not implemented is refused, not passed over, with one exception: a normalizer NFC alone (Qwen) is taken
// as done, so text in another normal form gets other tokens than from Hugging Face.
#pragma once

#include <filesystem>
#include <string_view>

#include "text/tokenizer_data.h"

namespace driftwood {

/// Throws InvalidInput where tokenizer.json is missing or wrong, Unsupported for what is described above.
TokenizerData load_tokenizer_data(const std::filesystem::path& folder);

/// The same from the texts of the files; all but the first may be empty.
TokenizerData parse_tokenizer_data(std::string_view tokenizer_json, std::string_view tokenizer_config_json,
                                   std::string_view chat_template);

}  // namespace driftwood
