// The layouts of the ML Drift paper (Table 1, sections 3.1 and 3.8), of the engine it grew from, and of its successor.
#include <algorithm>

#include "base/error.h"
#include "tensor/layout.h"

namespace driftwood {
namespace {

constexpr Axis B = Axis::B, H = Axis::H, W = Axis::W, D = Axis::D, S = Axis::S;

constexpr Layout linear(AxisList x) { return {.dimensions = {x, {}, {}}}; }
constexpr Layout plane(AxisList x, AxisList y) { return {.dimensions = {x, y, {}}}; }
constexpr Layout volume(AxisList x, AxisList y, AxisList z) { return {.dimensions = {x, y, z}}; }

constexpr NamedLayout rows[] = {
    // Slice-outermost layouts by the axes a tensor has. "single": of one slice (at most four channels).
    {"hwc", 1, linear({S, H, W})},
    {"hwc", 2, plane({W}, {H, S})},
    {"hwc", 3, volume({W}, {H}, {S})},
    {"hwc_single", 2, plane({W}, {H})},
    {"bhwc", 1, linear({S, H, W, B})},
    {"bhwc", 2, plane({W, B}, {H, S})},
    {"bhwc", 3, volume({W, B}, {H}, {S})},
    {"bhwc_single", 2, plane({W, B}, {H})},
    {"hwdc", 1, linear({D, S, H, W})},
    {"hwdc", 2, plane({W, D}, {H, S})},
    {"hwdc", 3, volume({W}, {H}, {D, S})},
    {"hwdc_single", 2, plane({W, D}, {H})},
    {"bhwdc", 1, linear({D, S, H, W, B})},
    {"bhwdc", 2, plane({W, B, D}, {H, S})},
    {"bhwdc", 3, volume({W, B}, {H}, {D, S})},
    {"bhwdc_single", 2, plane({W, B, D}, {H})},
    {"hw", 1, linear({H, W})},
    {"hw", 2, plane({W}, {H})},
    {"hw", 3, volume({W}, {H}, {})},
    {"hw_single", 2, plane({W}, {H})},
    // A vector: its only coordinate counts vec4 texels, which is the slice.
    {"linear", 1, linear({S})},
    {"linear", 2, plane({S}, {})},
    {"linear", 3, volume({S}, {}, {})},
    {"linear_single", 2, plane({S}, {})},

    // The 2D texture of 2019: a row of the image holds its planes side by side.
    {"phwc4", 1, linear({S, H, W})},
    {"phwc4", 2, plane({S, W}, {H})},
    {"phwc4", 3, volume({W}, {H}, {S})},

    // The slice-aware family. H is outermost on its axis, so that the sampler's clamp to zero serves the H border.
    {"hswbdc4", 2, plane({W, B, D}, {H, S})},
    {"dshwbc4", 1, linear({D, S, H, W, B})},
    {"dshwbc4", 3, volume({W, B}, {H}, {D, S})},

    // Channels innermost: neighbouring threads that walk the channels read neighbouring texels.
    {"dhwbcc4", 1, linear({D, H, W, B, S})},
    {"dhwbcc4", 2, plane({S}, {D, H, W, B})},

    // KV caches as tensors (1, kv heads, tokens, head size). Token-minor equals the weights layout that weights.h
    // names k_cache; token-major keeps a token of one head together.
    {"token_minor", 1, linear({H, S, W})},
    {"token_minor", 2, plane({W}, {H, S})},
    {"token_minor", 3, volume({W}, {S}, {H})},
    {"token_major", 1, linear({H, W, S})},
    {"token_major", 2, plane({S}, {H, W})},
    {"token_major", 3, volume({S}, {W}, {H})},
};

}  // namespace

std::span<const NamedLayout> layout_table() { return rows; }

const Layout* find_layout(std::string_view name, StorageKind kind) {
  const auto* const row = std::find_if(std::begin(rows), std::end(rows), [&](const NamedLayout& candidate) {
    return candidate.name == name && candidate.coordinates == coordinate_count(kind);
  });
  return row == std::end(rows) ? nullptr : &row->layout;
}

const Layout& default_layout(StorageKind kind, const Shape&) {
  const Layout* const layout = find_layout("bhwdc", kind);
  if (layout == nullptr) throw InternalError("No default layout exists for a storage kind.");
  return *layout;
}

}  // namespace driftwood
