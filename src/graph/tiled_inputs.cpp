#include "graph/tiled_inputs.h"

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

// The tile that all of these nodes read their first operand in; 0: there is none.
std::uint32_t tile_of(const std::vector<std::size_t>& nodes, const SelectionContext& context,
                      std::span<const KernelRow> rows) {
  std::uint32_t tile = 0;
  for (const std::size_t n : nodes) {
    SelectionContext own = context;
    const Node& node = context.graph.nodes()[n];
    const KernelRow& row = select_measured(node, own, rows);
    const std::uint32_t wanted = tile_of_input(node, row, own);
    if (wanted == 0 || (tile != 0 && wanted != tile)) return 0;
    tile = wanted;
  }
  return tile;
}

}  // namespace

void tile_inputs(Graph& graph, const gpu::DeviceFacts& facts, const GraphOptions& options,
                 std::span<const KernelRow> rows) {
  if (facts.pipeline_memory == 0) return;
  const std::vector<Readers> readers = readers_of(graph);
  const SelectionContext context{graph, facts, options};
  std::vector<std::uint32_t> tiles(readers.size(), 0);
  for (ValueId id = 0; id < readers.size(); ++id) {
    if (readers[id].can_be_tiled) tiles[id] = tile_of(readers[id].nodes, context, rows);
  }
  for (ValueId id = 0; id < tiles.size(); ++id) {
    if (tiles[id] != 0) graph.value(id).descriptor->layout = tiled_layout(tiles[id]);
  }
}

}  // namespace driftwood::graph
