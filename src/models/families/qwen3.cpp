// Qwen3 (arXiv 2505.09388): Llama with RMS norms of each head of Q and K before RoPE, and no biases.
#include "models/families/family.h"

namespace driftwood::models {
namespace {

void read_gguf(const GgufKeys& keys, LanguageConfig& config) {
  config.head_norms = true;
  read_windows(
      keys, 0, [](std::uint32_t) { return true; }, config);
}

void read_hugging_face(const HfConfig& hf, LanguageConfig& config) {
  require_activation(hf, {"silu"});
  config.head_norms = true;
  read_windows(
      hf, [&](std::uint32_t layer) { return layer >= hf.max_window_layers; }, config);
}

}  // namespace

const Family qwen3 = {.architectures = {"qwen3"},
                      .model_types = {"qwen3"},
                      .read_gguf = read_gguf,
                      .read_hugging_face = read_hugging_face};

}  // namespace driftwood::models
