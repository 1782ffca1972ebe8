// Mistral 7B and its like: Llama with one sliding window for all layers (arXiv 2310.06825); later versions have none.
// Their GGUF files are of the architecture "llama".
#include "models/families/family.h"

namespace driftwood::models {
namespace {

void read_hugging_face(const HfConfig& hf, LanguageConfig& config) {
  require_activation(hf, {"silu"});
  read_windows(
      hf, [](std::uint32_t) { return true; }, config);
}

}  // namespace

const Family mistral = {
    .architectures = {}, .model_types = {"mistral"}, .read_gguf = nullptr, .read_hugging_face = read_hugging_face};

}  // namespace driftwood::models
