// What passes share: facts of a graph that is being rewritten, and removal of nodes.
#pragma once

#include <span>
#include <vector>

#include "graph/graph.h"

namespace driftwood::graph {

/// Producers and consumers of every value at one moment; made anew after a rewrite.
struct Uses {
  explicit Uses(const Graph& graph) : producers(graph.producers()), consumers(graph.consumers()) {}

  std::vector<std::ptrdiff_t> producers;
  std::vector<std::vector<std::size_t>> consumers;

  /// The value is an activation that exactly one input of one node reads.
  bool is_private(const Graph& graph, ValueId id) const {
    return graph.value(id).role == Role::Activation && consumers[id].size() == 1;
  }
  /// The node that produces a value, or null.
  const Node* producer(const Graph& graph, ValueId id) const {
    return producers[id] < 0 ? nullptr : &graph.nodes()[static_cast<std::size_t>(producers[id])];
  }
};

/// Puts `node` in the place of nodes[place] and removes the nodes in `removed` (indices, any order, without `place`).
void replace_nodes(Graph& graph, std::size_t place, Node node, std::vector<std::size_t> removed);

/// Removes the nodes of these indices, in any order.
void remove_nodes(Graph& graph, std::vector<std::size_t> removed);

/// The rows of matrices of one format and width below one another.
ValueId merged_weights(Graph& graph, std::span<const ValueId> parts);
/// The channels of constant vectors behind one another.
ValueId merged_vectors(Graph& graph, std::span<const ValueId> parts);

}  // namespace driftwood::graph
