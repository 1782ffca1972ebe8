// A tokenizer as GGUF metadata: the inverse of tokenizer_gguf.h, for what that form can say.
#pragma once

#include <string>
#include <vector>

#include "formats/gguf_writer.h"
#include "text/tokenizer_data.h"

namespace driftwood {

/// Why GGUF cannot hold the tokenizer: a sentence; empty where it can.
std::string gguf_tokenizer_obstacle(const TokenizerData& data);

/// Writes `tokenizer.*` keys. Byte-level BPE needs a pre-tokenizer family with the same patterns; SentencePiece without
/// scores gets them from the ranks of its merges. Throws Unsupported with the obstacle where there is one.
void write_tokenizer(GgufWriter& writer, const TokenizerData& data);

}  // namespace driftwood
