// What the kernels of attention over a KV cache that know it as one of two kinds (kernels/head_rows.wgsl) have in
// common.
#pragma once

#include <cstdint>
#include <string>

#include "graph/selection.h"

namespace driftwood::graph {

/// Query heads for each KV head.
std::uint32_t group_of(const Node& node, const SelectionContext& context);

/// Whether the rows of the queries by KV head are those of the tokens, and of nothing else.
bool has_a_query_a_token(const Node& node, const SelectionContext& context);

/// The same, and whether a head is whole slices, which these kernels want.
bool has_whole_slices(const Node& node, const SelectionContext& context);

/// Whether both caches are of f16 in buffers, with the channels of a position together.
bool has_plain_halves(const Node& node, const SelectionContext& context);

/// Binds the K (`letter` k) or V (v) cache, of which has_plain_halves() is true, as an array of that name in place of
/// the tensor.
void bind_plain(KernelUse& use, const SelectionContext& context, std::string name, char letter, ValueId cache);

/// A kernel whose workgroups take `rows` rows of queries of one KV head; what it writes is not bound yet.
KernelUse cache_use(std::string module_path, const Node& node, const SelectionContext& context, std::uint32_t rows);

}  // namespace driftwood::graph
