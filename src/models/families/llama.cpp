// Llama 1, 2 and 3.x, SmolLM and all that were trained in the same form: RMS norms before attention and before a gated
// SiLU, rotary positions. In GGUF Mistral too goes by this name.
#include "models/families/family.h"

namespace driftwood::models {
namespace {

void read_gguf(const GgufKeys& keys, LanguageConfig& config) {
  // Converters to GGUF reorder the rows of this architecture's Q and K so that pairs are neighbours.
  config.pairing = graph::RopePairing::Adjacent;
  read_windows(
      keys, 0, [](std::uint32_t) { return true; }, config);
}

void read_hugging_face(const HfConfig& hf, LanguageConfig&) { require_activation(hf, {"silu"}); }

}  // namespace

const Family llama = {.architectures = {"llama"},
                      .model_types = {"llama"},
                      .read_gguf = read_gguf,
                      .read_hugging_face = read_hugging_face};

}  // namespace driftwood::models
