// How each value is stored: gives every tensor of a graph its descriptor.
#pragma once

#include "gpu/device.h"
#include "graph/graph.h"
#include "graph/options.h"

namespace driftwood::graph {

/// Activations take the storage kind asked for where the limits of the device allow, and buffers elsewhere; constants,
/// states, inputs and outputs are buffers. Buffers have their channels innermost: a token is contiguous. Descriptors
/// that are set already stay.
void choose_storage(Graph& graph, const gpu::DeviceFacts& facts, const GraphOptions& options);

/// The layout for a storage kind that choose_storage uses.
Layout default_layout(StorageKind kind);

/// Whether a tensor fits into one object of its kind on a device.
bool fits(const TensorDescriptor& descriptor, const gpu::DeviceFacts& facts);

}  // namespace driftwood::graph
