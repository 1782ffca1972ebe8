#include "tensor/layout.h"

namespace driftwood {
namespace {

struct KindFacts {
  std::string_view name;
  int coordinates;
};

// In the order of StorageKind.
constexpr std::array<KindFacts, 5> kinds = {
    {{"buffer", 1}, {"image buffer", 1}, {"2D texture", 2}, {"3D texture", 3}, {"2D texture array", 3}}};

constexpr std::string_view axis_letters = "BHWDS";

}  // namespace

int coordinate_count(StorageKind kind) { return kinds[static_cast<std::size_t>(kind)].coordinates; }

std::string_view to_string(StorageKind kind) { return kinds[static_cast<std::size_t>(kind)].name; }

Layout tiled_layout(std::uint32_t tile) {
  return {.dimensions = {AxisList{Axis::H, Axis::W, Axis::B, Axis::S}, {}, {}}, .tile = tile};
}

std::string to_string(const Layout& layout) {
  std::string text;
  for (std::size_t i = 0; i < layout.dimensions.size(); ++i) {
    if (layout.dimensions[i].count == 0) continue;
    if (!text.empty()) text += ", ";
    text += "xyz"[i];
    text += ':';
    for (const Axis axis : layout.dimensions[i]) {
      text += ' ';
      text += axis_letters[static_cast<std::size_t>(axis)];
    }
  }
  if (layout.tile != 0) text += " in tiles of " + std::to_string(layout.tile);
  return text;
}

}  // namespace driftwood
