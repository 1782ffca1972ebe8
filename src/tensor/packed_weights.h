// Block-format weights as the device reads them: the format's own bytes, regrouped into 32-bit words. Nothing is
// decoded.
//
// A row is cut into units of one block, or of two where a block is no whole number of words; inside a unit the bytes
// are reordered so that every field starts at a word. Words of row_group neighbouring rows are interleaved, as the
// formula of WeightsDescriptor says. Rows and units that pad the shape are zero bytes, which decode to zeros.
// Where rows have a scale of their own, a word for each row of a group follows the group's units.
//
// A tensor of gigabytes is packed piece by piece, straight into the memory that is uploaded:
//
//   for (first = 0; first < rows; first += n) pack_rows(desc, first, min(n, rows - first), source, staging);
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tensor/descriptor.h"

namespace driftwood {

/// `length` bytes of a unit's source, from byte `offset` of its block number `block`.
struct PackedSegment {
  std::uint16_t block, offset, length;
  bool operator==(const PackedSegment&) const = default;
};

/// How a format's unit is made. Plain types count 32 values as one block.
struct PackedFormat {
  DataType type;
  std::uint32_t block_values;  // values of one source block
  std::uint32_t block_bytes;   // bytes of one source block
  std::uint32_t blocks_per_unit;
  std::uint32_t words_per_unit;
  std::span<const PackedSegment> segments;  // of the source, in the order of the unit's bytes
  std::uint32_t words_per_row = 0;          // besides the units: the row's scale

  constexpr std::uint32_t unit_values() const { return block_values * blocks_per_unit; }
  constexpr std::uint32_t unit_source_bytes() const { return block_bytes * blocks_per_unit; }
};

/// The unit of a format: f32, f16, bf16 and the block formats. Throws Unsupported for other types.
const PackedFormat& packed_format(DataType type);

/// Every packed format.
std::span<const PackedFormat> packed_formats();

/// Words of a row that GPUs read at once (WeightsDescriptor::word_run): four where kernels multiply words of bytes or
/// nibbles as they are, else one.
std::uint32_t gpu_word_run(DataType type);

/// Units of one row, ceil(columns / unit values): what weightsBlocks gives in kernels.
std::uint32_t units_per_row(const WeightsDescriptor& descriptor);

/// Words of one row, its units and its scale.
std::uint64_t words_per_row(const WeightsDescriptor& descriptor);

/// Bytes of one source row: row_bytes() of its columns.
std::uint64_t source_row_bytes(const WeightsDescriptor& descriptor);

/// Bytes of the packed weights, padding included. Throws InvalidInput for extents of 0, a row group of 0, or a size of
/// more than 2^32 words, the reach of 32-bit addresses.
std::uint64_t packed_size(const WeightsDescriptor& descriptor);

/// Bytes of the packed form of `row_count` rows, rounded up to whole row groups.
std::uint64_t packed_rows_size(const WeightsDescriptor& descriptor, std::uint32_t row_count);

/// Packs rows first_row .. first_row + row_count into `out`, the packed bytes of these rows alone, which begin in the
/// whole at packed_rows_size(desc, first_row). `first_row` is a multiple of row_group, and so is row_count except at
/// the end of the tensor. `source_rows` holds the rows' own bytes, one after another; `out` has packed_rows_size bytes.
void pack_rows(const WeightsDescriptor& descriptor, std::uint32_t first_row, std::uint32_t row_count,
               std::span<const std::byte> source_rows, std::span<std::byte> out);

/// The source bytes of all rows from packed ones.
std::vector<std::byte> unpack_rows(const WeightsDescriptor& descriptor, std::span<const std::byte> packed);

}  // namespace driftwood
