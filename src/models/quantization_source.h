// Where `driftwood quantize` takes a model from: a GGUF file, or a Hugging Face folder whose configuration, names and
// tokenizer are put as GGUF has them.
#pragma once

#include "formats/gguf.h"
#include "models/checkpoint.h"
#include "models/quantization.h"

namespace driftwood::models {

/// All tensors as they are, and all metadata but those of types and shards. `file` must outlive the result.
QuantizationSource quantization_source(const GgufFile& file);

/// A folder's tensors under GGUF's names, in GGUF's order of rows (Llama's Q and K) and with GGUF's norms (Gemma's
/// hold 1 + gamma); its configuration as metadata; the scalings of Llama 3 and LongRoPE as tensors. The tokenizer is
/// not among it. `folder` must outlive the result. Throws Unsupported, naming it, for a tensor that has no place there.
QuantizationSource quantization_source(const Checkpoint& folder);

}  // namespace driftwood::models
