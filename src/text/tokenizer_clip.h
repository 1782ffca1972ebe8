// CLIP's tokenizer in its older files: vocab.json and merges.txt, with special_tokens_map.json,
// tokenizer_config.json and added_tokens.json where they exist: the `tokenizer` of a diffusers folder.
//
// It is byte-level BPE in which the last token of a word ends with "</w>". A text is first brought to Unicode's form
// C and lower case, then cut at white space, between letters and others, and around each numeral. That is how
// Hugging Face's current CLIPTokenizer reads these files; the original, which also undoes HTML entities and mends
// characters with another library, differs on such text. Special tokens are found as spelled, in no other case.
#pragma once

#include <filesystem>
#include <string_view>

#include "text/tokenizer_data.h"

namespace driftwood {

/// The texts of the files; all but the first two may be empty.
struct ClipTokenizerFiles {
  std::string_view vocab = {};
  std::string_view merges = {};
  std::string_view special_tokens_map = {};
  std::string_view tokenizer_config = {};
  std::string_view added_tokens = {};
};

/// Whether the folder has a vocab.json and a merges.txt.
bool is_clip_folder(const std::filesystem::path& folder);

/// Reads the files of a folder. Throws InvalidInput where one is missing, over 64 MiB or wrong.
TokenizerData load_clip_tokenizer_data(const std::filesystem::path& folder);

/// The same from the texts. The tokens of the start and end of a text are in the vocabulary under the names that the
/// files give, "<|startoftext|>" and "<|endoftext|>" where they give none; padding is the end's unless the files name
/// another.
TokenizerData parse_clip_tokenizer_data(const ClipTokenizerFiles& files);

}  // namespace driftwood
