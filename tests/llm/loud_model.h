// A model whose logits are not finite in f16.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "formats/safetensors.h"
#include "formats/temporary_folder.h"
#include "models/checkpoint.h"

namespace driftwood::llm {

/// A copy of a tiny model with one norm's factors at 3e6: beyond the halves' range.
inline models::Checkpoint loud_model(const driftwood::testing::TemporaryFolder& folder) {
  const std::filesystem::path from = std::string(DRIFTWOOD_TEST_DATA) + "/llm/llama-gqa-tied";
  std::filesystem::copy_file(from / "config.json", folder.path() / "config.json");
  const SafetensorsFile file = SafetensorsFile::open(from);
  std::vector<SafetensorsOutput> outputs;
  std::vector<float> loud;
  for (const StoredTensor& tensor : file.tensors().all()) {
    outputs.push_back({.name = tensor.name, .type = tensor.type, .shape = tensor.shape(), .bytes = tensor.bytes});
    if (tensor.name != "model.layers.1.post_attention_layernorm.weight") continue;
    loud.assign(tensor.dims[0], 3e6F);
    outputs.back().type = DataType::F32;
    outputs.back().bytes = std::as_bytes(std::span(loud));
  }
  write_safetensors(folder.path() / "model.safetensors", outputs);
  return models::Checkpoint::open(folder.path());
}

}  // namespace driftwood::llm
