// Qwen2 and Qwen2.5 (arXiv 2407.10671): Llama with biases on Q, K and V. The layers from max_window_layers on may have
// a sliding window, which published models do not use.
#include "models/families/family.h"

namespace driftwood::models {
namespace {

void read_gguf(const GgufKeys& keys, LanguageConfig& config) {
  config.qkv_bias = true;
  read_windows(
      keys, 0, [](std::uint32_t) { return true; }, config);
}

void read_hugging_face(const HfConfig& hf, LanguageConfig& config) {
  require_activation(hf, {"silu"});
  config.qkv_bias = true;
  read_windows(
      hf, [&](std::uint32_t layer) { return layer >= hf.max_window_layers; }, config);
}

}  // namespace

const Family qwen2 = {.architectures = {"qwen2"},
                      .model_types = {"qwen2"},
                      .read_gguf = read_gguf,
                      .read_hugging_face = read_hugging_face};

}  // namespace driftwood::models
