#include "tensor/layout.h"

#include <gmock/gmock.h>

#include "tensor/coordinate.h"
#include "tensor/storage.h"

namespace driftwood {
namespace {

constexpr StorageKind Buffer = StorageKind::Buffer, ImageBuffer = StorageKind::ImageBuffer,
                      Texture2D = StorageKind::Texture2D, Texture3D = StorageKind::Texture3D,
                      Texture2DArray = StorageKind::Texture2DArray;

// One row of a coordinate table: what the formula prints as for the extents B=11, H=5, W=3, D=2, S=7 (C=26; 1 slice for
// "single" rows), each restricted to the axes the row has, and what it computes.
struct Row {
  const char* layout;
  std::vector<StorageKind> kinds;
  Shape shape;
  std::array<const char*, 3> text;
  std::array<std::uint64_t, 3> (*compute)(std::uint64_t b, std::uint64_t y, std::uint64_t x, std::uint64_t d,
                                          std::uint64_t s);
};

#define ROW_FORMULA(x_, y_, z_)                                                  \
  [](std::uint64_t b, std::uint64_t y, std::uint64_t x, std::uint64_t d,         \
     std::uint64_t s) -> std::array<std::uint64_t, 3> {                          \
    [[maybe_unused]] constexpr std::uint64_t B = 11, H = 5, W = 3, D = 2, S = 7; \
    (void)b, (void)y, (void)x, (void)d, (void)s;                                 \
    return {x_, y_, z_};                                                         \
  }

constexpr Shape hwc = {.h = 5, .w = 3, .c = 26};
constexpr Shape bhwc = {.b = 11, .h = 5, .w = 3, .c = 26};
constexpr Shape hwdc = {.h = 5, .w = 3, .d = 2, .c = 26};
constexpr Shape bhwdc = {.b = 11, .h = 5, .w = 3, .d = 2, .c = 26};
constexpr Shape hw = {.h = 5, .w = 3};
constexpr Shape vector = {.c = 26};

Shape single(Shape shape) {
  shape.c = 4;
  return shape;
}

std::vector<Row> rows() {
  return {
      // Table 1 of the paper and the full table of the engine it grew from.
      {"hwc", {Buffer, ImageBuffer}, hwc, {"(s * 5 + y) * 3 + x", "0", "0"}, ROW_FORMULA((s * H + y) * W + x, 0, 0)},
      {"hwc", {Texture2D}, hwc, {"x", "y * 7 + s", "0"}, ROW_FORMULA(x, y * S + s, 0)},
      {"hwc", {Texture3D, Texture2DArray}, hwc, {"x", "y", "s"}, ROW_FORMULA(x, y, s)},
      {"hwc_single", {Texture2D}, single(hwc), {"x", "y", "0"}, ROW_FORMULA(x, y, 0)},
      {"bhwc",
       {Buffer, ImageBuffer},
       bhwc,
       {"((s * 5 + y) * 3 + x) * 11 + b", "0", "0"},
       ROW_FORMULA(((s * H + y) * W + x) * B + b, 0, 0)},
      {"bhwc", {Texture2D}, bhwc, {"x * 11 + b", "y * 7 + s", "0"}, ROW_FORMULA(x * B + b, y * S + s, 0)},
      {"bhwc", {Texture3D, Texture2DArray}, bhwc, {"x * 11 + b", "y", "s"}, ROW_FORMULA(x * B + b, y, s)},
      {"bhwc_single", {Texture2D}, single(bhwc), {"x * 11 + b", "y", "0"}, ROW_FORMULA(x * B + b, y, 0)},
      {"hwdc",
       {Buffer, ImageBuffer},
       hwdc,
       {"((d * 7 + s) * 5 + y) * 3 + x", "0", "0"},
       ROW_FORMULA(((d * S + s) * H + y) * W + x, 0, 0)},
      {"hwdc", {Texture2D}, hwdc, {"x * 2 + d", "y * 7 + s", "0"}, ROW_FORMULA(x * D + d, y * S + s, 0)},
      {"hwdc", {Texture3D, Texture2DArray}, hwdc, {"x", "y", "d * 7 + s"}, ROW_FORMULA(x, y, d * S + s)},
      {"hwdc_single", {Texture2D}, single(hwdc), {"x * 2 + d", "y", "0"}, ROW_FORMULA(x * D + d, y, 0)},
      {"bhwdc",
       {Buffer, ImageBuffer},
       bhwdc,
       {"(((d * 7 + s) * 5 + y) * 3 + x) * 11 + b", "0", "0"},
       ROW_FORMULA((((d * S + s) * H + y) * W + x) * B + b, 0, 0)},
      {"bhwdc",
       {Texture2D},
       bhwdc,
       {"(x * 11 + b) * 2 + d", "y * 7 + s", "0"},
       ROW_FORMULA((x * B + b) * D + d, y * S + s, 0)},
      {"bhwdc",
       {Texture3D, Texture2DArray},
       bhwdc,
       {"x * 11 + b", "y", "d * 7 + s"},
       ROW_FORMULA(x * B + b, y, d * S + s)},
      {"bhwdc_single",
       {Texture2D},
       single(bhwdc),
       {"(x * 11 + b) * 2 + d", "y", "0"},
       ROW_FORMULA((x * B + b) * D + d, y, 0)},
      {"hw", {Buffer, ImageBuffer}, hw, {"y * 3 + x", "0", "0"}, ROW_FORMULA(y * W + x, 0, 0)},
      {"hw", {Texture2D}, hw, {"x", "y", "0"}, ROW_FORMULA(x, y, 0)},
      {"hw", {Texture3D, Texture2DArray}, hw, {"x", "y", "0"}, ROW_FORMULA(x, y, 0)},
      {"hw_single", {Texture2D}, hw, {"x", "y", "0"}, ROW_FORMULA(x, y, 0)},
      // The table's linear coordinate counts texels of a vector, which are its slices.
      {"linear", {Buffer, ImageBuffer}, vector, {"s", "0", "0"}, ROW_FORMULA(s, 0, 0)},
      {"linear", {Texture2D}, vector, {"s", "0", "0"}, ROW_FORMULA(s, 0, 0)},
      {"linear", {Texture3D, Texture2DArray}, vector, {"s", "0", "0"}, ROW_FORMULA(s, 0, 0)},
      {"linear_single", {Texture2D}, vector, {"s", "0", "0"}, ROW_FORMULA(s, 0, 0)},
      // PHWC4 of 2019, the slice-aware family, channels innermost, caches.
      {"phwc4", {Buffer, ImageBuffer}, hwc, {"(s * 5 + y) * 3 + x", "0", "0"}, ROW_FORMULA((s * H + y) * W + x, 0, 0)},
      {"phwc4", {Texture2D}, hwc, {"s * 3 + x", "y", "0"}, ROW_FORMULA(s * W + x, y, 0)},
      {"phwc4", {Texture3D, Texture2DArray}, hwc, {"x", "y", "s"}, ROW_FORMULA(x, y, s)},
      {"hswbdc4",
       {Texture2D},
       bhwdc,
       {"(x * 11 + b) * 2 + d", "y * 7 + s", "0"},
       ROW_FORMULA((x * B + b) * D + d, y * S + s, 0)},
      {"dshwbc4",
       {Buffer, ImageBuffer},
       bhwdc,
       {"(((d * 7 + s) * 5 + y) * 3 + x) * 11 + b", "0", "0"},
       ROW_FORMULA((((d * S + s) * H + y) * W + x) * B + b, 0, 0)},
      {"dshwbc4",
       {Texture3D, Texture2DArray},
       bhwdc,
       {"x * 11 + b", "y", "d * 7 + s"},
       ROW_FORMULA(x * B + b, y, d * S + s)},
      {"dhwbcc4",
       {Buffer, ImageBuffer},
       bhwdc,
       {"(((d * 5 + y) * 3 + x) * 11 + b) * 7 + s", "0", "0"},
       ROW_FORMULA((((d * H + y) * W + x) * B + b) * S + s, 0, 0)},
      {"dhwbcc4",
       {Texture2D},
       bhwdc,
       {"s", "((d * 5 + y) * 3 + x) * 11 + b", "0"},
       ROW_FORMULA(s, ((d * H + y) * W + x) * B + b, 0)},
      {"token_minor",
       {Buffer, ImageBuffer},
       hwc,
       {"(y * 7 + s) * 3 + x", "0", "0"},
       ROW_FORMULA((y * S + s) * W + x, 0, 0)},
      {"token_minor", {Texture2D}, hwc, {"x", "y * 7 + s", "0"}, ROW_FORMULA(x, y * S + s, 0)},
      {"token_minor", {Texture3D, Texture2DArray}, hwc, {"x", "s", "y"}, ROW_FORMULA(x, s, y)},
      {"token_major",
       {Buffer, ImageBuffer},
       hwc,
       {"(y * 3 + x) * 7 + s", "0", "0"},
       ROW_FORMULA((y * W + x) * S + s, 0, 0)},
      {"token_major", {Texture2D}, hwc, {"s", "y * 3 + x", "0"}, ROW_FORMULA(s, y * W + x, 0)},
      {"token_major", {Texture3D, Texture2DArray}, hwc, {"s", "x", "y"}, ROW_FORMULA(s, x, y)},
  };
}

TEST(LayoutTable, EveryRowPrintsAndComputesItsFormula) {
  for (const Row& row : rows()) {
    for (const StorageKind kind : row.kinds) {
      SCOPED_TRACE(std::string(row.layout) + " in a " + std::string(to_string(kind)));
      const Layout* const layout = find_layout(row.layout, kind);
      ASSERT_NE(layout, nullptr);
      const TensorDescriptor tensor = {.shape = row.shape, .storage = kind, .layout = *layout};
      const auto coordinate = coordinates(tensor);
      const auto extents = object_extents(tensor);
      std::vector<bool> taken(std::size_t{extents[0]} * extents[1] * extents[2]);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(to_string(coordinate[i]), row.text[i]);

      const Shape& shape = row.shape;
      for (Position p; p.b < shape.b; ++p.b) {
        for (p.y = 0; p.y < shape.h; ++p.y) {
          for (p.x = 0; p.x < shape.w; ++p.x) {
            for (p.d = 0; p.d < shape.d; ++p.d) {
              for (p.s = 0; p.s < shape.slices(); ++p.s) {
                const auto expected = row.compute(p.b, p.y, p.x, p.d, p.s);
                for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(coordinate[i].evaluate(p), expected[i]);
                const std::size_t texel = (expected[2] * extents[1] + expected[1]) * extents[0] + expected[0];
                ASSERT_LT(texel, taken.size());
                ASSERT_FALSE(taken[texel]) << "two positions share a texel";
                taken[texel] = true;
              }
            }
          }
        }
      }
    }
  }
}

TEST(LayoutTable, TheTestsCoverEveryRowOfTheTable) {
  for (const NamedLayout& named : layout_table()) {
    const auto tested = rows();
    const bool found = std::any_of(tested.begin(), tested.end(), [&](const Row& row) {
      return row.layout == named.name && coordinate_count(row.kinds[0]) == named.coordinates;
    });
    EXPECT_TRUE(found) << named.name << " with " << int{named.coordinates} << " coordinates";
  }
}

TEST(LayoutTable, RowsAreFoundByNameAndStorageKind) {
  EXPECT_EQ(find_layout("dhwbcc4", Texture3D), nullptr);
  EXPECT_EQ(find_layout("nhwc", Buffer), nullptr);
  EXPECT_EQ(to_string(*find_layout("bhwc", Texture2D)), "x: W B, y: H S");
  EXPECT_EQ(to_string(*find_layout("hw", Texture3D)), "x: W, y: H");
}

TEST(LayoutTable, TheDefaultFitsAnyShape) {
  for (const StorageKind kind : {Buffer, ImageBuffer, Texture2D, Texture3D, Texture2DArray}) {
    for (const Shape& shape : {vector, hw, hwc, bhwc, hwdc, bhwdc}) {
      EXPECT_NO_THROW(validate({.shape = shape, .storage = kind, .layout = default_layout(kind, shape)}));
    }
  }
  const TensorDescriptor tensor = {.shape = bhwc, .layout = default_layout(Buffer, bhwc)};
  EXPECT_EQ(to_string(coordinates(tensor)[0]), "((s * 5 + y) * 3 + x) * 11 + b");
}

}  // namespace
}  // namespace driftwood
