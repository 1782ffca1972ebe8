// Passes: rewrites of a graph that keep its results. They run in the order of this table; each can be switched off by
// name, for the ablation and for bisecting a fault.
//
//   fuse-rope-cache    norms of heads (of q and k, or of neither), RoPE of both, the head layout and both cache writes
//   ->
//                      RopeQkv
//   merge-linears      the linears of q, k and v -> one over their rows, where RopeQkv takes them
//   fuse-gated         activation(linear) * linear of one input -> GatedLinear
//   remove-select      the selection of the last token where a run has no more than one
//   fuse-norm          an RMS norm of few rows into the linears that read it
//   fuse-qkv           the merged linear of q, k and v with the RopeQkv of one token, where pairs are adjacent ->
//                      QkvLinear
//   fuse-add-norm      a sum that an RMS norm reads -> AddRmsNorm
//   fuse-elementwise   chains of element-wise operations into each other and into their producer's epilogue
//   fuse-prologue      a group norm with its activation into the convolutions that read it (not on CPUs: lowering.cpp)
//   split-shortcut     a residual block's large input whose shortcut has half its channels -> two halves, one of which
//                      the shortcut overwrites (where prologues are fused)
//   fuse-concat        a concatenation into readers that take both parts
//   remove-dead        nodes that no output or state needs
//   join-linears       linears of one input that attention or fused programs read -> one, of whose output theirs are
//                      parts: done after all before, within the device's memory (joined_linears.h)
//   tile-inputs        activations that only products of the pipeline read, stored as their tiles take them: done when
//                      values are stored, after all others (tiled_inputs.h)
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace driftwood::graph {

struct Pass {
  std::string_view name;
  /// The number of rewrites made.
  std::size_t (*run)(Graph& graph);
};

/// In the order in which they run.
std::span<const Pass> passes();

struct PassResult {
  std::string_view name;
  std::size_t rewrites;
};

/// Runs all passes but the disabled ones and checks the graph after each. Throws InvalidInput for an unknown name,
/// listing the known.
std::vector<PassResult> run_passes(Graph& graph, std::span<const std::string> disabled);

std::size_t fuse_rope_cache(Graph& graph);
std::size_t merge_linears(Graph& graph);
std::size_t fuse_gated(Graph& graph);
std::size_t remove_select(Graph& graph);
std::size_t fuse_norm(Graph& graph);
std::size_t fuse_qkv(Graph& graph);
std::size_t fuse_add_norm(Graph& graph);
std::size_t fuse_element_wise(Graph& graph);
std::size_t fuse_prologue(Graph& graph);
std::size_t split_shortcut(Graph& graph);
/// The same where the input has at least so many elements.
std::size_t split_shortcuts_from(Graph& graph, std::uint64_t least_elements);
std::size_t fuse_concat(Graph& graph);
std::size_t remove_dead(Graph& graph);

}  // namespace driftwood::graph
