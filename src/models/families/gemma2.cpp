// Gemma 2 (arXiv 2408.00118): Gemma with norms also after attention and feed-forward, soft caps on attention scores and
// logits, and a sliding window in every other layer, the first among them.
#include <cmath>

#include "models/families/family.h"

namespace driftwood::models {
namespace {

bool is_windowed(std::uint32_t layer) { return layer % 2 == 0; }

void read_gguf(const GgufKeys& keys, LanguageConfig& config) {
  read_gemma(config);
  config.post_norms = true;
  // What the published models have, for files from before the keys.
  config.attention_softcap = keys.softcap("attn_logit_softcapping").value_or(50.0F);
  config.logit_softcap = keys.softcap("final_logit_softcapping").value_or(30.0F);
  read_windows(keys, 4096, is_windowed, config);
  // No key says that the 27B model, which has 46 layers, scales by the hidden size a head.
  if (config.layers == 46)
    config.attention_scale = 1 / std::sqrt(static_cast<float>(config.hidden) / static_cast<float>(config.heads));
}

void read_hugging_face(const HfConfig& hf, LanguageConfig& config) {
  read_gemma(hf, config);
  config.post_norms = true;
  read_windows(hf, is_windowed, config);
}

}  // namespace

const Family gemma2 = {.architectures = {"gemma2"},
                       .model_types = {"gemma2"},
                       .read_gguf = read_gguf,
                       .read_hugging_face = read_hugging_face};

}  // namespace driftwood::models
