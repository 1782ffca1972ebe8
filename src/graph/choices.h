// What selection leaves to measurement, as data: for nodes of a kind, the row of the selection table and the values of
// the row's parameters. Where nothing is chosen, or what is chosen does not apply, the rules of the rows decide.
//
// A row asks for a parameter where it needs it, and names the values that are right on the device:
//
//   tiling.splits = context.choice("splits", tiling.splits, {1, 2, 4, 8, 16}, fits);
//
// `driftwood tune` measures them (tuning/); GraphOptions::choices brings what it found into a program.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "graph/options.h"

namespace driftwood::graph {

/// Values of parameters by name.
using ParameterValues = std::map<std::string, std::uint32_t, std::less<>>;

/// How a node is run: a row of kernel_rows() and those of its parameters that are not left to its rule.
struct NodeChoice {
  std::string kernel = {};
  ParameterValues values = {};
  bool operator==(const NodeChoice&) const = default;
};

/// "linear-halves, splits 16, turns 2".
std::string to_string(const NodeChoice& choice);

/// A parameter that a row asked for.
struct ParameterUse {
  std::string name = {};
  std::uint32_t by_rule = 0;
  std::uint32_t value = 0;                     // what it got
  std::vector<std::uint32_t> candidates = {};  // all that are right, by_rule among them
};

/// What the speed of a node depends on: nodes of one key run alike. `node` is text: the operation with its attributes,
/// the shapes, types and storage of all operands, what is fused, the precision. Tokens of a run and places of caches
/// are left open in it, since they vary from run to run of one model.
struct NodeKey {
  std::string node = {};
  std::uint32_t tokens = 1;  // the most of a run; 1 where the node has no token axis
  std::uint32_t places = 0;  // of caches; 0: it has none
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 means the zero that it compares with
  auto operator<=>(const NodeKey&) const = default;
};

/// The key of a node in a graph whose values have their descriptors.
NodeKey node_key(const Node& node, const Graph& graph, const GraphOptions& options);

class Choices {
 public:
  /// Takes the place of an earlier choice for the same key. A choice without a kernel leaves the node to the rules.
  void add(NodeKey key, NodeChoice choice);
  /// The choice for every node that its kernel can take and that has none of its own.
  void add_for_all(NodeChoice choice) { for_all_ = std::move(choice); }
  /// The choice for a key, else that for the nearest numbers of tokens and places, at most a factor of four away each;
  /// up to 16 tokens are never taken for another number; else that for all. Null: the rules decide.
  const NodeChoice* find(const NodeKey& key) const;
  std::size_t size() const { return size_; }

 private:
  struct Entry {
    std::uint32_t tokens, places;
    NodeChoice choice;
  };
  std::map<std::string, std::vector<Entry>, std::less<>> entries_;  // by NodeKey::node
  std::size_t size_ = 0;
  NodeChoice for_all_;
};

}  // namespace driftwood::graph
