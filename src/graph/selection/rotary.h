// The constants of kernels that import kernels/rotary.wgsl.
#pragma once

#include "graph/operations/rope.h"
#include "graph/selection.h"

namespace driftwood::graph {

inline void add_rotary(const Rope& rope, KernelUse& use) {
  auto& overrides = use.specialization.overrides;
  overrides["head_size"] = rope.head_size;
  overrides["rotary"] = rope.rotary;
  overrides["adjacent"] = rope.pairing == RopePairing::Adjacent;
  overrides["magnitude"] = rope.magnitude;
}

}  // namespace driftwood::graph
