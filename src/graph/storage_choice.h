// How each value is stored: gives every tensor of a graph its descriptor.
#pragma once

#include "gpu/device.h"
#include "graph/choices.h"
#include "graph/graph.h"
#include "graph/options.h"

namespace driftwood::graph {

/// Activations take the storage kind asked for where the limits of the device allow, and buffers elsewhere; constants,
/// states, inputs and outputs are buffers. Buffers have their channels innermost: a token is contiguous. Descriptors
/// that are set already stay.
void choose_storage(Graph& graph, const gpu::DeviceFacts& facts, const GraphOptions& options);

/// The key of a graph's storage among choices: of all its nodes before they are stored anywhere.
NodeKey storage_key(const Graph& graph, const GraphOptions& options);
/// The choice of a kind, and the kind of a choice; nothing where it is none.
NodeChoice storage_choice(StorageKind kind);
std::optional<StorageKind> stored_kind(const NodeChoice& choice);
/// Where activations are stored: as the options ask or, where they ask for buffers, as was measured for the graph.
StorageKind chosen_storage(const Graph& graph, const GraphOptions& options);

/// The layout for a storage kind that choose_storage uses.
Layout default_layout(StorageKind kind);

/// Whether a tensor fits into one object of its kind on a device.
bool fits(const TensorDescriptor& descriptor, const gpu::DeviceFacts& facts);

}  // namespace driftwood::graph
