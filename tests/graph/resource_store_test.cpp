#include "graph/resource_store.h"

#include <gmock/gmock.h>

#include <cstring>

#include "base/error.h"
#include "gpu/reference/reference_device.h"
#include "tensor/packed_weights.h"

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
