#include "tensor/pack.h"

#include <gmock/gmock.h>

#include <bit>
#include <cstring>
#include <numeric>
#include <random>

#include "base/error.h"
#include "base/half.h"
#include "tensor/coordinate.h"
#include "tensor/storage.h"
#include "tensor/texel.h"

namespace driftwood {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr StorageKind kinds[] = {StorageKind::Buffer, StorageKind::ImageBuffer, StorageKind::Texture2D,
                                 StorageKind::Texture3D, StorageKind::Texture2DArray};

template <typename Number>
std::vector<Number> numbers(std::span<const std::byte> bytes) {
  std::vector<Number> result(bytes.size() / sizeof(Number));
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

TEST(Pack, ChannelsFillSlicesOfFourPaddedWithZeros) {
  const TensorDescriptor tensor = {.shape = {.w = 2, .c = 5}, .layout = *find_layout("bhwc", StorageKind::Buffer)};
  const std::vector<float> values = {1, 2, 3, 4, 5, 11, 12, 13, 14, 15};
  EXPECT_THAT(numbers<float>(pack(tensor, values)[0]),
              ElementsAre(1, 2, 3, 4, 11, 12, 13, 14, 5, 0, 0, 0, 15, 0, 0, 0));
}

TEST(Pack, SlicesAlternateBetweenObjects) {
  const TensorDescriptor tensor = {
      .shape = {.c = 10}, .layout = *find_layout("linear", StorageKind::Buffer), .objects = 2};
  const std::vector<float> values = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto objects = pack(tensor, values);
  EXPECT_THAT(numbers<float>(objects[0]), ElementsAre(0, 1, 2, 3, 8, 9, 0, 0));
  EXPECT_THAT(numbers<float>(objects[1]), ElementsAre(4, 5, 6, 7, 0, 0, 0, 0));
}

// Calls visit(object, place of the component in it) for every element, in logical order.
template <typename Visit>
void for_each_element(const TensorDescriptor& tensor, const Visit& visit) {
  const auto at = coordinates(tensor);
  const auto object = object_index(tensor);
  const auto extents = object_extents(tensor);
  const Shape& shape = tensor.shape;
  for (Position p; p.b < shape.b; ++p.b) {
    for (p.y = 0; p.y < shape.h; ++p.y) {
      for (p.x = 0; p.x < shape.w; ++p.x) {
        for (p.d = 0; p.d < shape.d; ++p.d) {
          for (std::uint32_t c = 0; c < shape.c; ++c) {
            p.s = c / 4;
            const std::size_t texel =
                (at[2].evaluate(p) * extents[1] + at[1].evaluate(p)) * extents[0] + at[0].evaluate(p);
            visit(object.evaluate(p), texel * 4 + c % 4);
          }
        }
      }
    }
  }
}

// Each element must lie where the coordinate expressions say, for every layout and type.
TEST(Pack, AgreesWithTheCoordinateExpressions) {
  std::mt19937 random(3);
  const auto pick = [&](unsigned n) { return 1 + static_cast<std::uint32_t>(random() % n); };
  for (const StorageKind kind : kinds) {
    for (const std::uint32_t objects : {1u, 2u, 4u}) {
      const TensorDescriptor tensor = {.shape = {pick(3), pick(4), pick(5), pick(3), pick(21)},
                                       .data_type = DataType::F32,
                                       .storage = kind,
                                       .layout = default_layout(kind, {}),
                                       .objects = objects};
      SCOPED_TRACE(to_string(tensor));
      std::vector<float> values(tensor.shape.elements());
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i + 1);
      const auto packed = pack(tensor, values);
      std::size_t index = 0;
      for_each_element(tensor, [&](std::size_t object, std::size_t place) {
        ASSERT_EQ(numbers<float>(packed[object])[place], values[index++]);
      });
    }
  }
}

// Halves are converted many at a time: every bit pattern, rows longer than such a part, all counts of channels.
TEST(Pack, HalvesLieWhereTheyShouldAndNoneDisturbsAnother) {
  for (const StorageKind kind : kinds) {
    for (const NamedLayout& named : layout_table()) {
      if (coordinate_count(kind) != named.coordinates) continue;
      for (const std::uint32_t objects : {1u, 3u}) {
        for (const Shape& shape : {Shape{.h = 3, .w = 700, .c = 3}, Shape{.b = 2, .h = 31, .w = 37, .c = 4},
                                   Shape{.w = 411, .d = 5, .c = 1}, Shape{.b = 2, .h = 5, .w = 29, .c = 10},
                                   Shape{.h = 2, .w = 3, .d = 2, .c = 1031}, Shape{.w = 1023, .c = 2}}) {
          const TensorDescriptor tensor = {
              .shape = shape, .data_type = DataType::F16, .storage = kind, .layout = named.layout, .objects = objects};
          try {
            validate(tensor);
          } catch (const InvalidInput&) {
            continue;  // axes that this layout does not have
          }
          SCOPED_TRACE(to_string(tensor));
          std::vector<float> values(shape.elements());
          for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = half_to_float(static_cast<std::uint16_t>(i * 24593));
          const auto packed = pack(tensor, values);
          std::vector<std::vector<std::uint16_t>> expected(objects,
                                                           std::vector<std::uint16_t>(object_bytes(tensor) / 2, 0));
          std::size_t index = 0;
          for_each_element(tensor, [&](std::size_t object, std::size_t place) {
            expected[object][place] = float_to_half(values[index++]);
          });
          for (std::size_t i = 0; i < objects; ++i) EXPECT_EQ(numbers<std::uint16_t>(packed[i]), expected[i]);
          const std::vector<float> back = unpack<float>(tensor, packed);
          for (std::size_t i = 0; i < values.size(); ++i) {
            const float rounded = half_to_float(float_to_half(values[i]));
            ASSERT_EQ(std::bit_cast<std::uint32_t>(back[i]), std::bit_cast<std::uint32_t>(rounded)) << i;
          }
        }
      }
    }
  }
}

TEST(Pack, RoundTripsForEveryLayoutTypeAndNumberOfObjects) {
  std::mt19937 random(5);
  const auto pick = [&](unsigned n) { return 1 + static_cast<std::uint32_t>(random() % n); };
  for (const NamedLayout& named : layout_table()) {
    for (const StorageKind kind : kinds) {
      if (coordinate_count(kind) != named.coordinates) continue;
      for (const DataType type :
           {DataType::F32, DataType::F16, DataType::I8, DataType::U8, DataType::I32, DataType::U32}) {
        TensorDescriptor tensor = {.shape = {pick(3), pick(4), pick(5), pick(3), pick(19)},
                                   .data_type = type,
                                   .storage = kind,
                                   .layout = named.layout,
                                   .objects = pick(4)};
        // Keep to the axes that the layout has.
        const auto has = [&](Axis axis) {
          for (const AxisList& list : named.layout.dimensions) {
            if (std::find(list.begin(), list.end(), axis) != list.end()) return true;
          }
          return false;
        };
        Shape& shape = tensor.shape;
        if (!has(Axis::B)) shape.b = 1;
        if (!has(Axis::H)) shape.h = 1;
        if (!has(Axis::W)) shape.w = 1;
        if (!has(Axis::D)) shape.d = 1;
        if (!has(Axis::S)) shape.c = pick(4);
        SCOPED_TRACE(to_string(tensor));
        const bool is_signed = type != DataType::U8 && type != DataType::U32;
        std::vector<float> values(shape.elements());
        for (float& v : values) v = static_cast<float>(random() % 120) - (is_signed ? 60.0f : 0.0f);
        const auto packed = pack(tensor, values);
        EXPECT_EQ(packed.size(), tensor.objects);
        EXPECT_EQ(packed[0].size(), object_bytes(tensor));
        EXPECT_EQ(unpack<float>(tensor, packed), values);
      }
    }
  }
}

TEST(Pack, FullRangeIntegersAreExact) {
  TensorDescriptor tensor = {
      .shape = {.c = 3}, .data_type = DataType::I32, .layout = *find_layout("linear", StorageKind::Buffer)};
  const std::vector<std::int32_t> integers = {INT32_MIN, INT32_MAX, -1};
  EXPECT_EQ(unpack<std::int32_t>(tensor, pack(tensor, integers)), integers);
  tensor.data_type = DataType::U32;
  const std::vector<std::uint32_t> naturals = {UINT32_MAX, 0, 0x80000001};
  EXPECT_EQ(unpack<std::uint32_t>(tensor, pack(tensor, naturals)), naturals);
}

TEST(Pack, HalvesRoundToNearestEven) {
  const TensorDescriptor tensor = {
      .shape = {.c = 4}, .data_type = DataType::F16, .layout = *find_layout("linear", StorageKind::Buffer)};
  const std::vector<float> values = {1.0f, 2049.0f, 2051.0f, 1e-7f};
  EXPECT_THAT(unpack<float>(tensor, pack(tensor, values)), ElementsAre(1, 2048, 2052, half_to_float(2)));
}

TEST(Pack, TilesAreInTheirOrder) {
  for (const DataType type : {DataType::F32, DataType::F16}) {
    const TensorDescriptor tiled{
        .shape = {.b = 2, .h = 3, .w = 5, .c = 128}, .data_type = type, .layout = tiled_layout(16)};
    std::vector<float> values(tiled.shape.elements());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 2000);
    const auto objects = pack(tiled, values);
    const auto place = coordinates(tiled)[0];
    for (std::uint32_t i = 0; i < 2 * 3 * 5 * 32; ++i) {
      const std::uint64_t texel = place.evaluate({.b = i / 480, .y = i / 160 % 3, .x = i / 32 % 5, .s = i % 32});
      EXPECT_EQ(read_component(type, &objects[0][texel * texel_bytes(type)]), values[std::size_t{4} * i]);
    }
    EXPECT_EQ(unpack<float>(tiled, objects), values);
  }
}

