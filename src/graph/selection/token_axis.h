// Rows (W) of a tensor and the tokens of a run: which rows are active, how they are cut into workgroups, and which
// tensors a kernel can take.
#pragma once

#include "base/checked.h"
#include "graph/selection.h"

namespace driftwood::graph {

/// Rows that belong to a token; 0: the value has no token axis and all its rows count in every run.
inline std::uint32_t rows_per_token(const SelectionContext& context, ValueId id) {
  return context.per_token(id) ? context.shape(id).w / context.graph.max_tokens : 0;
}

/// A workgroup for every `part` of an extent that is the same in every run.
inline GridExtent groups_of(std::uint64_t extent, std::uint64_t part) {
  return {.fixed = static_cast<std::uint32_t>(divide_up(extent, part))};
}

/// A workgroup for every `rows_of_group` active rows.
inline GridExtent groups_of_rows(const SelectionContext& context, ValueId id, std::uint32_t rows_of_group = 1) {
  const std::uint32_t rows = context.shape(id).w;
  if (!context.per_token(id)) return groups_of(rows, rows_of_group);
  return {.rows_per_group = rows_of_group, .rows_per_token = rows_per_token(context, id)};
}

inline bool has_no_depth(const Node& node, const SelectionContext& context) {
  return context.shape(node.inputs[0]).d == 1;
}

/// Whether input 0 has rows and channels alone.
inline bool has_only_rows(const Node& node, const SelectionContext& context) {
  const Shape& shape = context.shape(node.inputs[0]);
  return shape.b == 1 && shape.h == 1 && shape.d == 1;
}

/// Rows that belong to a token in a product over all positions; 0 where they are those of images, which all count in
/// every run.
inline std::uint32_t token_rows(const Node& node, const SelectionContext& context) {
  const bool has_tokens = context.graph.max_tokens > 1 && has_only_rows(node, context);
  return has_tokens ? rows_per_token(context, node.outputs[0]) : 0;
}

/// Whether input 0 is a row a token, and nothing else.
inline bool has_a_row_a_token(const Node& node, const SelectionContext& context) {
  return has_only_rows(node, context) && context.shape(node.inputs[0]).w == context.graph.max_tokens;
}

}  // namespace driftwood::graph
