#include "tensor/coordinate.h"

#include <gmock/gmock.h>

#include <random>
#include <set>

#include "base/error.h"
#include "tensor/storage.h"

namespace driftwood {
namespace {

using E = CoordinateExpression;

const E b = E::variable(Axis::B), y = E::variable(Axis::H), x = E::variable(Axis::W), d = E::variable(Axis::D),
        s = E::variable(Axis::S);

TEST(CoordinateExpression, Simplifies) {
  struct Case {
    E expression;
    const char* text;
  };
  for (const Case& c : {
           Case{E(3) + 4, "7"},
           {E(3) * 4, "12"},
           {E(14) / 4, "3"},
           {E(14) % 4, "2"},
           {x + 0, "x"},
           {E(0) + x, "x"},
           {x * 1, "x"},
           {E(1) * x, "x"},
           {x * 0, "0"},
           {E(0) * x, "0"},
           {x / 1, "x"},
           {x % 1, "0"},
           {E(0) / x, "0"},
           {E(0) % x, "0"},
           {s * 4 / 4, "s"},
           {s * 4 % 4, "0"},
           {(s * 4 + 3) / 4, "s"},
           {(s * 4 + 3) % 4, "3"},
           {(s * 4 + 5) / 4, "(s * 4 + 5) / 4"},
           {(s * 8 + 3) / 4, "(s * 8 + 3) / 4"},
       }) {
    EXPECT_EQ(to_string(c.expression), c.text);
  }
}

TEST(CoordinateExpression, PrintsNoMoreParenthesesThanNeeded) {
  struct Case {
    E expression;
    const char* text;
  };
  for (const Case& c : {
           Case{((s * 5 + y) * 3 + x) * 2 + b, "((s * 5 + y) * 3 + x) * 2 + b"},
           {b + x * 2, "b + x * 2"},
           {b + (x + d), "b + x + d"},
           {s / 4 * 3 + y, "s / 4 * 3 + y"},
           {x * (s / 4), "x * (s / 4)"},
           {x * (y + 1), "x * (y + 1)"},
           {x % 8 / 2, "x % 8 / 2"},
           {x / (y % 8), "x / (y % 8)"},
       }) {
    EXPECT_EQ(to_string(c.expression), c.text);
  }
}

TEST(CoordinateExpression, SimplificationKeepsTheValue) {
  std::mt19937 random(7);
  const auto pick = [&](unsigned n) { return static_cast<std::uint32_t>(random() % n); };
  for (int round = 0; round < 2000; ++round) {
    const Position at = {pick(5), pick(5), pick(5), pick(5), pick(5)};
    E expression = E::variable(static_cast<Axis>(pick(5)));
    std::uint64_t value = expression.evaluate(at);
    for (int step = 0; step < 6; ++step) {
      const std::uint32_t constant = 1 + pick(4);
      switch (pick(5)) {
        case 0: expression = expression + constant, value += constant; break;
        case 1: expression = expression * constant, value *= constant; break;
        case 2: expression = expression / constant, value /= constant; break;
        case 3: expression = expression % constant, value %= constant; break;
        default: expression = expression + s, value += at.s; break;
      }
      ASSERT_EQ(expression.evaluate(at), value) << to_string(expression);
    }
  }
}

TEST(CoordinateExpression, AxesOfExtentOneVanish) {
  const TensorDescriptor tensor = {.shape = {.h = 9, .c = 3}, .layout = *find_layout("bhwdc", StorageKind::Buffer)};
  EXPECT_EQ(to_string(coordinates(tensor)[0]), "y");
  const TensorDescriptor scalar = {.layout = *find_layout("bhwdc", StorageKind::Buffer)};
  EXPECT_EQ(to_string(coordinates(scalar)[0]), "0");
}

TEST(CoordinateExpression, DivisionByZeroIsAFault) {
  EXPECT_THROW(x / 0, InternalError);
  EXPECT_THROW(x % 0, InternalError);
}

// Where the whole has it, in every layout.
TEST(Coordinates, OfAPart) {
  int layouts = 0;
  for (const NamedLayout& named : layout_table()) {
    for (const StorageKind kind : {StorageKind::Buffer, StorageKind::ImageBuffer, StorageKind::Texture2D,
                                   StorageKind::Texture3D, StorageKind::Texture2DArray}) {
      if (coordinate_count(kind) != named.coordinates) continue;
      TensorDescriptor whole{.shape = {.b = 2, .h = 3, .w = 5, .c = 29}, .storage = kind, .layout = named.layout};
      try {
        validate(whole);
      } catch (const InvalidInput&) {
        continue;  // a layout of fewer axes
      }
      ++layouts;
      TensorDescriptor part = whole;
      part.shape.c = 12;
      part.part = {.first_slice = 3, .of_slices = whole.shape.slices()};
      EXPECT_EQ(object_extents(part), object_extents(whole));
      const auto at = coordinates(part), in_whole = coordinates(whole);
      for (std::uint32_t i = 0; i < 2 * 3 * 5 * 3; ++i) {
        Position p{.b = i % 2, .y = i / 2 % 3, .x = i / 6 % 5, .s = i / 30};
        std::array<std::uint64_t, 3> place{};
        for (std::size_t k = 0; k < 3; ++k) place[k] = at[k].evaluate(p);
        p.s += 3;
        for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(place[k], in_whole[k].evaluate(p));
      }
    }
  }
  EXPECT_GT(layouts, 10);
}

// Every texel its own place, and those that products read together side by side (Layout::tile).
TEST(Coordinates, InTiles) {
  const TensorDescriptor descriptor{.shape = {.b = 2, .h = 3, .w = 7, .c = 128}, .layout = tiled_layout(16)};
  EXPECT_EQ(object_extents(descriptor)[0], 48U * 32);  // 42 positions are three tiles
  const auto at = coordinates(descriptor);
  std::set<std::uint64_t> places;
  Position p;
  for (p.b = 0; p.b < 2; ++p.b) {
    for (p.y = 0; p.y < 3; ++p.y) {
      for (p.x = 0; p.x < 7; ++p.x) {
        for (p.s = 0; p.s < 32; ++p.s) {
          const std::uint64_t place = at[0].evaluate(p);
          EXPECT_TRUE(places.insert(place).second);
          EXPECT_LT(place, 48U * 32);
          const std::uint32_t position = (p.y * 7 + p.x) * 2 + p.b;
          EXPECT_EQ(place % 2, p.s % 2);
          EXPECT_EQ(place / 2 % 16, position % 16);              // eight channels of all positions of a tile
          EXPECT_EQ(place / 32 % 8, p.s % 16 / 2);               // of 64 channels
          EXPECT_EQ(place / 256, position / 16 * 2 + p.s / 16);  // of all, tile by tile
        }
      }
    }
  }
  EXPECT_EQ(to_string(coordinates({.shape = {.w = 40, .c = 64}, .layout = tiled_layout(64)})[0]),
            "(((x / 64 + s / 16) * 8 + s % 16 / 2) * 64 + x % 64) * 2 + s % 2");
}

}  // namespace
}  // namespace driftwood
