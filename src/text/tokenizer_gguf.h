// The tokenizer in a GGUF file's metadata (keys `tokenizer.ggml.*` and `tokenizer.chat_template`).
#pragma once

#include "formats/gguf_metadata.h"
#include "text/tokenizer_data.h"

namespace driftwood {

/// Reads and checks the keys. Throws InvalidInput, naming the key, where one is missing or wrong (the
/// pre-tokenizer among them), and Unsupported for models other than "gpt2" and "llama".
TokenizerData load_tokenizer_data(const GgufMetadata& metadata);

}  // namespace driftwood
