// The merged projections of one token, which are turned and stored by head and to the caches as they are made. The
// fused form of a Linear and of the RopeQkv that alone reads it, for pairs of neighbouring channels, without norms of
// heads.
//
//   (x {C = columns}, weights [rows x columns], frequencies, K cache, V cache[, bias {C = rows}][, gamma {C =
//   columns}])
//   -> (q by head {H = kv_heads, W = heads / kv_heads, C = head_size}, K cache, V cache)
//
// where rows = (heads + 2 kv_heads) * head_size, and gamma is there where x goes through an RMS norm first.
#pragma once

#include <vector>

#include "graph/operations/rope_qkv.h"

namespace driftwood::graph {

struct QkvLinear {
  static constexpr std::string_view name = "qkv-linear";
  Rope rope;
  std::uint32_t heads = 1;
  std::uint32_t kv_heads = 1;
  bool ring = false;  // of the caches
  bool normalizes = false;
  float epsilon = 0;  // of the norm

  bool has_bias(std::size_t inputs) const { return inputs > (normalizes ? 6U : 5U); }
  bool operator==(const QkvLinear&) const = default;
};

/// Whether heads and what turns of them are whole slices that hold whole pairs.
bool turns_whole_slices(const Rope& rope);

std::vector<Shape> output_shapes(const QkvLinear&, std::span<const Operand> inputs);

}  // namespace driftwood::graph
