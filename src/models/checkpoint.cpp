#include "models/checkpoint.h"

#include <fmt/format.h>

#include <array>

#include "base/error.h"
#include "models/language_names.h"

namespace driftwood::models {
namespace {

// Models for images and text hold the one for text under a name of its own, which has changed over the years.
constexpr std::array<std::string_view, 3> prefixes = {"model.", "language_model.model.", "model.language_model."};

}  // namespace

Checkpoint Checkpoint::open(const std::filesystem::path& path) try {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    if (std::filesystem::exists(path / "model_index.json", error)) {
      throw InvalidInput(fmt::format("'{}' is a diffusers folder: a model for images, not for text.", path.string()));
    }
    HfConfig hf = read_hf_config(path);
    LanguageConfig config = language_config(hf);  // before the tensors: the clearer error
    Checkpoint checkpoint(path, SafetensorsFile::open(path));
    checkpoint.hf_config_ = std::move(hf);
    checkpoint.config_ = std::move(config);
    for (const std::string_view prefix : prefixes)
      if (checkpoint.tensors().find(fmt::format("{}embed_tokens.weight", prefix)) != nullptr)
        checkpoint.prefix_ = prefix;
    checkpoint.name_ = std::filesystem::weakly_canonical(path, error).filename().string();
    return checkpoint;
  }
  Checkpoint checkpoint(path, GgufFile::open(path));
  const GgufMetadata& metadata = checkpoint.gguf()->metadata();
  checkpoint.config_ = language_config(metadata);
  checkpoint.read_rope_factors();
  checkpoint.name_ = std::string(metadata.find_string("general.name").value_or(checkpoint.config_.architecture));
  return checkpoint;
} catch (Error& error) {
  error.add_context(fmt::format("While opening the model '{}'.", path.string()));
  throw;
}

const TensorTable& Checkpoint::tensors() const {
  return std::visit([](const auto& file) -> const TensorTable& { return file.tensors(); }, file_);
}

std::string Checkpoint::own_name(std::string_view name) const {
  return gguf() != nullptr ? std::string(name) : hugging_face_name(name, config_, prefix_);
}

std::string Checkpoint::layer_prefix() const { return gguf() != nullptr ? "blk." : prefix_ + "layers."; }

/// GGUF has the scalings of Llama 3 and of LongRoPE as divisors of the frequencies.
void Checkpoint::read_rope_factors() {
  const auto read = [&](std::string_view name, std::vector<float>& divisors) {
    if (find(name) != nullptr) divisors = vector(name, config_.rotary / 2);
  };
  read("rope_freqs.weight", config_.rope.divisors);
  read("rope_factors_short.weight", config_.rope.divisors);
  read("rope_factors_long.weight", config_.rope.long_divisors);
  check_rope(config_.rope, config_.rotary);
}

const StoredTensor* Checkpoint::find(std::string_view name) const { return tensors().find(own_name(name)); }

const StoredTensor& Checkpoint::get(std::string_view name, std::initializer_list<std::uint64_t> dims) const {
  return tensors().get(own_name(name), dims);
}

std::vector<float> Checkpoint::vector(std::string_view name, std::uint32_t size) const {
  const StoredTensor& tensor = get(name, {size});
  std::vector<float> values(size);
  decode_row(tensor.type, tensor.bytes, values);
  return values;
}

void Checkpoint::release(const StoredTensor& tensor) const {
  std::visit([&](const auto& file) { file.release(tensor); }, file_);
}

}  // namespace driftwood::models
