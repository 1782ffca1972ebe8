// From tensors and packed weights to the objects that hold them (ML Drift, section 3.2): tensorLoad, tensorStore,
// weightsWord and weightsRowScale become accesses with plain coordinate arithmetic, written from the descriptor of each
// resource.
//
// Of `tensorLoad(x, b, y, x, s)` on a buffer of 16-bit texels with H = 5, W = 3, B = 1 remains `x[(s * 5 + y) * 3 +
// x]`: axes of extent 1 are gone, constants are folded, and arithmetic keeps the type of the arguments.
#pragma once

#include "shader/ir.h"

namespace driftwood::shader {

/// Rewrites the module in place. Every Tensor resource becomes the Object resources of its descriptor (`x`, or `x_0`,
/// `x_1`, ... where it has several), every Weights resource a Storage resource of array<u32>; bindings are renumbered
/// in the order that they had. An access whose object depends on the slice at run time, or whose arguments must not be
/// evaluated twice, becomes a function of the module. Throws InvalidInput for a descriptor that is not valid
/// (tensor/storage.h, tensor/packed_weights.h) and InternalError for a resource that has none.
void virtualize(Module& module);

}  // namespace driftwood::shader
