// Gemma (arXiv 2403.08295), and what its successors share: embeddings scaled by the root of the hidden size, a gated
// GELU, a head that is the embedding table, and norms that multiply by 1 + gamma.
#include <cmath>

#include "models/families/family.h"

namespace driftwood::models {

// GGUF files hold 1 + gamma.
void read_gemma(LanguageConfig& config) {
  config.embedding_scale = static_cast<float>(std::sqrt(static_cast<double>(config.hidden)));
  config.activation = graph::ElementOp::GeluTanh;
}

void read_gemma(const HfConfig& hf, LanguageConfig& config) {
  // The first files say "gelu", and the published code takes the approximation all the same.
  require_activation(hf, {"gelu_pytorch_tanh", "gelu"});
  read_gemma(config);
  config.norm_offset = 1;
}

namespace {

void read_gguf(const GgufKeys&, LanguageConfig& config) { read_gemma(config); }

void read_hugging_face(const HfConfig& hf, LanguageConfig& config) { read_gemma(hf, config); }

}  // namespace

const Family gemma = {.architectures = {"gemma"},
                      .model_types = {"gemma"},
                      .read_gguf = read_gguf,
                      .read_hugging_face = read_hugging_face};

}  // namespace driftwood::models
