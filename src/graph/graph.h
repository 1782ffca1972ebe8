// A graph of logical operations over values. Nodes stand in the order in which they run: every node comes after those
// that produce its inputs. It is plain data; builder.h makes one, passes/ rewrite it, lowering.h turns it into kernels.
//
// Convention for language models: activations are Shape{.w = tokens (the most of one run), .c = features}. How many
// tokens are active in a run is known only then (Parameters); kernels bound their work by it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/operations/operation.h"
#include "tensor/descriptor.h"

namespace driftwood::graph {

using ValueId = std::uint32_t;
inline constexpr ValueId no_value = 0xFFFFFFFF;

enum class Role : std::uint8_t {
  Activation,  // lives between its producer and its last consumer
  Input,       // written by the caller before each run
  Output,      // read by the caller after each run
  Weights,     // a matrix in a block format; shape {W = rows, C = columns}
  Constant,    // host data: norm factors, RoPE frequencies, biases
  State,       // lives across runs, shared between programs: a KV cache
};

std::string_view to_string(Role role);

/// Rows of a matrix that a file holds under a name.
struct WeightsBlock {
  std::string name;
  std::uint32_t rows = 0;
  std::uint32_t first_row = 0;    // of those that are taken
  std::uint32_t stored_rows = 0;  // of the whole tensor; 0: first_row + rows
  bool operator==(const WeightsBlock&) const = default;
};

/// One matrix, made of blocks one below the other.
struct WeightsSource {
  DataType format = DataType::F32;
  std::uint32_t columns = 0;
  std::vector<WeightsBlock> blocks = {};
  /// Of a convolution: the positions of its window, and its input channels. The file holds a row as [channels][taps],
  /// the matrix as [taps][channels rounded up to a multiple of 4]. 1 tap: as the file holds it.
  std::uint32_t taps = 1;
  std::uint32_t channels = 0;
  /// Of one tap: columns first_column .. first_column + columns of rows that the file holds with stored_columns, for a
  /// matrix whose input comes in parts. 0: as many as columns.
  std::uint32_t first_column = 0;
  std::uint32_t stored_columns = 0;

  std::uint32_t rows() const;
  /// "a" or "a + b + c", with [first:end] where not all rows and with [:, first:end] where not all columns are taken:
  /// identifies the matrix within a model.
  std::string key() const;
  bool operator==(const WeightsSource&) const = default;
};

struct Value {
  ValueId id = no_value;
  std::string name = {};
  Shape shape = {};
  DataType data_type = DataType::F32;  // as stored: F32, F16 or U32; of weights their format; Q8_0 caches
  Role role = Role::Activation;
  /// A plain array of u32 (`var<storage> a: array<u32>`), not texels of four channels: token ids, a cache in Q8_0.
  bool is_array = false;
  WeightsSource weights = {};                               // Weights
  std::shared_ptr<const std::vector<float>> constant = {};  // Constant: shape.elements() values, channels innermost
  /// State after a write: the State value whose memory it is. no_value elsewhere.
  ValueId written_from = no_value;
  /// An activation without a producer: the channels from first_channel on, a multiple of 4, of another value, whose
  /// memory it is. no_value elsewhere.
  ValueId part_of = no_value;
  std::uint32_t first_channel = 0;
  /// How it is stored; given by the storage choice (storage_choice.h), or beforehand by the builder.
  std::optional<TensorDescriptor> descriptor = {};
};

/// What the elements of an activation take, before it is stored anyhow.
inline std::uint64_t element_bytes(const Value& value) {
  return value.shape.elements() * info(value.data_type).block_bytes;
}

struct Node {
  std::string name = {};
  Operation operation = {};
  std::vector<ValueId> inputs = {};
  std::vector<ValueId> outputs = {};
  /// Applied to output 0 where it is stored: input 0 of the program is what the operation computes, input 1 + i is
  /// epilogue_inputs[i]. Empty: none.
  ElementWise epilogue = {};
  std::vector<ValueId> epilogue_inputs = {};
  /// Applied to input 0 (and the operand joined to it, at its place in the joined channels) where it is loaded, before
  /// any padding: input 0 of the program is what is loaded, input 1 + i is prologue_inputs[i]. Empty: none.
  ElementWise prologue = {};
  std::vector<ValueId> prologue_inputs = {};

  template <class T>
  const T* as() const {
    return std::get_if<T>(&operation);
  }
};

class Graph {
 public:
  const std::vector<Value>& values() const { return values_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  std::vector<Node>& nodes() { return nodes_; }
  const Value& value(ValueId id) const { return values_.at(id); }
  Value& value(ValueId id) { return values_.at(id); }

  /// The most tokens of one run; 1 where the graph has no such axis.
  std::uint32_t max_tokens = 1;

  ValueId add_value(Value value);  // sets its id
  /// Appends a node.
  void add_node(Node node) { nodes_.push_back(std::move(node)); }

  /// Where a value is read: indices of nodes, once for each input or epilogue input that names it.
  std::vector<std::vector<std::size_t>> consumers() const;
  /// Index of the node that produces each value, or -1.
  std::vector<std::ptrdiff_t> producers() const;
  /// The value of a role with a name, or nothing.
  const Value* find(std::string_view name) const;
  /// The State at the bottom of a chain of writes, and what a part is of; any other value is its own.
  ValueId root(ValueId id) const;
  /// The value that says what `id` is and how it is stored: a part itself, of all else the root.
  ValueId described_by(ValueId id) const { return values_[id].part_of == no_value ? root(id) : id; }
  /// All inputs of a node: its operands, those of its epilogue, those of its prologue.
  static std::vector<ValueId> all_inputs(const Node& node);

  /// Shape of a node's input 0 with the operand joined to it.
  Shape joined_shape(const Node& node) const;

  /// Throws InternalError where an input is used before it is produced, a value is produced twice, or a shape differs
  /// from its rule. Passes are checked with it.
  void check() const;

 private:
  void check_part(const Value& part) const;

  std::vector<Value> values_;
  std::vector<Node> nodes_;
};

}  // namespace driftwood::graph
