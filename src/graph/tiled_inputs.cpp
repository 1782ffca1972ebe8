#include "graph/tiled_inputs.h"

#include <algorithm>
#include <vector>

#include "graph/selection/pipeline_product.h"
#include "graph/storage_choice.h"

namespace driftwood::graph {
namespace {

// Of a value: whether it may be in tiles, and the nodes that read it as their first operand.
struct Readers {
  bool can_be_tiled = false;
  std::vector<std::size_t> nodes = {};
};

bool has_tiles(const Value& value) {
  return value.role == Role::Activation && !value.is_array && value.descriptor &&
         value.descriptor->data_type == DataType::F16 && value.descriptor->storage == StorageKind::Buffer &&
         value.descriptor->layout == default_layout(StorageKind::Buffer) && value.shape.d == 1 &&
         value.shape.slices() % 16 == 0;
}

std::vector<Readers> readers_of(const Graph& graph) {
  std::vector<Readers> readers(graph.values().size());
  for (ValueId id = 0; id < readers.size(); ++id) {
    readers[id].can_be_tiled = graph.root(id) == id && has_tiles(graph.value(id));
  }
  // What another value is a name of is read in more ways than one.
  for (ValueId id = 0; id < readers.size(); ++id) {
    if (graph.root(id) != id) readers[graph.root(id)].can_be_tiled = false;
  }
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    const Node& node = graph.nodes()[n];
    const auto refuse = [&](const std::vector<ValueId>& ids, std::size_t from) {
      for (std::size_t i = from; i < ids.size(); ++i) {
        if (ids[i] != no_value) readers[ids[i]].can_be_tiled = false;
      }
    };
    refuse(node.inputs, 1);
    refuse(node.prologue_inputs, 0);
    refuse(node.epilogue_inputs, 0);
    if (!node.inputs.empty() && node.inputs[0] != no_value) readers[node.inputs[0]].nodes.push_back(n);
  }
  return readers;
}

}  // namespace

void tile_inputs(Graph& graph, const gpu::DeviceFacts& facts, const GraphOptions& options,
                 std::span<const KernelRow> rows) {
  if (facts.pipeline_memory == 0) return;
  const std::vector<Readers> readers = readers_of(graph);
  const SelectionContext context{graph, facts, options};
  std::vector<std::uint32_t> tiles(readers.size(), 0);
  for (ValueId id = 0; id < readers.size(); ++id) {
    if (!readers[id].can_be_tiled || readers[id].nodes.empty()) continue;
    const auto tile_of = [&](std::size_t n) {
      SelectionContext own = context;
      const Node& node = graph.nodes()[n];
      const KernelRow& row = select_measured(node, own, rows);
      return tile_of_input(node, row, own);
    };
    const std::uint32_t first = tile_of(readers[id].nodes.front());
    const bool all_agree = std::ranges::all_of(readers[id].nodes, [&](std::size_t n) { return tile_of(n) == first; });
    if (all_agree) tiles[id] = first;
  }
  for (ValueId id = 0; id < tiles.size(); ++id) {
    if (tiles[id] != 0) graph.value(id).descriptor->layout = tiled_layout(tiles[id]);
  }
}

}  // namespace driftwood::graph
