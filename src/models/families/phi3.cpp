// Phi-3, Phi-3.5 and Phi-4 mini (arXiv 2404.14219): Llama with Q, K and V in one tensor and gate and up in another. The
// long-context versions scale their rotary frequencies pair by pair (LongRoPE); some have a sliding window, and Phi-4
// mini turns a part of each head.
#include "models/families/family.h"

namespace driftwood::models {
namespace {

void fuse(LanguageConfig& config) {
  config.fused_qkv = true;
  config.fused_gate_up = true;
}

void read_gguf(const GgufKeys& keys, LanguageConfig& config) {
  fuse(config);
  read_windows(
      keys, 0, [](std::uint32_t) { return true; }, config);
}

void read_hugging_face(const HfConfig& hf, LanguageConfig& config) {
  require_activation(hf, {"silu"});
  fuse(config);
  read_windows(
      hf, [](std::uint32_t) { return true; }, config);
}

}  // namespace

const Family phi3 = {
    .architectures = {"phi3"}, .model_types = {"phi3"}, .read_gguf = read_gguf, .read_hugging_face = read_hugging_face};

}  // namespace driftwood::models
