// GGUF model files, versions 2 and 3, whole or split: metadata and tensors, memory-mapped.
//
//   const GgufFile file = GgufFile::open("model.gguf");
//   const auto layers = file.metadata().get_u32("llama.block_count");
//   const StoredTensor& query = file.tensors().get("blk.0.attn_q.weight", {576, 576});
//
// Opening reads the header alone and checks all of it: counts, lengths, types, names, extents and offsets. What the
// file says about itself is never trusted before it is compared with the bytes that are there.
// The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "base/mapped_file.h"
#include "formats/gguf_metadata.h"
#include "formats/stored_tensor.h"

namespace driftwood {

class GgufFile {
 public:
  /// Opens a file, or the first of several named PREFIX-00001-of-0000N.gguf together with the others.
  /// Throws InvalidInput (the file or one of its shards is wrong) or Unsupported (a version or tensor type).
  static GgufFile open(const std::filesystem::path& path);

  /// Reads a file that is already in memory and must outlive the result. No shards.
  static GgufFile parse(std::span<const std::byte> bytes);

  std::uint32_t version() const { return version_; }
  /// Of a split file: that of the first shard.
  const GgufMetadata& metadata() const { return metadata_; }
  const TensorTable& tensors() const { return tensors_; }
  /// The mapped file, or one for each shard; none after parse().
  const std::vector<MappedFile>& files() const { return files_; }

  /// Lets the system drop the pages of this tensor, once uploaded. The tensor stays readable.
  void release(const StoredTensor& tensor) const;

 private:
  std::vector<MappedFile> files_;
  std::uint32_t version_ = 0;
  GgufMetadata metadata_;
  TensorTable tensors_;
};

}  // namespace driftwood
