// safetensors files: named tensors after a JSON header, memory-mapped.
//
// The format: https://github.com/huggingface/safetensors#format. Everything the header says is checked when the
// file is opened: types, extents, lengths and offsets, which must cover the data exactly once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/mapped_file.h"
#include "formats/stored_tensor.h"

namespace driftwood {

class SafetensorsFile {
 public:
  /// Opens a .safetensors file, a 'model.safetensors.index.json' with its shards, or a folder that holds either
  /// (the index comes first, then 'model.safetensors').
  /// Throws InvalidInput (the file or a shard is wrong) or Unsupported (an element type).
  static SafetensorsFile open(const std::filesystem::path& path);

  /// Reads a file that is already in memory and must outlive the result.
  static SafetensorsFile parse(std::span<const std::byte> bytes);

  const TensorTable& tensors() const { return tensors_; }
  /// The free-form strings of '__metadata__' (of the first shard).
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  /// The mapped file, or one for each shard; none after parse().
  const std::vector<MappedFile>& files() const { return files_; }

  /// Lets the system drop the pages of this tensor, once uploaded. The tensor stays readable.
  void release(const StoredTensor& tensor) const;

 private:
  static SafetensorsFile open_whole(const std::filesystem::path& path);
  static SafetensorsFile open_shards(const std::filesystem::path& index);

  std::vector<MappedFile> files_;
  std::map<std::string, std::string> metadata_;
  TensorTable tensors_;
};

/// A tensor to be written. `shape` has the slowest-varying extent first, as in the file.
struct SafetensorsOutput {
  std::string name;
  DataType type = DataType::F32;
  std::vector<std::uint64_t> shape;
  std::span<const std::byte> bytes;
};

/// Writes the tensors, in this order, to a new file at `path`, which replaces an old one only once it is whole.
/// Throws InvalidInput where a tensor's size does not match, names repeat, or the file cannot be written.
void write_safetensors(const std::filesystem::path& path, std::span<const SafetensorsOutput> tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace driftwood
