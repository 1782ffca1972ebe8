// The element types of tensors: plain numbers and the block formats of GGUF files.
//
// A block format stores `block_length` consecutive values of a row in `block_bytes` bytes, with scales
// inside the block; plain types are blocks of one value. Formats follow ggml's published layouts.
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
};

struct DataTypeInfo {
  DataType type;
  std::string_view name;       // as GGUF and llama-bench write it, in lower case: "q4_0"
  std::uint32_t block_length;  // values a block
  std::uint32_t block_bytes;   // bytes a block
  bool is_float;               // values are real numbers that decode_row can give as float
};

/// The facts of a data type.
const DataTypeInfo& info(DataType type);

/// The name as in DataTypeInfo.
std::string_view to_string(DataType type);

/// The type of that name (case ignored), or nothing.
std::optional<DataType> data_type_from_name(std::string_view name);

/// The data types in the order of the enumeration.
std::span<const DataTypeInfo> all_data_types();

/// Decodes whole blocks to floats. `bytes` holds values.size() / block_length blocks.
/// Throws InvalidInput where the sizes do not match or the type holds no real numbers.
void decode_row(DataType type, std::span<const std::byte> bytes, std::span<float> values);

}  // namespace driftwood
