#include "tensor/data_type.h"

#include <gmock/gmock.h>

#include <bit>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"

namespace driftwood {
namespace {

using testing::HasSubstr;

std::vector<std::byte> from_hex(const std::string& text) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(text.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

template <typename Number>
std::vector<std::byte> bytes_of(std::initializer_list<Number> numbers) {
  const auto bytes = std::as_bytes(std::span(numbers.begin(), numbers.size()));
  return {bytes.begin(), bytes.end()};
}

std::string decode_error(DataType type, std::size_t bytes, std::size_t values) {
  const std::vector<std::byte> row(bytes);
  std::vector<float> decoded(values);
  try {
    decode_row(type, row, decoded);
  } catch (const InvalidInput& error) {
    return error.message();
  }
  return "no error";
}

TEST(DataType, TableGivesTheSizesOfGgml) {
  struct Expected {
    DataType type;
    const char* name;
    unsigned length, bytes;
  };
  for (const Expected& expected : std::initializer_list<Expected>{
           {DataType::F32, "f32", 1, 4},
           {DataType::F16, "f16", 1, 2},
           {DataType::BF16, "bf16", 1, 2},
           {DataType::I64, "i64", 1, 8},
           {DataType::Bool, "bool", 1, 1},
           {DataType::Q4_0, "q4_0", 32, 18},
           {DataType::Q4_1, "q4_1", 32, 20},
           {DataType::Q5_0, "q5_0", 32, 22},
           {DataType::Q5_1, "q5_1", 32, 24},
           {DataType::Q8_0, "q8_0", 32, 34},
           {DataType::Q2_K, "q2_k", 256, 84},
           {DataType::Q3_K, "q3_k", 256, 110},
           {DataType::Q4_K, "q4_k", 256, 144},
           {DataType::Q5_K, "q5_k", 256, 176},
           {DataType::Q6_K, "q6_k", 256, 210},
           {DataType::Q8_K, "q8_k", 256, 292},
           {DataType::IQ4_NL, "iq4_nl", 32, 18},
           {DataType::MXFP4, "mxfp4", 32, 17},
       }) {
    SCOPED_TRACE(expected.name);
    EXPECT_EQ(info(expected.type).name, expected.name);
    EXPECT_EQ(info(expected.type).block_length, expected.length);
    EXPECT_EQ(info(expected.type).block_bytes, expected.bytes);
  }
}

TEST(DataType, NamesAreFoundInAnyCase) {
  for (const DataTypeInfo& facts : all_data_types()) {
    EXPECT_EQ(data_type_from_name(facts.name), facts.type);
    EXPECT_EQ(to_string(facts.type), facts.name);
  }
  EXPECT_EQ(data_type_from_name("Q4_K"), DataType::Q4_K);
  EXPECT_EQ(data_type_from_name("BF16"), DataType::BF16);
  EXPECT_EQ(data_type_from_name("q4_2"), std::nullopt);
  EXPECT_EQ(data_type_from_name(""), std::nullopt);
}

TEST(DataType, PlainNumbersDecode) {
  std::vector<float> values(3);
  decode_row(DataType::F32, bytes_of<float>({1.5f, -0.25f, 3e38f}), values);
  EXPECT_THAT(values, testing::ElementsAre(1.5f, -0.25f, 3e38f));
  decode_row(DataType::F16, bytes_of<std::uint16_t>({0x3C00, 0xC000, 0x0001}), values);
  EXPECT_THAT(values, testing::ElementsAre(1.0f, -2.0f, 5.9604645e-8f));
  decode_row(DataType::BF16, bytes_of<std::uint16_t>({0x3F80, 0xC000, 0x4049}), values);
  EXPECT_THAT(values, testing::ElementsAre(1.0f, -2.0f, 3.140625f));
  decode_row(DataType::F64, bytes_of<double>({1.0, -2.0, 0.1}), values);
  EXPECT_THAT(values, testing::ElementsAre(1.0f, -2.0f, 0.1f));
}

// The oracle files are made by tools/make_block_oracle.py with ggml's own Python package.
class BlockFormat : public testing::TestWithParam<DataTypeInfo> {};

TEST_P(BlockFormat, DecodesAsGgml) {
  const DataTypeInfo facts = GetParam();
  std::ifstream file(std::string(DRIFTWOOD_TEST_DATA "/blocks/") + std::string(facts.name) + ".json");
  ASSERT_TRUE(file) << "no oracle for " << facts.name;
  const auto oracle = nlohmann::json::parse(file);
  const std::vector<std::byte> bytes = from_hex(oracle.at("bytes").get<std::string>());
  const auto expected = oracle.at("bits").get<std::vector<std::uint32_t>>();
  ASSERT_EQ(bytes.size() / facts.block_bytes * facts.block_length, expected.size());

  std::vector<float> values(expected.size());
  decode_row(facts.type, bytes, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(values[i], std::bit_cast<float>(expected[i])) << "value " << i;
  }
}

TEST_P(BlockFormat, RowsMustBeWholeBlocksOfTheRightSize) {
  const DataTypeInfo facts = GetParam();
  EXPECT_THAT(decode_error(facts.type, facts.block_bytes, facts.block_length + 1),
              HasSubstr("no whole number of " + std::string(facts.name) + " blocks"));
  EXPECT_THAT(decode_error(facts.type, facts.block_bytes - 1, facts.block_length), HasSubstr("bytes, but there are"));
  EXPECT_THAT(decode_error(facts.type, facts.block_bytes + 1, facts.block_length), HasSubstr("bytes, but there are"));
  EXPECT_EQ(decode_error(facts.type, 0, 0), "no error");
}

std::vector<DataTypeInfo> block_formats() {
  std::vector<DataTypeInfo> formats;
  for (const DataTypeInfo& facts : all_data_types()) {
    if (facts.block_length > 1 && !facts.has_row_scale()) formats.push_back(facts);
  }
  return formats;
}

INSTANTIATE_TEST_SUITE_P(All, BlockFormat, testing::ValuesIn(block_formats()),
                         [](const auto& test) { return std::string(test.param.name); });

// A row: the scale, then blocks of 32 integers, the last filled up.
std::vector<std::byte> row_of(float scale, std::initializer_list<std::pair<std::size_t, int>> bytes, std::size_t size) {
  std::vector<std::byte> row(size);
  std::memcpy(row.data(), &scale, sizeof scale);
  for (const auto& [at, value] : bytes) row[4 + at] = static_cast<std::byte>(value);
  return row;
}

TEST(RowScale, BytesOfRows) {
  EXPECT_EQ(row_bytes(DataType::I8C, 64), 68u);
  EXPECT_EQ(row_bytes(DataType::I8C, 65), 100u);
  EXPECT_EQ(row_bytes(DataType::I4C, 64), 36u);
  EXPECT_EQ(row_bytes(DataType::I4C, 1), 20u);
  EXPECT_EQ(row_bytes(DataType::Q4_0, 64), 36u);
  EXPECT_EQ(row_bytes(DataType::F16, 3), 6u);
  EXPECT_TRUE(holds_rows_of(DataType::I4C, 33));
  EXPECT_FALSE(holds_rows_of(DataType::Q4_0, 33));
  EXPECT_THROW(row_bytes(DataType::Q4_0, 33), InvalidInput);
}

TEST(RowScale, BytesDecodeInOrder) {
  std::vector<float> values(33);
  decode_row(DataType::I8C, row_of(0.5F, {{0, 127}, {1, -128}, {31, 3}, {32, -1}}, 68), values);
  EXPECT_EQ(values[0], 63.5F);
  EXPECT_EQ(values[1], -64.0F);
  EXPECT_EQ(values[2], 0.0F);
  EXPECT_EQ(values[31], 1.5F);
  EXPECT_EQ(values[32], -0.5F);
}

// Byte j of a block of 16 holds value j below and value j + 16 above, in two's complement.
TEST(RowScale, NibblesDecodeInOrder) {
  std::vector<float> values(49);
  decode_row(DataType::I4C, row_of(-2.0F, {{0, 0x87}, {15, 0xF1}, {16, 0x5C}}, 36), values);
  EXPECT_EQ(values[0], -14.0F);
  EXPECT_EQ(values[16], 16.0F);
  EXPECT_EQ(values[15], -2.0F);
  EXPECT_EQ(values[31], 2.0F);
  EXPECT_EQ(values[32], 8.0F);
  EXPECT_EQ(values[48], -10.0F);
  EXPECT_EQ(values[1], 0.0F);
}

TEST(RowScale, RowsHaveScalesOfTheirOwn) {
  std::vector<std::byte> rows = row_of(1.0F, {{0, 2}}, 36);
  const std::vector<std::byte> second = row_of(3.0F, {{2, 5}}, 36);
  rows.insert(rows.end(), second.begin(), second.end());
  std::vector<float> values(6);
  decode_rows(DataType::I8C, 3, rows, values);
  EXPECT_THAT(values, testing::ElementsAre(2, 0, 0, 0, 0, 15));
  EXPECT_THROW(decode_row(DataType::I8C, rows, values), InvalidInput);
  EXPECT_THROW(decode_rows(DataType::I8C, 0, rows, values), InvalidInput);
  EXPECT_THROW(decode_rows(DataType::I8C, 4, rows, values), InvalidInput);
  EXPECT_THROW(decode_rows(DataType::I8C, 3, std::span(rows).first(71), values), InvalidInput);
  decode_rows(DataType::F32, 3, bytes_of<float>({1, 2, 3, 4, 5, 6}), values);
  EXPECT_EQ(values[5], 6);
}

TEST(DataType, RealNumbersDecodeAndOthersDoNot) {
  for (const DataTypeInfo& facts : all_data_types()) {
    EXPECT_EQ(decode_error(facts.type, facts.row_header + facts.block_bytes, facts.block_length) == "no error",
              facts.is_float)
        << facts.name;
  }
  EXPECT_EQ(decode_error(DataType::I32, 4, 1),
            "A row of type i32 holds no real numbers and cannot be decoded to floats.");
}

}  // namespace
}  // namespace driftwood
