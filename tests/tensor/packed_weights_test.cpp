#include "tensor/packed_weights.h"

#include <gmock/gmock.h>

#include <cstring>
#include <random>

#include "base/error.h"
#include "support/error_of.h"

namespace driftwood {
namespace {

using test::error_of;

using testing::HasSubstr;

std::vector<std::byte> random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(count);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  return bytes;
}

std::vector<std::byte> pack_all(const WeightsDescriptor& descriptor, std::span<const std::byte> source) {
  std::vector<std::byte> packed(packed_size(descriptor), std::byte{0xAA});
  pack_rows(descriptor, 0, descriptor.rows, source, packed);
  return packed;
}

class PackedWeights : public testing::TestWithParam<PackedFormat> {
 protected:
  // Extents around the edges of units and groups: whole, odd numbers of blocks, and any column count where a type takes
  // it.
  std::vector<std::uint32_t> columns() const {
    const std::uint32_t block = info(GetParam().type).block_length;
    std::vector<std::uint32_t> result = {block, 2 * block, 3 * block, 7 * block};
    if (block == 1 || info(GetParam().type).has_row_scale()) result.insert(result.end(), {31, 32, 33, 64, 66, 97});
    return result;
  }
};

TEST_P(PackedWeights, SourceBytesComeBack) {
  const DataType type = GetParam().type;
  for (const std::uint32_t row_group : {1u, 3u, 4u, 16u}) {
    for (const std::uint32_t rows : {1u, 4u, 7u, 33u}) {
      for (const std::uint32_t width : columns()) {
        const WeightsDescriptor descriptor = {type, rows, width, row_group};
        SCOPED_TRACE(testing::Message() << rows << " x " << width << " by " << row_group);
        const auto source = random_bytes(source_row_bytes(descriptor) * rows, rows + width);
        ASSERT_EQ(unpack_rows(descriptor, pack_all(descriptor, source)), source);
        WeightsDescriptor in_runs = descriptor;
        in_runs.word_run = 4;
        ASSERT_EQ(unpack_rows(in_runs, pack_all(in_runs, source)), source);
      }
    }
  }
}

// Runs of four words stay together behind those that make no whole run: a unit of five words of four rows.
TEST(PackedWeightsInRuns, LieWhereTheDescriptorSays) {
  const WeightsDescriptor descriptor = {DataType::Q4_1, 4, 64, 4, 4};
  const auto source = random_bytes(source_row_bytes(descriptor) * descriptor.rows, 3);
  const auto packed = pack_all(descriptor, source);
  for (std::uint32_t r = 0; r < 4; ++r) {
    for (std::uint32_t unit = 0; unit < 2; ++unit) {
      for (std::uint32_t k = 0; k < 5; ++k) {
        const std::size_t word = unit * 20 + (k == 0 ? r : 4 + 4 * r + k - 1);
        const std::size_t from = r * source_row_bytes(descriptor) + unit * 20 + k * 4;
        EXPECT_EQ(std::memcmp(&packed[word * 4], &source[from], 4), 0)
            << "row " << r << " unit " << unit << " word " << k;
      }
    }
  }
  EXPECT_THROW(packed_size({DataType::Q4_1, 4, 64, 4, 0}), InvalidInput);
}

// Word k of unit u of row r lies where WeightsDescriptor says, and its bytes are those of the format's segments.
TEST_P(PackedWeights, WordsLieWhereTheDescriptorSays) {
  const PackedFormat& format = packed_format(GetParam().type);
  const std::uint32_t width = format.unit_values() * 3;
  const WeightsDescriptor descriptor = {format.type, 6, width, 4};
  const auto source = random_bytes(source_row_bytes(descriptor) * descriptor.rows, 9);
  const auto packed = pack_all(descriptor, source);
  const std::uint32_t units = units_per_row(descriptor);
  ASSERT_EQ(units, 3u);
  for (std::uint32_t r = 0; r < descriptor.rows; ++r) {
    if (format.words_per_row > 0) {  // the scale, behind the units of the group
      const std::size_t word = ((r / 4 + 1) * words_per_row(descriptor) - 1) * 4 + r % 4;
      ASSERT_EQ(std::memcmp(&packed[word * 4], &source[r * source_row_bytes(descriptor)], 4), 0) << "row " << r;
    }
    for (std::uint32_t u = 0; u < units; ++u) {
      std::vector<std::byte> unit;
      for (const PackedSegment& segment : format.segments) {
        const std::byte* const block = source.data() + r * source_row_bytes(descriptor) + format.words_per_row * 4 +
                                       (u * format.blocks_per_unit + segment.block) * format.block_bytes;
        unit.insert(unit.end(), block + segment.offset, block + segment.offset + segment.length);
      }
      ASSERT_EQ(unit.size(), format.words_per_unit * 4);
      for (std::uint32_t k = 0; k < format.words_per_unit; ++k) {
        const std::size_t group = r / 4 * words_per_row(descriptor) * 4;
        const std::size_t word = group + (u * format.words_per_unit + k) * 4 + r % 4;
        ASSERT_EQ(std::memcmp(&packed[word * 4], &unit[k * 4], 4), 0) << "row " << r << " unit " << u << " word " << k;
      }
    }
  }
}

TEST_P(PackedWeights, PiecesMakeTheWhole) {
  const WeightsDescriptor descriptor = {GetParam().type, 21, columns().back(), 4};
  const auto source = random_bytes(source_row_bytes(descriptor) * descriptor.rows, 4);
  const std::span<const std::byte> rows = source;
  std::vector<std::byte> pieces;
  for (std::uint32_t first = 0; first < descriptor.rows; first += 8) {
    const std::uint32_t count = std::min(8u, descriptor.rows - first);
    EXPECT_EQ(pieces.size(), packed_rows_size(descriptor, first));
    std::vector<std::byte> piece(packed_rows_size(descriptor, count));
    const std::uint64_t row_bytes = source_row_bytes(descriptor);
    pack_rows(descriptor, first, count, rows.subspan(first * row_bytes, count * row_bytes), piece);
    pieces.insert(pieces.end(), piece.begin(), piece.end());
  }
  EXPECT_EQ(pieces, pack_all(descriptor, source));
}

// What pads rows and units is zero bytes, and zero bytes decode to zeros.
TEST_P(PackedWeights, PaddingDecodesToZeros) {
  const DataTypeInfo& type = info(GetParam().type);
  const WeightsDescriptor descriptor = {type.type, 5, 3 * type.block_length, 4};
  const WeightsDescriptor whole = {type.type, 8, packed_format(type.type).unit_values() * units_per_row(descriptor), 4};
  const auto source = random_bytes(source_row_bytes(descriptor) * descriptor.rows, 2);
  const auto packed = pack_all(descriptor, source);
  ASSERT_EQ(packed.size(), packed_size(whole));
  const auto padded = unpack_rows(whole, packed);
  const std::uint64_t row_bytes = source_row_bytes(whole);
  for (std::uint32_t r = 0; r < whole.rows; ++r) {
    const std::uint64_t used = r < descriptor.rows ? source_row_bytes(descriptor) : 0;
    for (std::uint64_t i = used; i < row_bytes; ++i) ASSERT_EQ(padded[r * row_bytes + i], std::byte{0});
  }
  std::vector<float> zeros(whole.columns, 1.0f);
  decode_row(type.type, std::span(padded).last(row_bytes), zeros);
  for (const float zero : zeros) ASSERT_EQ(zero, 0.0f);
}

TEST_P(PackedWeights, DecodesAsBefore) {
  const DataTypeInfo& type = info(GetParam().type);
  const WeightsDescriptor descriptor = {type.type, 3, 3 * type.block_length, 2};
  const auto source = random_bytes(source_row_bytes(descriptor) * descriptor.rows, 8);
  const auto back = unpack_rows(descriptor, pack_all(descriptor, source));
  std::vector<float> expected(std::size_t{3} * descriptor.columns), values(expected.size());
  decode_rows(type.type, descriptor.columns, source, expected);
  decode_rows(type.type, descriptor.columns, back, values);
  EXPECT_EQ(std::memcmp(values.data(), expected.data(), values.size() * 4), 0);
}

INSTANTIATE_TEST_SUITE_P(All, PackedWeights, testing::ValuesIn(packed_formats().begin(), packed_formats().end()),
                         [](const auto& test) { return std::string(to_string(test.param.type)); });

TEST(PackedWeightsTable, UnitsAreAsKernelsReadThem) {
  struct Case {
    DataType type;
    std::uint32_t values, words;
  };
  for (const Case& c : {Case{DataType::F32, 32, 32},
                        {DataType::F16, 32, 16},
                        {DataType::BF16, 32, 16},
                        {DataType::Q4_0, 64, 9},
                        {DataType::Q4_1, 32, 5},
                        {DataType::Q5_0, 64, 11},
                        {DataType::Q5_1, 32, 6},
                        {DataType::Q8_0, 64, 17},
                        {DataType::Q2_K, 256, 21},
                        {DataType::Q3_K, 512, 55},
                        {DataType::Q4_K, 256, 36},
                        {DataType::Q5_K, 256, 44},
                        {DataType::Q6_K, 512, 105},
                        {DataType::Q8_K, 256, 73},
                        {DataType::IQ4_NL, 64, 9},
                        {DataType::MXFP4, 128, 17},
                        {DataType::I8C, 32, 8},
                        {DataType::I4C, 32, 4}}) {
    SCOPED_TRACE(to_string(c.type));
    EXPECT_EQ(packed_format(c.type).unit_values(), c.values);
    EXPECT_EQ(packed_format(c.type).words_per_unit, c.words);
    EXPECT_EQ(packed_format(c.type).block_values * packed_format(c.type).block_bytes % info(c.type).block_bytes, 0u);
  }
  EXPECT_EQ(units_per_row({DataType::Q8_0, 1, 96, 1}), 2u);
  EXPECT_EQ(units_per_row({DataType::F16, 1, 66, 1}), 3u);
  EXPECT_EQ(units_per_row({DataType::I4C, 1, 33, 1}), 2u);
  EXPECT_EQ(words_per_row({DataType::I4C, 1, 33, 1}), 9u);
  EXPECT_EQ(words_per_row({DataType::I8C, 1, 33, 1}), 17u);
  EXPECT_EQ(words_per_row({DataType::Q4_1, 1, 64, 1}), 10u);
}

TEST(PackedWeightsTable, SizesAndExtentsAreChecked) {
  EXPECT_EQ(packed_size({DataType::Q4_0, 5, 96, 4}), 8u * 2 * 9 * 4);
  const auto size = [](const WeightsDescriptor& d) { return error_of([&] { packed_size(d); }); };
  EXPECT_THAT(size({DataType::I64, 4, 32, 1}), HasSubstr("type i64 cannot be packed"));
  EXPECT_THAT(size({DataType::Q4_0, 4, 33, 1}), HasSubstr("Rows of 33 columns are no whole number of q4_0 blocks"));
  EXPECT_THAT(size({DataType::Q4_0, 0, 32, 1}), HasSubstr("0 rows"));
  EXPECT_THAT(size({DataType::Q4_0, 4, 0, 1}), HasSubstr("0 columns"));
  EXPECT_THAT(size({DataType::Q4_0, 4, 32, 0}), HasSubstr("row groups of 0"));
  EXPECT_THAT(size({DataType::F32, 0xFFFFFFFF, 0xFFFFFFFF, 1}), HasSubstr("exceed 4294967296 words"));
  EXPECT_THAT(size({DataType::F32, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}), HasSubstr("exceed 4294967296 words"));

  const WeightsDescriptor descriptor = {DataType::Q4_1, 10, 32, 4};
  std::vector<std::byte> source(200), out(240);
  const auto pack = [&](std::uint32_t first, std::uint32_t count, std::size_t in, std::size_t room) {
    return error_of(
        [&] { pack_rows(descriptor, first, count, std::span(source).first(in), std::span(out).first(room)); });
  };
  EXPECT_EQ(pack(0, 10, 200, 240), "no error");
  EXPECT_EQ(pack(8, 2, 40, 80), "no error");
  EXPECT_THAT(pack(2, 4, 80, 80), HasSubstr("Rows 2 to 6 of 10 are no whole row groups of 4"));
  EXPECT_THAT(pack(4, 3, 60, 80), HasSubstr("Rows 4 to 7 of 10"));
  EXPECT_THAT(pack(8, 4, 80, 80), HasSubstr("Rows 8 to 12 of 10"));
  EXPECT_THAT(pack(0, 4, 79, 80), HasSubstr("4 rows take 80 bytes and make 80, but there are 79 and room for 80"));
  EXPECT_THAT(pack(0, 4, 80, 81), HasSubstr("room for 81"));
}

}  // namespace
}  // namespace driftwood
