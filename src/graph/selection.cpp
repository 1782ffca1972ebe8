#include "graph/selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.h"
#include "base/error.h"
#include "graph/epilogue.h"

namespace driftwood::graph {

std::uint64_t GridExtent::groups(const Parameters& parameters) const {
  const std::uint64_t context = std::uint64_t{parameters.position} + parameters.tokens;
  if (context < least_context || context > most_context) return 0;
  std::uint64_t count = fixed;
  if (rows_per_group != 0) count *= divide_up(std::uint64_t{parameters.tokens} * rows_per_token, rows_per_group);
  if (context_per_group != 0) count *= divide_up(context, context_per_group);
  return std::min<std::uint64_t>(count, most_groups);
}

ResourceUse read(std::string name, ValueId value) {
  return {.name = std::move(name), .kind = ResourceUse::Kind::Value, .index = value, .writes = false};
}
ResourceUse write(std::string name, ValueId value) {
  return {.name = std::move(name), .kind = ResourceUse::Kind::Value, .index = value, .writes = true};
}
ResourceUse read_scratch(std::string name, std::uint32_t scratch) {
  return {.name = std::move(name), .kind = ResourceUse::Kind::Scratch, .index = scratch, .writes = false};
}
ResourceUse write_scratch(std::string name, std::uint32_t scratch) {
  return {.name = std::move(name), .kind = ResourceUse::Kind::Scratch, .index = scratch, .writes = true};
}
ResourceUse parameters(std::string name) { return {.name = std::move(name), .kind = ResourceUse::Kind::Parameters}; }

const TensorDescriptor& SelectionContext::descriptor(ValueId id) const {
  const Value& value = graph.value(graph.described_by(id));
  if (!value.descriptor) {
    throw InternalError(fmt::format("The {} '{}' is stored as no tensor.", to_string(value.role), value.name));
  }
  return *value.descriptor;
}

bool SelectionContext::per_token(ValueId id) const {
  const Value& value = graph.value(id);
  const bool can_be = value.role == Role::Activation || value.role == Role::Input || value.role == Role::Output;
  return can_be && value.shape.w % graph.max_tokens == 0;
}

std::uint32_t SelectionContext::choice(std::string_view parameter, std::uint32_t by_rule,
                                       std::span<const std::uint32_t> candidates,
                                       const std::function<bool(std::uint32_t)>& is_right) const {
  if (chosen == nullptr && asked == nullptr) return by_rule;
  ParameterUse use{.name = std::string(parameter), .by_rule = by_rule, .value = by_rule};
  for (const std::uint32_t candidate : candidates) {
    if (candidate == by_rule || !is_right || is_right(candidate)) use.candidates.push_back(candidate);
  }
  if (std::ranges::find(use.candidates, by_rule) == use.candidates.end()) use.candidates.push_back(by_rule);
  if (chosen != nullptr) {
    const auto wanted = chosen->values.find(parameter);
    const bool is_candidate =
        wanted != chosen->values.end() && std::ranges::find(use.candidates, wanted->second) != use.candidates.end();
    if (is_candidate) use.value = wanted->second;
  }
  const std::uint32_t value = use.value;
  if (asked != nullptr) {
    const auto same = std::ranges::find(*asked, parameter, &ParameterUse::name);
    if (same == asked->end()) {
      asked->push_back(std::move(use));
    } else {
      *same = std::move(use);
    }
  }
  return value;
}

std::string_view operation_of(std::string_view kernel) {
  for (const KernelRow& row : kernel_rows()) {
    if (row.kernel == kernel) return row.operation;
  }
  return {};
}

bool is_trusted(const gpu::DeviceFacts& facts, std::string_view kernel) {
  return std::ranges::find(facts.distrusted_kernels, kernel) == facts.distrusted_kernels.end();
}

bool is_switched_off(const GraphOptions& options, std::string_view kernel) {
  return std::ranges::find(options.disabled_kernels, kernel) != options.disabled_kernels.end();
}

const KernelRow& select(const Node& node, const SelectionContext& context, std::span<const KernelRow> rows) {
  const std::string_view operation = name(node.operation);
  if (context.chosen != nullptr) {
    for (const KernelRow& row : rows) {
      if (row.operation != operation || row.kernel != context.chosen->kernel) continue;
      const bool is_free = is_trusted(context.facts, row.kernel) && !is_switched_off(context.options, row.kernel);
      if (is_free && row.applies(node, context)) return row;
    }
  }
  SelectionContext by_rule = context;
  by_rule.chosen = nullptr;  // values are of the chosen row alone
  std::string wrong, off;
  for (const KernelRow& row : rows) {
    if (row.operation != operation || !row.applies(node, by_rule)) continue;
    if (is_switched_off(context.options, row.kernel)) {
      off += fmt::format("{}'{}'", off.empty() ? "" : ", ", row.kernel);
      continue;
    }
    if (is_trusted(context.facts, row.kernel)) return row;
    wrong += fmt::format("{}'{}'", wrong.empty() ? "" : ", ", row.kernel);
  }
  std::string shapes;
  for (const ValueId id : node.inputs) {
    const Value& value = context.value(id);
    shapes += fmt::format("{}'{}' {} {}", shapes.empty() ? "" : ", ", value.name, to_string(value.shape),
                          to_string(value.data_type));
  }
  std::string message = fmt::format("No kernel on the device '{}' runs the node '{}', {} of {}.", context.facts.id,
                                    node.name, operation, shapes);
  message += fmt::format(" Its workgroups have at most {} invocations and {} bytes of memory.",
                         context.facts.max_workgroup_size, context.facts.local_memory);
  if (!off.empty()) message += fmt::format(" Switched off for it: {}.", off);
  if (!wrong.empty()) message += fmt::format(" Its self-test found wrong numbers of {}.", wrong);
  throw Unsupported(std::move(message));
}

const KernelRow& select_measured(const Node& node, SelectionContext& context, std::span<const KernelRow> rows) {
  if (context.options.choices != nullptr) {
    context.chosen = context.options.choices->find(node_key(node, context.graph, context.options));
  }
  const KernelRow& row = select(node, context, rows);
  if (context.chosen != nullptr && context.chosen->kernel != row.kernel) context.chosen = nullptr;
  return row;
}

std::string activation_type(const SelectionContext& context) {
  return context.options.precision == Precision::F16 && context.facts.has_f16_arithmetic ? "f16" : "f32";
}

void add_prologue(const Node& node, const SelectionContext& context, KernelUse& use) {
  if (node.prologue.empty()) return;
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < node.prologue_inputs.size(); ++i) {
    shapes.push_back(context.shape(node.prologue_inputs[i]));
    use.resources.push_back(read(fmt::format("loaded_{}", i), node.prologue_inputs[i]));
  }
  use.specialization.fusions["prologue"] =
      fusion_source("prologue", "loaded", node.prologue, shapes, context.graph.joined_shape(node));
}

void add_epilogue(const Node& node, const SelectionContext& context, KernelUse& use) {
  const std::string source = epilogue_source(node, context.graph);
  if (source.empty()) return;
  use.specialization.fusions["epilogue"] = source;
  const EffectiveEpilogue epilogue = effective_epilogue(node);
  const ValueId output = node.outputs.at(0);
  const auto operands = std::span(node.inputs).first(operand_count(node));
  for (std::size_t i = 0; i < epilogue.inputs.size(); ++i) {
    const ValueId id = epilogue.inputs[i];
    use.resources.push_back(read(fmt::format("fused_{}", i), id));
    // The epilogue reads the very element that is stored next, so the output may lie over it, unless the operation
    // reads the same value elsewhere.
    const bool is_operand = std::ranges::find(operands, id) != operands.end() ||
                            std::ranges::find(node.prologue_inputs, id) != node.prologue_inputs.end();
    if (!is_operand && context.value(id).role == Role::Activation &&
        context.descriptor(id) == context.descriptor(output)) {
      use.in_place.emplace_back(output, id);
    }
  }
}

}  // namespace driftwood::graph
