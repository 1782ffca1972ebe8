// The names that Hugging Face files give to the tensors of language models, by GGUF's names for them.
#pragma once

#include <string>
#include <string_view>

#include "models/language_config.h"

namespace driftwood::models {

/// "model.layers.0.self_attn.q_proj.weight" for "blk.0.attn_q.weight"; names that GGUF has not, as they are. `prefix`:
/// what stands before "layers", "model." but in models for images and text.
std::string hugging_face_name(std::string_view gguf_name, const LanguageConfig& config,
                              std::string_view prefix = "model.");

}  // namespace driftwood::models
