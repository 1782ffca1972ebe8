// The element types of tensors: plain numbers, the block formats of GGUF files, and integers with one scale a row.
//
// A block format stores `block_length` consecutive values of a row in `block_bytes` bytes, with scales
// inside the block; plain types are blocks of one value. Formats follow ggml's published layouts.
//
// I8C and I4C ("per channel") are Driftwood's own: a row begins with its scale, a float, and goes on with whole blocks
// of 32 integers without scales, the last one filled up with zeroes; value = scale * q. They take any number of
// columns. Bytes of such rows follow from row_bytes() alone, never from counting blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace driftwood {

enum class DataType : std::uint8_t {
  F32,
  F16,
  BF16,
  F64,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  Bool,
  Q4_0,
  Q4_1,
  Q5_0,
  Q5_1,
  Q8_0,
  Q2_K,
  Q3_K,
  Q4_K,
  Q5_K,
  Q6_K,
  Q8_K,
  IQ4_NL,
  MXFP4,
  I8C,  // 8 bits a value, one scale a row
  I4C,  // 4 bits a value, one scale a row
};

struct DataTypeInfo {
  DataType type;
  std::string_view name;         // as GGUF and llama-bench write it, in lower case: "q4_0"
  std::uint32_t block_length;    // values a block
  std::uint32_t block_bytes;     // bytes a block
  bool is_float;                 // values are real numbers that decode_row can give as float
  std::uint32_t row_header = 0;  // bytes before the blocks of a row: the scale of all its values

  bool has_row_scale() const { return row_header != 0; }
};

/// The facts of a data type.
const DataTypeInfo& info(DataType type);

/// The name as in DataTypeInfo.
std::string_view to_string(DataType type);

/// The type of that name (case ignored), or nothing.
std::optional<DataType> data_type_from_name(std::string_view name);

/// The data types in the order of the enumeration.
std::span<const DataTypeInfo> all_data_types();

/// Whether a type can hold rows of that many values: whole blocks, or any number where rows have a scale.
bool holds_rows_of(DataType type, std::uint64_t columns);

/// Bytes of one row of `columns` values; `columns` < 2^60. Throws InvalidInput where they are no whole blocks.
std::uint64_t row_bytes(DataType type, std::uint64_t columns);

/// Decodes one row, or whole blocks of any number of rows where rows have no scale of their own, to floats.
/// Throws InvalidInput where the sizes do not match or the type holds no real numbers.
void decode_row(DataType type, std::span<const std::byte> bytes, std::span<float> values);

/// Decodes rows of `columns` values each, as many as `values` takes, to floats. Throws as decode_row.
void decode_rows(DataType type, std::uint64_t columns, std::span<const std::byte> bytes, std::span<float> values);

}  // namespace driftwood
