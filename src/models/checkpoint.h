// A language model's files, GGUF or a Hugging Face folder, behind one set of tensor names: GGUF's
// ("blk.0.attn_q.weight").
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "formats/gguf.h"
#include "formats/hf_config.h"
#include "formats/safetensors.h"
#include "models/language_config.h"

namespace driftwood::models {

class Checkpoint {
 public:
  /// Opens a GGUF file (the first shard of several) or a folder with config.json and safetensors. Throws InvalidInput
  /// or Unsupported, naming the file and the key or tensor.
  static Checkpoint open(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  const LanguageConfig& config() const { return config_; }
  /// "llama 135M Q4_1"-like words for tables: the model's name and its number of values.
  const std::string& name() const { return name_; }

  const GgufFile* gguf() const { return std::get_if<GgufFile>(&file_); }
  const HfConfig* hf_config() const { return hf_config_ ? &*hf_config_ : nullptr; }
  const TensorTable& tensors() const;

  /// By GGUF name; null where there is none.
  const StoredTensor* find(std::string_view name) const;
  /// By GGUF name, with these extents (fastest first). Throws InvalidInput, giving the file's own name and both shapes.
  const StoredTensor& get(std::string_view name, std::initializer_list<std::uint64_t> dims) const;
  /// A vector decoded to floats.
  std::vector<float> vector(std::string_view name, std::uint32_t size) const;
  /// What the names of the layers' tensors begin with in the file: "blk." or "model.layers.".
  std::string layer_prefix() const;
  /// Lets the system drop a tensor's pages once it is uploaded.
  void release(const StoredTensor& tensor) const;

 private:
  Checkpoint(std::filesystem::path path, std::variant<GgufFile, SafetensorsFile> file)
      : path_(std::move(path)), file_(std::move(file)) {}
  std::string own_name(std::string_view name) const;
  void read_rope_factors();

  std::filesystem::path path_;
  std::variant<GgufFile, SafetensorsFile> file_;
  std::optional<HfConfig> hf_config_;
  LanguageConfig config_;
  std::string name_;
  std::string prefix_ = "model.";  // of a Hugging Face folder's tensors
};

}  // namespace driftwood::models
