#include "graph/resource_store.h"

#include <gmock/gmock.h>

#include <array>
#include <cstring>

#include "base/error.h"
#include "gpu/reference/reference_device.h"
#include "tensor/packed_weights.h"
#include "tensor/storage.h"

namespace driftwood::graph {
namespace {

using ::testing::HasSubstr;

// `rows` rows of 32 f32 values, each value its place in the matrix plus `base`.
std::vector<std::byte> matrix(std::uint32_t rows, float base) {
  std::vector<float> values(rows * 32);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = base + static_cast<float>(i);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

struct Fixture {
  std::unique_ptr<gpu::Device> device = gpu::make_reference_device();
  std::map<std::string, std::vector<std::byte>, std::less<>> file = {{"a", matrix(5, 0)}, {"b", matrix(7, 1000)}};
  int fetched = 0;
  ResourceStore store{*device, [this](std::string_view name) -> std::span<const std::byte> {
                        ++fetched;
                        return file.find(name)->second;
                      }};

  std::vector<std::byte> contents(const gpu::Binding& binding) const {
    std::vector<std::byte> bytes(binding.size);
    device->read(*binding.memory, binding.offset, bytes);
    return bytes;
  }
};

const WeightsSource a_and_b{.format = DataType::F32, .columns = 32, .blocks = {{"a", 5}, {"b", 7}}};
const WeightsDescriptor packed{.format = DataType::F32, .rows = 12, .columns = 32, .row_group = 4};

TEST(ResourceStore, MatricesAreJoinedByRowsAcrossGroupBorders) {
  Fixture f;
  const std::vector<std::byte> bytes = f.contents(f.store.weights(a_and_b, packed));
  std::vector<std::byte> expected = f.file["a"];
  expected.insert(expected.end(), f.file["b"].begin(), f.file["b"].end());
  EXPECT_EQ(unpack_rows(packed, bytes), expected);
  EXPECT_EQ(f.store.weights_bytes(), packed_size(packed));
}

TEST(ResourceStore, TheSameMatrixInTheSameFormIsMadeOnce) {
  Fixture f;
  const gpu::Binding first = f.store.weights(a_and_b, packed);
  const int fetched = f.fetched;
  EXPECT_EQ(f.store.weights(a_and_b, packed).memory, first.memory);
  EXPECT_EQ(f.fetched, fetched);
  WeightsDescriptor other = packed;
  other.row_group = 1;
  EXPECT_NE(f.store.weights(a_and_b, other).memory, first.memory);
}

TEST(ResourceStore, AMatrixOfTheWrongSizeIsRefused) {
  Fixture f;
  f.file["b"].resize(100);
  try {
    f.store.weights(a_and_b, packed);
    FAIL() << "no error";
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(error.what(),
                 "The matrix 'b' holds 100 bytes, but 7 rows of 32 f32 values take 896.\n"
                 "While uploading the weights 'a + b'.");
  }
}

TEST(ResourceStore, ABlockCanBeSomeRowsOfATensor) {
  Fixture f;
  const WeightsSource parts{.format = DataType::F32,
                            .columns = 32,
                            .blocks = {{.name = "b", .rows = 3, .first_row = 4},
                                       {.name = "b", .rows = 2, .first_row = 1, .stored_rows = 7},
                                       {.name = "a", .rows = 1, .first_row = 0, .stored_rows = 5}}};
  const WeightsDescriptor descriptor{.format = DataType::F32, .rows = 6, .columns = 32, .row_group = 4};
  const std::vector<std::byte> rows = unpack_rows(descriptor, f.contents(f.store.weights(parts, descriptor)));
  std::vector<float> first(6), expected = {1128, 1160, 1192, 1032, 1064, 0};
  for (std::size_t r = 0; r < 6; ++r) std::memcpy(&first[r], &rows[r * 128], 4);
  EXPECT_EQ(first, expected);
  WeightsSource whole = parts;
  whole.blocks = {{.name = "b", .rows = 6, .first_row = 0, .stored_rows = 7}};
  EXPECT_NE(f.store.weights(whole, descriptor).memory, f.store.weights(parts, descriptor).memory);
  whole.blocks[0].stored_rows = 0;  // all of them: the file has a row more
  try {
    f.store.weights(whole, {.format = DataType::F32, .rows = 6, .columns = 32, .row_group = 2});
    FAIL() << "no error";
  } catch (const InvalidInput& error) {
    EXPECT_THAT(error.what(), HasSubstr("The matrix 'b' holds 896 bytes, but 6 rows of 32 f32 values take 768."));
  }
}

TEST(ResourceStore, AMatrixCanBeSomeColumnsOfATensor) {
  Fixture f;
  const WeightsSource right{
      .format = DataType::F32, .columns = 12, .blocks = {{"b", 7}}, .first_column = 20, .stored_columns = 32};
  const WeightsDescriptor descriptor{.format = DataType::F32, .rows = 7, .columns = 12, .row_group = 2};
  const std::vector<std::byte> rows = unpack_rows(descriptor, f.contents(f.store.weights(right, descriptor)));
  ASSERT_EQ(rows.size(), std::size_t{7} * 12 * 4);
  for (std::size_t r = 0; r < 7; ++r) {
    for (std::size_t c = 0; c < 12; ++c) {
      float value = 0;
      std::memcpy(&value, &rows[(r * 12 + c) * 4], 4);
      EXPECT_EQ(value, 1000 + 32 * static_cast<float>(r) + 20 + static_cast<float>(c));
    }
  }
  EXPECT_EQ(right.key(), "b[:, 20:32]");
  WeightsSource outside = right;
  outside.first_column = 21;
  EXPECT_THROW(f.store.weights(outside, descriptor), InternalError);
}

// Row r of a window of 3 taps over 5 channels, as a file holds it: 100 r + 10 channel + tap.
std::vector<std::byte> window(DataType format) {
  std::vector<std::byte> bytes;
  for (std::uint32_t r = 0; r < 3; ++r) {
    for (std::uint32_t c = 0; c < 5; ++c) {
      for (std::uint32_t tap = 0; tap < 3; ++tap) {
        const std::uint32_t value = 100 * r + 10 * c + tap;
        std::array<std::byte, 4> stored;
        std::memcpy(stored.data(), &value, 4);
        bytes.insert(bytes.end(), stored.begin(), stored.begin() + info(format).block_bytes);
      }
    }
  }
  return bytes;
}

TEST(ResourceStore, TapsOfConvolutionsComeBeforeTheirChannels) {
  for (const DataType format : {DataType::F32, DataType::F16, DataType::BF16}) {
    Fixture f;
    f.file["conv"] = window(format);
    const WeightsSource source{.format = format, .columns = 24, .blocks = {{"conv", 3}}, .taps = 3, .channels = 5};
    const WeightsDescriptor descriptor{.format = format, .rows = 3, .columns = 24, .row_group = 2};
    const std::vector<std::byte> rows = unpack_rows(descriptor, f.contents(f.store.weights(source, descriptor)));
    const std::size_t width = info(format).block_bytes;
    ASSERT_EQ(rows.size(), 72 * width);
    for (std::uint32_t r = 0; r < 3; ++r) {
      for (std::uint32_t tap = 0; tap < 3; ++tap) {
        for (std::uint32_t c = 0; c < 8; ++c) {
          std::uint32_t value = 0;
          std::memcpy(&value, &rows[((r * 3 + tap) * 8 + c) * width], width);
          EXPECT_EQ(value, c < 5 ? 100 * r + 10 * c + tap : 0) << r << " " << tap << " " << c;
        }
      }
    }
  }
}

TEST(ResourceStore, ConvolutionsOfBlockFormatsAreRefused) {
  Fixture f;
  const WeightsSource source{
      .format = DataType::Q8_0, .columns = 288, .blocks = {{"conv", 3}}, .taps = 9, .channels = 32};
  try {
    f.store.weights(source, {.format = DataType::Q8_0, .rows = 3, .columns = 288, .row_group = 2});
    FAIL() << "no error";
  } catch (const Unsupported& error) {
    EXPECT_THAT(error.what(), HasSubstr("The weights 'conv' of a convolution of 9 taps are q8_0 blocks of 32 values; "
                                        "convolutions take f32, f16 and bf16."));
  }
}

TEST(ResourceStore, StatesAreFoundByName) {
  Fixture f;
  Value state{.name = "K", .shape = {.w = 3, .c = 5}, .role = Role::State};
  state.descriptor = TensorDescriptor{.shape = state.shape, .layout = *find_layout("dhwbcc4", StorageKind::Buffer)};
  const gpu::Binding binding = f.store.state(state);
  const std::vector<std::byte> ones(96, std::byte{1});
  f.device->write(*binding.memory, 0, ones);
  EXPECT_EQ(f.contents(f.store.state(state)), ones);
  EXPECT_EQ(f.store.state_bytes(), 96U);
  state.descriptor->data_type = DataType::F16;
  EXPECT_THROW(f.store.state(state), InvalidInput);
}

TEST(ResourceStore, QuantizedStatesAreWords) {
  Fixture f;
  Value state{.name = "K", .shape = {.h = 2, .w = 3, .c = 40}, .data_type = DataType::Q8_0, .role = Role::State};
  state.is_array = true;
  EXPECT_EQ(f.store.state(state).size, 2U * 3 * 2 * 36);  // two blocks a row
  EXPECT_EQ(f.store.state_bytes(), 432U);
  EXPECT_EQ(f.store.state(state).memory, f.store.state(state).memory);
  Value plain{.name = "K", .shape = state.shape, .data_type = DataType::F16, .role = Role::State};
  plain.descriptor = TensorDescriptor{
      .shape = plain.shape, .data_type = DataType::F16, .layout = *find_layout("dhwbcc4", StorageKind::Buffer)};
  try {
    f.store.state(plain);
    FAIL() << "no error";
  } catch (const InvalidInput& error) {
    EXPECT_EQ(error.message(),
              "The state 'K' is stored as q8_0 (1, 2, 3, 40) in words, but another program wants it as " +
                  to_string(*plain.descriptor) + ".");
  }
}

TEST(ResourceStore, ConstantsArePaddedToSlices) {
  Fixture f;
  Value value{.name = "gamma", .shape = {.c = 5}, .role = Role::Constant};
  value.constant = std::make_shared<const std::vector<float>>(std::vector<float>{1, 2, 3, 4, 5});
  value.descriptor = TensorDescriptor{.shape = value.shape, .layout = *find_layout("dhwbcc4", StorageKind::Buffer)};
  const std::vector<std::byte> bytes = f.contents(f.store.constant(value));
  const std::vector<float> expected = {1, 2, 3, 4, 5, 0, 0, 0};
  ASSERT_EQ(bytes.size(), 32U);
  EXPECT_EQ(std::memcmp(bytes.data(), expected.data(), 32), 0);
  EXPECT_EQ(f.store.constant(value).memory, f.store.constant(value).memory);
  EXPECT_EQ(f.store.constant_bytes(), 32U);
}

}  // namespace
}  // namespace driftwood::graph
