// What a tensor is (shape, data type) and how it is stored (storage kind, layout, number of objects). A descriptor is
// plain data: nothing here touches a GPU.
#pragma once

#include <cstdint>

#include "tensor/data_type.h"
#include "tensor/layout.h"
#include "tensor/shape.h"

namespace driftwood {

/// Some slices of a tensor, which another tensor is by itself.
struct TensorPart {
  std::uint32_t first_slice = 0;
  std::uint32_t of_slices = 0;  // that the whole tensor has; 0: the tensor is no part
  bool operator==(const TensorPart&) const = default;
};

struct TensorDescriptor {
  Shape shape = {};
  DataType data_type = DataType::F32;  // of the stored texels: F32, F16, I8, U8, I32 or U32
  StorageKind storage = StorageKind::Buffer;
  Layout layout = {};
  /// Several objects of one kind: slice s is in object s % objects, at slice s / objects there.
  std::uint32_t objects = 1;
  /// Where the tensor is a part of another one, whose objects are the latter's; that is one object without tiles.
  TensorPart part = {};
  bool operator==(const TensorDescriptor&) const = default;
};

/// Packed weights of a fully-connected layer: `rows` x `columns` values in a block format, kept as the format's own
/// bytes. Blocks are read as 32-bit words; word k of block b of row r lies at word index
///   ((r / row_group * blocks + b) * words + k) * row_group + r % row_group
/// so that row_group neighbouring rows (the lanes of a workgroup) read neighbouring words. With a word_run of R > 1, R
/// words of a row that follow one another stay together: word k of a block, from words % R on, lies at
///   ((r / row_group * blocks + b) * words + (k - words % R) / R * R + words % R) * row_group
///     + r % row_group * R + (k - words % R) % R
/// Where rows have a scale, a group has row_group words more behind its blocks. See tensor/packed_weights.h.
struct WeightsDescriptor {
  DataType format = DataType::F32;
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  std::uint32_t row_group = 1;
  std::uint32_t word_run = 1;
  bool operator==(const WeightsDescriptor&) const = default;
};

}  // namespace driftwood
