// Tensors as they lie in a file, GGUF or safetensors, and the table that finds them by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "tensor/data_type.h"

namespace driftwood {

struct StoredTensor {
  std::string name;
  DataType type = DataType::F32;
  /// Extents with the fastest-varying first, whatever the file's own order: the weights of a fully-connected
  /// layer are [inputs, outputs]. Rows (dims[0] values) are whole blocks of the type.
  std::vector<std::uint64_t> dims;
  /// The values in the file; as long as the file object lives.
  std::span<const std::byte> bytes;

  /// How many values; 1 for a scalar.
  std::uint64_t size() const;
  /// Extents with the slowest-varying first, as numpy and PyTorch write them.
  std::vector<std::uint64_t> shape() const { return {dims.rbegin(), dims.rend()}; }
};

/// "[576, 49152]".
std::string describe_dims(std::span<const std::uint64_t> dims);

/// How many bytes a tensor of these extents takes (fastest first). Throws InvalidInput, naming `name`, where a row is
/// no whole number of blocks or the size does not fit 63 bits.
std::uint64_t stored_bytes(std::string_view name, DataType type, std::span<const std::uint64_t> dims);

/// Throws InvalidInput where two of these tensors share bytes.
void refuse_overlaps(std::span<const StoredTensor> tensors);

/// Lets the system drop the pages of `tensor`, whichever of these files it lies in.
void release_pages(std::span<const MappedFile> files, const StoredTensor& tensor);

class TensorTable {
 public:
  TensorTable() = default;
  /// Throws InvalidInput where a name is empty or occurs twice.
  explicit TensorTable(std::vector<StoredTensor> tensors);

  /// In the order of the file.
  const std::vector<StoredTensor>& all() const { return tensors_; }

  /// The tensor of that name, or null.
  const StoredTensor* find(std::string_view name) const;
  /// The tensor of that name. Throws InvalidInput where it is missing.
  const StoredTensor& get(std::string_view name) const;
  /// The same, with these extents (fastest first). Throws InvalidInput, giving both, where they differ.
  const StoredTensor& get(std::string_view name, std::initializer_list<std::uint64_t> dims) const;

  /// The bytes of all tensors.
  std::uint64_t total_bytes() const;
  /// The values of all tensors.
  std::uint64_t total_values() const;

 private:
  std::vector<StoredTensor> tensors_;
  std::vector<std::uint32_t> by_name_;  // indices of tensors_, sorted by name
};

}  // namespace driftwood
