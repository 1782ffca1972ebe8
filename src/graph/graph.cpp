#include "graph/graph.h"

#include <fmt/format.h>

#include "base/error.h"

namespace driftwood::graph {

std::string_view to_string(Role role) {
  switch (role) {
    case Role::Activation: return "activation";
    case Role::Input: return "input";
    case Role::Output: return "output";
    case Role::Weights: return "weights";
    case Role::Constant: return "constant";
    case Role::State: return "state";
  }
  return "unknown";
}

std::uint32_t WeightsSource::rows() const {
  std::uint32_t rows = 0;
  for (const WeightsBlock& block : blocks) rows += block.rows;
  return rows;
}

std::string WeightsSource::key() const {
  std::string key;
  for (const WeightsBlock& block : blocks) {
    key += (key.empty() ? "" : " + ") + block.name;
    if (block.first_row != 0 || block.stored_rows > block.rows) {
      key += fmt::format("[{}:{}]", block.first_row, block.first_row + block.rows);
    }
  }
  if (stored_columns > columns) key += fmt::format("[:, {}:{}]", first_column, first_column + columns);
  return key;
}

ValueId Graph::add_value(Value value) {
  value.id = static_cast<ValueId>(values_.size());
  values_.push_back(std::move(value));
  return values_.back().id;
}

std::vector<ValueId> Graph::all_inputs(const Node& node) {
  std::vector<ValueId> all = node.inputs;
  all.insert(all.end(), node.epilogue_inputs.begin(), node.epilogue_inputs.end());
  all.insert(all.end(), node.prologue_inputs.begin(), node.prologue_inputs.end());
  return all;
}

std::vector<std::vector<std::size_t>> Graph::consumers() const {
  std::vector<std::vector<std::size_t>> result(values_.size());
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    for (const ValueId id : all_inputs(nodes_[n])) result[id].push_back(n);
  }
  return result;
}

std::vector<std::ptrdiff_t> Graph::producers() const {
  std::vector<std::ptrdiff_t> result(values_.size(), -1);
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    for (const ValueId id : nodes_[n].outputs) result[id] = static_cast<std::ptrdiff_t>(n);
  }
  return result;
}

const Value* Graph::find(std::string_view name) const {
  for (const Value& value : values_) {
    if (value.name == name) return &value;
  }
  return nullptr;
}

ValueId Graph::root(ValueId id) const {
  while (values_[id].written_from != no_value) id = values_[id].written_from;
  return values_[id].part_of != no_value ? values_[id].part_of : id;
}

Shape Graph::joined_shape(const Node& node) const {
  Shape shape = values_.at(node.inputs.at(0)).shape;
  const std::size_t joined = joined_operand(node.operation);
  if (joined != 0 && node.inputs.size() > joined) shape.c += values_.at(node.inputs[joined]).shape.c;
  return shape;
}

void Graph::check_part(const Value& part) const {
  const Value& whole = values_.at(part.part_of);
  Shape positions = part.shape;
  positions.c = whole.shape.c;
  if (positions != whole.shape || part.data_type != whole.data_type || part.role != Role::Activation ||
      part.first_channel % 4 != 0 || std::uint64_t{part.first_channel} + part.shape.c > whole.shape.c) {
    throw InternalError(fmt::format("The value '{}' {} cannot be the part of '{}' {} from channel {} on.", part.name,
                                    to_string(part.shape), whole.name, to_string(whole.shape), part.first_channel));
  }
}

void Graph::check() const {
  for (const Value& value : values_) {
    if (value.part_of != no_value) check_part(value);
  }
  std::vector<bool> known(values_.size(), false);
  for (const Value& value : values_) {
    known[value.id] = value.role == Role::Input || value.role == Role::Weights || value.role == Role::Constant ||
                      (value.role == Role::State && value.written_from == no_value);
  }
  for (const Node& node : nodes_) {
    std::vector<Operand> operands;
    for (const ValueId id : all_inputs(node)) {
      if (!known.at(values_.at(id).part_of == no_value ? id : values_[id].part_of)) {
        throw InternalError(
            fmt::format("The node '{}' reads '{}' before it is produced.", node.name, values_[id].name));
      }
    }
    for (const ValueId id : node.inputs) operands.push_back({values_[id].name, values_[id].shape});
    std::vector<Shape> shapes = output_shapes(node.operation, operands);
    if (!node.epilogue.empty() && !shapes.empty()) {
      std::vector<Operand> extra{{node.name, shapes[0]}};
      for (const ValueId id : node.epilogue_inputs) extra.push_back({values_[id].name, values_[id].shape});
      if (output_shapes(node.epilogue, extra)[0] != shapes[0]) {
        throw InternalError(
            fmt::format("The epilogue of the node '{}' changes its shape {}.", node.name, to_string(shapes[0])));
      }
    }
    if (!node.prologue.empty()) {
      const Shape loaded = joined_shape(node);
      std::vector<Operand> extra{{node.name, loaded}};
      for (const ValueId id : node.prologue_inputs) extra.push_back({values_[id].name, values_[id].shape});
      if (!accepts_prologue(node.operation) || output_shapes(node.prologue, extra)[0] != loaded) {
        throw InternalError(
            fmt::format("The prologue of the node '{}' does not fit its input {}.", node.name, to_string(loaded)));
      }
    }
    if (shapes.size() != node.outputs.size()) {
      throw InternalError(fmt::format("The node '{}' has {} outputs, but its operation gives {}.", node.name,
                                      node.outputs.size(), shapes.size()));
    }
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const Value& value = values_.at(node.outputs[i]);
      if (known[value.id]) {
        throw InternalError(
            fmt::format("The value '{}' is produced twice, the second time by '{}'.", value.name, node.name));
      }
      if (value.shape != shapes[i]) {
        throw InternalError(fmt::format("The value '{}' {} does not have the shape {} that the node '{}' gives.",
                                        value.name, to_string(value.shape), to_string(shapes[i]), node.name));
      }
      known[value.id] = true;
    }
  }
  for (const Value& value : values_) {
    if (value.role == Role::Output && !known[value.id]) {
      throw InternalError(fmt::format("The output '{}' is produced by no node.", value.name));
    }
  }
}

}  // namespace driftwood::graph
