// Layouts as data: how the logical axes of a tensor fold into the dimensions of a physical object.
//
// A layout lists, for each physical dimension, the logical axes folded into it from outermost to innermost. With
// extents B H W D S, the dimension {S, H, W, B} is the coordinate ((s * H + y) * W + x) * B + b, and an axis that a
// layout leaves out must have extent 1. Both coordinate tables of the ML Drift paper are rows of one table here.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "tensor/shape.h"

namespace driftwood {

/// What holds a tensor's texels (vec4 values).
enum class StorageKind : std::uint8_t { Buffer, ImageBuffer, Texture2D, Texture3D, Texture2DArray };

/// Number of coordinates that address one texel: 1, 1, 2, 3, 3.
int coordinate_count(StorageKind kind);
std::string_view to_string(StorageKind kind);

enum class Axis : std::uint8_t { B, H, W, D, S };

/// Axes folded into one physical dimension, outermost first; empty: the coordinate is always 0.
struct AxisList {
  std::array<Axis, 5> axes = {};
  std::uint8_t count = 0;

  constexpr AxisList() = default;
  constexpr AxisList(std::initializer_list<Axis> list) {
    for (const Axis axis : list) axes[count++] = axis;
  }
  constexpr const Axis* begin() const { return axes.data(); }
  constexpr const Axis* end() const { return axes.data() + count; }
  bool operator==(const AxisList&) const = default;
};

/// The folding for one storage kind. Dimension 0 is x (fastest in memory), 1 is y, 2 is z or the array layer.
struct Layout {
  std::array<AxisList, 3> dimensions = {};
  /// Not 0: x folds positions and slices, and so many positions are a tile, in which they lie as products on matrix
  /// units take them: 64 channels after one another, of those 8 after one another, of these all positions of the tile.
  /// With p = (y * W + x) * B + b the coordinate is
  ///   (((p / tile * (S / 16) + s / 16) * 8 + s % 16 / 2) * tile + p % tile) * 2 + s % 2
  std::uint32_t tile = 0;
  bool operator==(const Layout&) const = default;
};

/// A row of the table of layouts. Rows of one name serve the storage kinds with that many coordinates.
struct NamedLayout {
  std::string_view name;
  std::uint8_t coordinates;  // 1: buffer and image buffer, 2: 2D texture, 3: 3D texture and 2D texture array
  Layout layout;
};

/// Every named layout (layout_table.cpp).
std::span<const NamedLayout> layout_table();

/// The layout of that name for a storage kind, or null.
const Layout* find_layout(std::string_view name, StorageKind kind);

/// The layout that fits any shape in that storage kind: "bhwdc", the slice-outermost one of the paper.
const Layout& default_layout(StorageKind kind, const Shape& shape);

/// Positions in tiles of so many, in a buffer.
Layout tiled_layout(std::uint32_t tile);

/// "x: S H W B" or "x: W B, y: H S", for dumps and messages.
std::string to_string(const Layout& layout);

}  // namespace driftwood