TEST(Pack, APartIsTakenFromItsWhole) {
  for (const char* name : {"bhwdc", "dhwbcc4"}) {
    const TensorDescriptor whole{.shape = {.b = 2, .w = 3, .c = 20}, .layout = *find_layout(name, StorageKind::Buffer)};
    std::vector<float> values(whole.shape.elements());
    std::iota(values.begin(), values.end(), 1.0F);
    TensorDescriptor part = whole;
    part.shape.c = 6;
    part.part = {.first_slice = 2, .of_slices = 5};
    const std::vector<float> taken = unpack<float>(part, pack(whole, values));
    for (std::size_t i = 0; i < taken.size(); ++i) EXPECT_EQ(taken[i], values[i / 6 * 20 + 8 + i % 6]);
  }
}

TEST(Pack, WrongCountsAndValuesAreRefused) {
  const TensorDescriptor tensor = {
      .shape = {.c = 3}, .data_type = DataType::I8, .layout = *find_layout("linear", StorageKind::Buffer)};
  const auto error_of = [&](const std::vector<float>& values) -> std::string {
    try {
      pack(tensor, values);
    } catch (const InvalidInput& error) {
      return error.message();
    }
    return "no error";
  };
  EXPECT_THAT(error_of({1, 2}), HasSubstr("takes 3 values, but there are 2"));
  EXPECT_THAT(error_of({1, 2, 128}), HasSubstr("Value 2 of the tensor i8 (1, 1, 1, 3) in buffer, x: S is 128"));
  EXPECT_THAT(error_of({NAN, 2, 3}), HasSubstr("outside the range of i8"));
  EXPECT_EQ(error_of({-128, 127, 0}), "no error");
  EXPECT_THROW(unpack<float>(tensor, std::vector<std::vector<std::byte>>{}), InvalidInput);
  EXPECT_THROW(unpack<float>(tensor, std::vector<std::vector<std::byte>>(1)), InvalidInput);
  std::vector<float> few(tensor.shape.elements() - 1);
  EXPECT_THROW(unpack(tensor, pack(tensor, std::vector<float>(few.size() + 1)), few), InvalidInput);
}

}  // namespace
}  // namespace driftwood
