#include "tensor/data_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/checked.h"
#include "base/error.h"
#include "tensor/block_bytes.h"
#include "tensor/block_decode.h"

namespace driftwood {
namespace {

void decode_f32(const std::byte* block, float* values) { *values = number_at<float>(block); }
void decode_f16(const std::byte* block, float* values) { *values = half_at(block); }
void decode_bf16(const std::byte* block, float* values) {
  *values = bfloat16_to_float(number_at<std::uint16_t>(block));
}
void decode_f64(const std::byte* block, float* values) { *values = static_cast<float>(number_at<double>(block)); }

constexpr std::array<DataTypeInfo, 28> types = {{
    {DataType::F32, "f32", 1, 4, true},         {DataType::F16, "f16", 1, 2, true},
    {DataType::BF16, "bf16", 1, 2, true},       {DataType::F64, "f64", 1, 8, true},
    {DataType::I8, "i8", 1, 1, false},          {DataType::I16, "i16", 1, 2, false},
    {DataType::I32, "i32", 1, 4, false},        {DataType::I64, "i64", 1, 8, false},
    {DataType::U8, "u8", 1, 1, false},          {DataType::U16, "u16", 1, 2, false},
    {DataType::U32, "u32", 1, 4, false},        {DataType::U64, "u64", 1, 8, false},
    {DataType::Bool, "bool", 1, 1, false},      {DataType::Q4_0, "q4_0", 32, 18, true},
    {DataType::Q4_1, "q4_1", 32, 20, true},     {DataType::Q5_0, "q5_0", 32, 22, true},
    {DataType::Q5_1, "q5_1", 32, 24, true},     {DataType::Q8_0, "q8_0", 32, 34, true},
    {DataType::Q2_K, "q2_k", 256, 84, true},    {DataType::Q3_K, "q3_k", 256, 110, true},
    {DataType::Q4_K, "q4_k", 256, 144, true},   {DataType::Q5_K, "q5_k", 256, 176, true},
    {DataType::Q6_K, "q6_k", 256, 210, true},   {DataType::Q8_K, "q8_k", 256, 292, true},
    {DataType::IQ4_NL, "iq4_nl", 32, 18, true}, {DataType::MXFP4, "mxfp4", 32, 17, true},
    {DataType::I8C, "i8c", 32, 32, true, 4},    {DataType::I4C, "i4c", 32, 16, true, 4},
}};

// The decoders in the order of the enumeration; none where the values are no real numbers. Blocks under a scale of
// their row decode to integers.
constexpr std::array<BlockDecoder, types.size()> decoders = {
    decode_f32,
    decode_f16,
    decode_bf16,
    decode_f64,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    decode_block_q4_0,
    decode_block_q4_1,
    decode_block_q5_0,
    decode_block_q5_1,
    decode_block_q8_0,
    decode_block_q2_k,
    decode_block_q3_k,
    decode_block_q4_k,
    decode_block_q5_k,
    decode_block_q6_k,
    decode_block_q8_k,
    decode_block_iq4_nl,
    decode_block_mxfp4,
    decode_block_i8c,
    decode_block_i4c,
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (static_cast<std::size_t>(types[i].type) != i) return false;
  }
  return true;
}
static_assert(in_order());

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

const DataTypeInfo& info(DataType type) { return types.at(static_cast<std::size_t>(type)); }

std::string_view to_string(DataType type) { return info(type).name; }

std::optional<DataType> data_type_from_name(std::string_view name) {
  for (const DataTypeInfo& candidate : types) {
    if (std::ranges::equal(candidate.name, name, {}, {}, lower)) return candidate.type;
  }
  return std::nullopt;
}

std::span<const DataTypeInfo> all_data_types() { return types; }

bool holds_rows_of(DataType type, std::uint64_t columns) {
  return info(type).has_row_scale() || columns % info(type).block_length == 0;
}

std::uint64_t row_bytes(DataType type, std::uint64_t columns) {
  const DataTypeInfo& facts = info(type);
  if (!holds_rows_of(type, columns)) {
    throw InvalidInput(fmt::format("Rows of {} columns are no whole number of {} blocks of {} values.", columns,
                                   facts.name, facts.block_length));
  }
  return facts.row_header + divide_up(columns, facts.block_length) * facts.block_bytes;
}

void decode_row(DataType type, std::span<const std::byte> bytes, std::span<float> values) {
  const DataTypeInfo& facts = info(type);
  const BlockDecoder decode = decoders[static_cast<std::size_t>(type)];
  if (decode == nullptr) {
    throw InvalidInput(
        fmt::format("A row of type {} holds no real numbers and cannot be decoded to floats.", facts.name));
  }
  const std::uint64_t expected = row_bytes(type, values.size());
  if (bytes.size() != expected) {
    throw InvalidInput(fmt::format("A row of {} values of type {} takes {} bytes, but there are {}.", values.size(),
                                   facts.name, expected, bytes.size()));
  }
  const std::byte* block = bytes.data() + facts.row_header;
  const std::size_t whole = values.size() / facts.block_length * facts.block_length;
  for (std::size_t i = 0; i < whole; i += facts.block_length, block += facts.block_bytes) {
    decode(block, values.data() + i);
  }
  if (!facts.has_row_scale()) return;
  if (whole < values.size()) {
    std::array<float, 32> last;
    decode(block, last.data());
    std::copy_n(last.begin(), values.size() - whole, values.begin() + static_cast<std::ptrdiff_t>(whole));
  }
  const auto scale = number_at<float>(bytes.data());
  for (float& value : values) value *= scale;
}

void decode_rows(DataType type, std::uint64_t columns, std::span<const std::byte> bytes, std::span<float> values) {
  if (!info(type).has_row_scale()) return decode_row(type, bytes, values);
  const std::uint64_t stride = row_bytes(type, columns);
  if (columns == 0 || values.size() % columns != 0 || bytes.size() != values.size() / columns * stride) {
    throw InvalidInput(fmt::format("Rows of {} values of type {} take {} bytes each; there are {} values and {} bytes.",
                                   columns, to_string(type), stride, values.size(), bytes.size()));
  }
  for (std::size_t row = 0; row < values.size() / columns; ++row) {
    decode_row(type, bytes.subspan(row * stride, stride), values.subspan(row * columns, columns));
  }
}

}  // namespace driftwood
