// Selection as data: which kernel runs a node on a device, with which constants, resources and grid.
//
// A KernelRow says when a kernel applies and how it is used; rows stand in order of preference, the first that applies
// is taken. An operation's rows are in selection/OPERATION.cpp and joined in selection/table.cpp. A row is a pure
// function of the node and the context, so that a choice can be tested without a device:
//
//   Lowering rms_norm(const Node& node, const SelectionContext& context) {
//     KernelUse use{.module_path = "package::rms_norm", .label = node.name};
//     use.specialization.overrides = {{"epsilon", ...}, {"lanes", 64}};
//     use.resources = {read("x", node.inputs[0]), read("gamma", node.inputs[1]), write("y", node.outputs[0])};
//     use.grid = {GridExtent{.rows_per_group = 1}};
//     add_epilogue(node, context, use);
//     return {.kernels = {std::move(use)}};
//   }
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/device.h"
#include "graph/choices.h"
#include "graph/graph.h"
#include "graph/options.h"
#include "graph/parameters.h"
#include "shader/compile.h"

namespace driftwood::graph {

/// Workgroups along one axis: fixed * ceil(active rows / rows_per_group) * ceil(context / context_per_group), where a
/// zero divisor leaves its factor out, active rows = tokens * rows_per_token, and context = position + tokens; at most
/// most_groups. None where the context is below least_context or above most_context: of kernels that take turns.
struct GridExtent {
  std::uint32_t fixed = 1;
  std::uint32_t rows_per_group = 0;
  std::uint32_t rows_per_token = 1;
  std::uint32_t context_per_group = 0;
  std::uint32_t most_groups = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t least_context = 0;
  std::uint32_t most_context = std::numeric_limits<std::uint32_t>::max();

  std::uint64_t groups(const Parameters& parameters) const;
  /// Whether there are contexts for which it does not run.
  bool takes_turns() const { return least_context > 0 || most_context < std::numeric_limits<std::uint32_t>::max(); }
  bool operator==(const GridExtent&) const = default;
};

using Grid = std::array<GridExtent, 3>;

/// What a resource of a kernel is bound to.
struct ResourceUse {
  enum class Kind : std::uint8_t { Value, Parameters, Scratch };
  std::string name = {};  // of the kernel's variable
  Kind kind = Kind::Value;
  std::uint32_t index = 0;  // ValueId, or place in Lowering::scratch
  bool writes = false;
  bool is_plain = false;  // an array to the kernel, though the value is a tensor
};

ResourceUse read(std::string name, ValueId value);
ResourceUse write(std::string name, ValueId value);
ResourceUse read_scratch(std::string name, std::uint32_t scratch);
ResourceUse write_scratch(std::string name, std::uint32_t scratch);
ResourceUse parameters(std::string name = "parameters");

/// Memory between the kernels of one node: a tensor, or plain bytes.
struct Scratch {
  std::string name = {};
  std::uint64_t bytes = 0;
  std::optional<TensorDescriptor> tensor = {};  // bytes follow from it
};

/// Work of a dispatch for profiles. Bytes: what the memory must move at least.
struct Cost {
  double flops_per_token = 0;
  double fixed_bytes = 0;  // weights and constants
  double bytes_per_token = 0;
  // Of attention over a cache: for each token and each position that it looks at, and for each such position.
  double flops_per_pair = 0;
  double bytes_per_place = 0;
  std::uint32_t window = 0;  // positions that a token looks at; 0: all up to its own

