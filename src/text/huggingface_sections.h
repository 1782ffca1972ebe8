// The sections `normalizer`, `pre_tokenizer` and `post_processor` of a tokenizer.json, read into TokenizerData.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "text/tokenizer_data.h"

namespace driftwood::huggingface {

using Json = nlohmann::json;

/// json[name], or null where it is missing or `json` is no object.
const Json& member(const Json& json, const char* name);

/// A string member, or "".
std::string string_of(const Json& json, const char* name);

/// A boolean member; `otherwise` where it is missing or no boolean.
bool flag_of(const Json& json, const char* name, bool otherwise);

/// A section as a list: the members of a "Sequence", or the one section, or nothing where it is null.
std::vector<Json> steps_of(const Json& section);

/// Whether the pre_tokenizer or the decoder works on GPT-2's byte alphabet.
bool is_byte_level(const Json& tokenizer);

/// Sets normalizer and split_patterns. Throws Unsupported for a step that cannot be expressed so.
void read_byte_level_steps(const Json& tokenizer, TokenizerData& data);

/// Sets space_prefix. Throws Unsupported likewise.
void read_sentence_piece_steps(const Json& tokenizer, TokenizerData& data);

/// The special tokens that the post_processor puts around a single text.
struct Around {
  std::string before, after;  // "" for none
};
Around read_post_processor(const Json& tokenizer);

}  // namespace driftwood::huggingface
