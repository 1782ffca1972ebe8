// How kernels that import kernels/kv_cache.wgsl or kernels/kv_cache_write.wgsl are given their caches.
#pragma once

#include "graph/selection.h"

namespace driftwood::graph {

/// Binds the K (`letter` k) or V (v) cache: the tensor k_cache, or k_words where it is quantized, with the override
/// k_quantized.
void bind_cache(KernelUse& use, const SelectionContext& context, char letter, ValueId cache, bool writes);

}  // namespace driftwood::graph