  double bytes(const Parameters& parameters) const;
  double flops(const Parameters& parameters) const;
};

struct KernelUse {
  std::string module_path = {};  // "package::rms_norm"
  std::string entry_point = {};  // empty: the only one
  /// Descriptors of tensors are filled in from `resources` where they are missing; those of weights are given by the
  /// row (row_group is the row's choice) and must agree between programs that are to share them.
  shader::Specialization specialization = {};
  std::vector<ResourceUse> resources = {};  // any order; those that the compiled kernel does not use are ignored
  Grid grid = {};
  std::string label = {};
  /// (output, input): the output may take the memory of the input, if both are buffers and the input ends here: each
  /// thread reads an element of the input before it writes that element of the output, and no other thread reads it;
  /// or the same of workgroups, with a barrier in between.
  std::vector<std::pair<ValueId, ValueId>> in_place = {};
  std::optional<Cost> cost = {};  // nothing: estimated from the node
};

/// The kernels of one node, in order.
struct Lowering {
  std::vector<KernelUse> kernels = {};
  std::vector<Scratch> scratch = {};
};

struct SelectionContext {
  const Graph& graph;
  const gpu::DeviceFacts& facts;
  const GraphOptions& options;
  /// What was measured for the node at hand, of the row that asks; null: nothing.
  const NodeChoice* chosen = nullptr;
  /// Where parameters are noted as they are asked for; null: nowhere.
  std::vector<ParameterUse>* asked = nullptr;

  const Value& value(ValueId id) const { return graph.value(id); }
  const Shape& shape(ValueId id) const { return graph.value(id).shape; }
  /// The descriptor that the storage choice gave; of a State after a write: that of the State. Throws InternalError for
  /// weights.
  const TensorDescriptor& descriptor(ValueId id) const;
  /// Whether the value has a token axis (W) that only counts up to the active tokens.
  bool per_token(ValueId id) const;

  /// The value of a parameter of the row for the node at hand: what was measured, where it is among the candidates,
  /// else `by_rule`. Of the candidates those are left out that `is_right`, where it is given, says no of.
  std::uint32_t choice(std::string_view name, std::uint32_t by_rule, std::span<const std::uint32_t> candidates,
                       const std::function<bool(std::uint32_t)>& is_right = {}) const;
  std::uint32_t choice(std::string_view name, std::uint32_t by_rule, std::initializer_list<std::uint32_t> candidates,
                       const std::function<bool(std::uint32_t)>& is_right = {}) const {
    return choice(name, by_rule, std::span(candidates.begin(), candidates.size()), is_right);
  }
};

struct KernelRow {
  std::string_view operation;  // Linear::name, ...
  std::string_view kernel;     // named in dumps, profiles and the ablation: "matvec-q4-row4"
  bool (*applies)(const Node&, const SelectionContext&);
  Lowering (*instantiate)(const Node&, const SelectionContext&);
};

/// All rows, of each operation in order of preference (selection/table.cpp).
std::span<const KernelRow> kernel_rows();

/// The operation that the kernel of a row runs; an empty text where there is no such row.
std::string_view operation_of(std::string_view kernel);

/// Whether a row has given right numbers on the device, as far as it is known (DeviceFacts::distrusted_kernels).
bool is_trusted(const gpu::DeviceFacts& facts, std::string_view kernel);

/// Whether the options leave a row out.
bool is_switched_off(const GraphOptions& options, std::string_view kernel);

/// The row that was measured to be the best, where one was, else the first of those that apply: trusted, and not
/// switched off. Throws Unsupported, naming the node, its operation and shapes, where there is none.
const KernelRow& select(const Node& node, const SelectionContext& context, std::span<const KernelRow> rows);

/// The same with what was measured of the node, options.choices, of which `context` keeps what the row is to take.
const KernelRow& select_measured(const Node& node, SelectionContext& context, std::span<const KernelRow> rows);

/// "act" alias for arithmetic and tensor<act>: "f16" where the device has it and the precision allows, else "f32".
std::string activation_type(const SelectionContext& context);

/// Links the node's prologue into a kernel that declares `@fusion fn prologue`: source text and the tensors loaded_0
/// ... Does nothing where there is none.
void add_prologue(const Node& node, const SelectionContext& context, KernelUse& use);

/// Links the node's epilogue (and a Linear's bias) into a kernel that declares `@fusion fn epilogue`: source text, the
/// tensors fused_0 ..., and in-place pairs for those that are stored as output 0 is. Does nothing where there is none.
void add_epilogue(const Node& node, const SelectionContext& context, KernelUse& use);

}  // namespace driftwood::graph
