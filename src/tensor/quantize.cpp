#include "tensor/quantize.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "base/half.h"
#include "tensor/block_encode.h"
#include "tensor/scale_search.h"

namespace driftwood {
namespace {

void encode_f32(const float* value, std::byte* out) { std::memcpy(out, value, sizeof *value); }

void encode_f16(const float* value, std::byte* out) {
  const std::uint16_t half = float_to_half(*value);
  if (!std::isfinite(half_to_float(half))) {
    throw InvalidInput(fmt::format("A value of {:g} is past 65504, the largest half.", *value));
  }
  std::memcpy(out, &half, sizeof half);
}

void encode_bf16(const float* value, std::byte* out) {
  const std::uint16_t bits = float_to_bfloat16(*value);
  if (!std::isfinite(bfloat16_to_float(bits))) {
    throw InvalidInput(fmt::format("A value of {:g} rounds past the largest bfloat16.", *value));
  }
  std::memcpy(out, &bits, sizeof bits);
}

struct Encoder {
  DataType type;
  BlockEncoder encode;
};
constexpr std::array<Encoder, 13> encoders = {{
    {DataType::F32, encode_f32},
    {DataType::F16, encode_f16},
    {DataType::BF16, encode_bf16},
    {DataType::Q4_0, encode_block_q4_0},
    {DataType::Q4_1, encode_block_q4_1},
    {DataType::Q5_0, encode_block_q5_0},
    {DataType::Q5_1, encode_block_q5_1},
    {DataType::Q8_0, encode_block_q8_0},
    {DataType::IQ4_NL, encode_block_iq4_nl},
    {DataType::MXFP4, encode_block_mxfp4},
    {DataType::Q4_K, encode_block_q4_k},
    {DataType::Q5_K, encode_block_q5_k},
    {DataType::Q6_K, encode_block_q6_k},
}};
constexpr auto types = [] {
  std::array<DataType, encoders.size() + 2> result = {};
  std::ranges::transform(encoders, result.begin(), &Encoder::type);
  result[encoders.size()] = DataType::I8C;
  result[encoders.size() + 1] = DataType::I4C;
  return result;
}();

// Symmetric, -127 to 127: the largest value is met exactly, and no product of two exceeds 127 * 127.
void encode_i8c(std::span<const float> values, std::byte* out) {
  float largest = 0;
  for (const float value : values) largest = std::max(largest, std::abs(value));
  const float scale = largest / 127;
  std::memcpy(out, &scale, sizeof scale);
  for (std::size_t i = 0; i < values.size(); ++i) {
    out[4 + i] = static_cast<std::byte>(quantized(values[i], scale, -127, 127));
  }
}

// -8 to 7: all sixteen nibbles, with the row's longer tail at -8. A row has outliers that a block has not, so that
// cutting them off pays more.
void encode_i4c(std::span<const float> values, std::byte* out) {
  constexpr float finest_of_row = 0.2F;
  const float scale = best_scale(values, -8, 7, finest_of_row, unrounded);
  std::memcpy(out, &scale, sizeof scale);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto nibble = static_cast<std::uint32_t>(quantized(values[i], scale, -8, 7)) & 15;
    out[4 + i / 32 * 16 + i % 16] |= static_cast<std::byte>(nibble << (i % 32 / 16 * 4));
  }
}

}  // namespace

std::span<const DataType> encodable_types() { return types; }

bool can_encode(DataType type) { return std::ranges::find(types, type) != types.end(); }

void encode_row(DataType type, std::span<const float> values, std::span<std::byte> out) {
  if (!can_encode(type)) throw Unsupported(fmt::format("Floats cannot be made values of type {}.", to_string(type)));
  if (out.size() != row_bytes(type, values.size())) {
    throw InvalidInput(fmt::format("A row of {} values of type {} takes {} bytes, but there is room for {}.",
                                   values.size(), to_string(type), row_bytes(type, values.size()), out.size()));
  }
  const auto bad = std::ranges::find_if_not(values, [](float value) { return std::isfinite(value); });
  if (bad != values.end()) {
    throw InvalidInput(
        fmt::format("Value {} of a row is {}, which no quantized type can hold.", bad - values.begin(), *bad));
  }
  if (info(type).has_row_scale()) {
    std::ranges::fill(out, std::byte{});
    return type == DataType::I8C ? encode_i8c(values, out.data()) : encode_i4c(values, out.data());
  }
  const BlockEncoder encode = std::ranges::find(encoders, type, &Encoder::type)->encode;
  const DataTypeInfo& facts = info(type);
  const std::size_t blocks = values.size() / facts.block_length;
  for (std::size_t i = 0; i < blocks; ++i) {
    encode(values.data() + i * facts.block_length, out.data() + i * facts.block_bytes);
  }
}

}  // namespace driftwood
