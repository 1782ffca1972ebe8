#include "tensor/storage.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "support/error_of.h"
#include "tensor/coordinate.h"

namespace driftwood {
namespace {

using test::error_of;

using testing::ElementsAre;
using testing::HasSubstr;

TensorDescriptor tensor(const Shape& shape, StorageKind kind, std::string_view layout = "bhwdc",
                        DataType type = DataType::F32, std::uint32_t objects = 1) {
  return {.shape = shape, .data_type = type, .storage = kind, .layout = *find_layout(layout, kind), .objects = objects};
}

// The paper's examples for the tensor (B, H, W, C) = (1, 2, 3, 5). It writes extents with the axis that holds H first:
// (2, 3 * 2) is a height of 2 and a width of 6.
TEST(Storage, ExtentsOfThePapersExamples) {
  const Shape shape = {.b = 1, .h = 2, .w = 3, .c = 5};
  EXPECT_THAT(object_extents(tensor(shape, StorageKind::Texture2D, "phwc4")), ElementsAre(3 * 2, 2, 1));
  EXPECT_THAT(object_extents(tensor(shape, StorageKind::Texture3D, "dshwbc4")), ElementsAre(3, 2, 2));
  EXPECT_THAT(object_extents(tensor(shape, StorageKind::Texture2D, "hswbdc4")), ElementsAre(3, 2 * 2, 1));
  EXPECT_THAT(object_extents(tensor(shape, StorageKind::ImageBuffer, "dshwbc4")), ElementsAre(2 * 3 * 2, 1, 1));
}

TEST(Storage, SeveralObjectsShareTheSlices) {
  const Shape shape = {.b = 2, .h = 3, .w = 5, .c = 18};  // 5 slices
  const TensorDescriptor four = tensor(shape, StorageKind::Buffer, "bhwc", DataType::F32, 4);
  EXPECT_THAT(object_extents(four), ElementsAre(2 * 3 * 5 * 2, 1, 1));
  EXPECT_EQ(to_string(coordinates(four)[0]), "((s / 4 * 3 + y) * 5 + x) * 2 + b");
  EXPECT_EQ(to_string(object_index(four)), "s % 4");

  const TensorDescriptor many = tensor(shape, StorageKind::Texture2D, "bhwc", DataType::F32, 8);
  EXPECT_EQ(to_string(coordinates(many)[1]), "y");  // one slice at most in each
  EXPECT_EQ(tensor_bytes(four), 4u * 60 * 16);
}

TEST(Storage, BytesFollowTheTexelType) {
  const Shape shape = {.h = 2, .w = 3, .c = 5};
  struct Case {
    DataType type;
    std::uint64_t bytes;
  };
  for (const Case& c : {Case{DataType::F32, 16},
                        {DataType::I32, 16},
                        {DataType::U32, 16},
                        {DataType::F16, 8},
                        {DataType::I8, 4},
                        {DataType::U8, 4}}) {
    EXPECT_EQ(texel_bytes(c.type), c.bytes);
    EXPECT_EQ(object_bytes(tensor(shape, StorageKind::Buffer, "bhwc", c.type)), 12 * c.bytes);
  }
  EXPECT_THAT(error_of([] { texel_bytes(DataType::Q4_0); }), HasSubstr("texels of type q4_0"));
  EXPECT_THAT(error_of([] { texel_bytes(DataType::BF16); }), HasSubstr("texels of type bf16"));
}

TEST(Storage, ADescriptorMustMakeSense) {
  const auto invalid = [](const TensorDescriptor& t) { return error_of([&] { validate(t); }); };
  const Shape shape = {.h = 2, .w = 3, .c = 5};
  EXPECT_EQ(invalid(tensor(shape, StorageKind::Buffer)), "no error");
  EXPECT_THAT(invalid(tensor({.h = 0}, StorageKind::Buffer)), HasSubstr("has the extent 0 along H"));
  EXPECT_THAT(invalid(tensor({.b = 2}, StorageKind::Buffer, "hwc")),
              HasSubstr("layout without the axis B, whose extent is 2"));
  EXPECT_THAT(invalid(tensor(shape, StorageKind::Buffer, "bhwc", DataType::F32, 0)), HasSubstr("has no objects"));
  TensorDescriptor repeated = tensor(shape, StorageKind::Texture2D);
  repeated.layout.dimensions[0] = {Axis::W, Axis::W};
  EXPECT_THAT(invalid(repeated), HasSubstr("names the axis W 2 times"));
  TensorDescriptor flat = tensor(shape, StorageKind::Texture2D);
  flat.storage = StorageKind::Buffer;
  EXPECT_THAT(invalid(flat), HasSubstr("a layout with 2 coordinates, but its storage kind has 1"));
  TensorDescriptor tiled{.shape = {.w = 3, .c = 64}, .layout = tiled_layout(64)};
  EXPECT_EQ(invalid(tiled), "no error");
  tiled.shape.c = 60;
  EXPECT_THAT(invalid(tiled), HasSubstr("has tiles and 15 slices, which is no multiple of 16"));
  tiled.shape.c = 64;
  tiled.objects = 2;
  EXPECT_THAT(invalid(tiled), HasSubstr("has tiles, and is no single buffer"));
  tiled.objects = 1;
  tiled.layout.dimensions[0] = {Axis::W, Axis::S};
  EXPECT_THAT(invalid(tiled), HasSubstr("has tiles of other axes than H W B S"));
  tiled = {.shape = {.w = 1U << 28, .c = 64}, .layout = tiled_layout(64)};
  EXPECT_THAT(invalid(tiled), HasSubstr("more than 2147483647 texels in its tiles"));
  EXPECT_THAT(invalid(tensor({.h = 65536, .w = 65536}, StorageKind::Buffer)), HasSubstr("more than 2147483647 texels"));
  EXPECT_THAT(invalid(tensor({.b = 0xFFFFFFFF, .h = 0xFFFFFFFF, .w = 0xFFFFFFFF, .d = 0xFFFFFFFF, .c = 0xFFFFFFFF},
                             StorageKind::Buffer)),
              HasSubstr("more than 2147483647 texels"));
}

TEST(Storage, APartMustLieInOneWholeObject) {
  const Layout& layout = *find_layout("bhwdc", StorageKind::Buffer);
  TensorDescriptor part{.shape = {.w = 3, .c = 8}, .layout = layout, .part = {.first_slice = 4, .of_slices = 6}};
  EXPECT_NO_THROW(validate(part));
  EXPECT_EQ(tensor_bytes(part), 3U * 6 * 16);  // those of the whole
  part.part.first_slice = 5;
  EXPECT_THROW(validate(part), InvalidInput);
  part.part.first_slice = 0xFFFFFFFF;
  EXPECT_THROW(validate(part), InvalidInput);
  part.part = {.first_slice = 1};
  EXPECT_THROW(validate(part), InvalidInput);
  part.part = {.first_slice = 0, .of_slices = 6};
  part.objects = 2;
  EXPECT_THROW(validate(part), InvalidInput);
  part = {.shape = {.w = 16, .c = 64}, .layout = tiled_layout(16), .part = {.first_slice = 0, .of_slices = 32}};
  EXPECT_THROW(validate(part), InvalidInput);
}

TEST(Storage, LimitsAreNamedWithValueAndLimit) {
  const StorageLimits limits = {.max_buffer_bytes = 1000,
                                .max_image_buffer = 65536,
                                .max_image_2d = {128, 64},
                                .max_image_3d = {32, 32, 16},
                                .max_image_layers = 8};
  struct Case {
    TensorDescriptor tensor;
    const char* quantity;
    std::uint64_t value, limit;
  };
  for (const Case& c : {
           Case{tensor({.w = 63, .c = 4}, StorageKind::Buffer), "size in bytes", 1008, 1000},
           {tensor({.h = 256, .w = 257}, StorageKind::ImageBuffer), "number of texels", 65792, 65536},
           {tensor({.w = 129}, StorageKind::Texture2D), "width", 129, 128},
           {tensor({.h = 33, .c = 5}, StorageKind::Texture2D), "height", 66, 64},
           {tensor({.b = 2, .w = 17}, StorageKind::Texture3D), "width", 34, 32},
           {tensor({.h = 33}, StorageKind::Texture3D), "height", 33, 32},
           {tensor({.c = 65}, StorageKind::Texture3D), "depth", 17, 16},
           {tensor({.w = 129}, StorageKind::Texture2DArray), "width", 129, 128},
           {tensor({.c = 33}, StorageKind::Texture2DArray), "number of layers", 9, 8},
       }) {
    SCOPED_TRACE(to_string(c.tensor));
    const auto violation = exceeded_limit(c.tensor, limits);
    ASSERT_TRUE(violation);
    EXPECT_EQ(violation->quantity, c.quantity);
    EXPECT_EQ(violation->value, c.value);
    EXPECT_EQ(violation->limit, c.limit);
  }
  EXPECT_FALSE(exceeded_limit(tensor({.w = 62, .c = 4}, StorageKind::Buffer), limits));
  EXPECT_FALSE(exceeded_limit(tensor({.h = 32, .w = 128, .c = 5}, StorageKind::Texture2D), limits));
  EXPECT_EQ(error_of([&] { require_within(tensor({.w = 129}, StorageKind::Texture2D), limits); }),
            "The tensor f32 (1, 1, 129, 1) in 2D texture, x: W B D, y: H S needs a width of 129 for a 2D texture, "
            "but the device allows 128.");
}

}  // namespace
}  // namespace driftwood
