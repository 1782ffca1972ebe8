#include "graph/lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "base/error.h"
#include "graph/cost.h"
#include "graph/joined_linears.h"
#include "graph/lifetimes.h"
#include "graph/passes/pass.h"
#include "graph/passes/quantize_activations.h"
#include "graph/quantized_cache.h"
#include "graph/spare_memory.h"
#include "graph/storage_choice.h"
#include "graph/tiled_inputs.h"
#include "tensor/packed_weights.h"
#include "tensor/storage.h"

namespace driftwood::graph {

gpu::MemoryDescriptor physical_object(const TensorDescriptor& descriptor) {
  if (descriptor.storage == StorageKind::Buffer) {
    return {.kind = StorageKind::Buffer, .bytes = object_bytes(descriptor)};
  }
  return {.kind = descriptor.storage, .texel = descriptor.data_type, .extent = object_extents(descriptor)};
}

std::uint64_t physical_bytes(const TensorDescriptor& descriptor) { return tensor_bytes(descriptor); }
std::uint64_t physical_bytes(const WeightsDescriptor& descriptor) { return packed_size(descriptor); }
std::uint64_t physical_bytes(const Value& value) {
  if (!value.is_array) return physical_bytes(value.descriptor.value());
  const std::uint64_t words =
      value.data_type == DataType::Q8_0 ? quantized_cache_words(value.shape) : value.shape.elements();
  return words * sizeof(std::uint32_t);
}

namespace {

// Folds the grid where the device has fewer groups along an axis than the kernel may need.
void fit_grid(LoweredStep& step, const SelectionContext& context) {
  KernelUse& use = step.use;
  if (!must_fold(use.grid, context.graph.max_tokens, context.facts.max_workgroup_count)) return;
  shader::FoldedGrid folded;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const GridExtent& extent = use.grid[axis];
    folded.extents[axis] = {extent.fixed, extent.rows_per_group, extent.rows_per_token, extent.context_per_group};
  }
  const auto own = std::ranges::find(use.resources, ResourceUse::Kind::Parameters, &ResourceUse::kind);
  if (own != use.resources.end()) folded.parameters = own->name;
  use.resources.push_back(parameters(shader::FoldedGrid::own_parameters));
  step.fitting.grid = std::move(folded);
}

// Plain buffers that one binding may not reach: the kernel's text does not tell their size.
void note_bytes(LoweredStep& step, const std::string& name, std::uint64_t bytes, const gpu::DeviceFacts& facts) {
  if (facts.max_binding != 0 && bytes > facts.max_binding) step.fitting.buffers[name] = bytes;
}

// Fills in what a row may leave out.
void complete(LoweredStep& step, const Node& node, const SelectionContext& context, std::span<const Scratch> scratch) {
  KernelUse& use = step.use;
  if (use.label.empty()) use.label = node.name;
  fit_grid(step, context);
  for (const ResourceUse& resource : use.resources) {
    if (resource.kind == ResourceUse::Kind::Parameters) continue;
    if (resource.kind == ResourceUse::Kind::Scratch) {
      const Scratch& memory = scratch[resource.index];
      if (memory.tensor) use.specialization.tensors.try_emplace(resource.name, *memory.tensor);
      if (!memory.tensor) note_bytes(step, resource.name, memory.bytes, context.facts);
      continue;
    }
    const Value& value = context.value(resource.index);
    if (value.role == Role::Weights) {
      const WeightsDescriptor plain{.format = value.data_type, .rows = value.shape.w, .columns = value.shape.c};
      use.specialization.weights.try_emplace(resource.name, plain);
    } else if (!value.is_array && resource.is_plain) {
      note_bytes(step, resource.name, physical_bytes(context.descriptor(resource.index)), context.facts);
    } else if (!value.is_array) {
      use.specialization.tensors.try_emplace(resource.name, context.descriptor(resource.index));
    } else {
      note_bytes(step, resource.name, physical_bytes(value), context.facts);
    }
  }
}

void select_kernels(LoweredGraph& lowered, const SelectionContext& context, std::span<const KernelRow> rows) {
  const std::vector<Node>& nodes = lowered.graph.nodes();
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    SelectionContext own = context;
    const KernelRow& row = select_measured(nodes[n], own, rows);
    if (own.chosen != nullptr) ++lowered.tuned_nodes;
    std::ranges::move(lower_node(n, own, row, lowered.scratch), std::back_inserter(lowered.steps));
  }
}

void report_externals(LoweredGraph& lowered) {
  std::set<std::string> seen;
  for (const LoweredStep& step : lowered.steps) {
    for (const ResourceUse& resource : step.use.resources) {
      if (resource.kind != ResourceUse::Kind::Value) continue;
      const Value& value = lowered.graph.value(lowered.graph.root(resource.index));
      std::string key = value.name;
      if (value.role == Role::Weights) {
        key += fmt::format("/{}", step.use.specialization.weights.at(resource.name).row_group);
      }
      if (!seen.insert(key).second) continue;
      MemoryReport& memory = lowered.memory;
      switch (value.role) {
        case Role::Weights: memory.weights += physical_bytes(step.use.specialization.weights.at(resource.name)); break;
        case Role::Constant: memory.constants += physical_bytes(value); break;
        case Role::State: memory.state += physical_bytes(value); break;
        case Role::Input:
        case Role::Output: memory.inputs_outputs += physical_bytes(value); break;
        case Role::Activation: break;
      }
    }
  }
  lowered.memory.inputs_outputs += sizeof(Parameters);
}

}  // namespace

std::vector<LoweredStep> lower_node(std::size_t node, const SelectionContext& context, const KernelRow& row,
                                    std::vector<Scratch>& scratch) {
  const Node& its_node = context.graph.nodes()[node];
  Lowering lowering = row.instantiate(its_node, context);
  const auto first_scratch = static_cast<std::uint32_t>(scratch.size());
  for (Scratch& memory : lowering.scratch) {
    if (memory.tensor) memory.bytes = physical_bytes(*memory.tensor);
    scratch.push_back(std::move(memory));
  }
  std::vector<LoweredStep> steps;
  for (KernelUse& use : lowering.kernels) {
    for (ResourceUse& resource : use.resources) {
      if (resource.kind == ResourceUse::Kind::Scratch) resource.index += first_scratch;
    }
    LoweredStep step{.use = std::move(use), .node = node, .kernel = row.kernel};
    complete(step, its_node, context, scratch);
    step.use.cost = estimate_cost(step.use, its_node, steps.empty(), context);
    steps.push_back(std::move(step));
  }
  return steps;
}

std::span<const FusedKernel> fused_kernels() {
  constexpr std::string_view floats = "activations as floats";
  static constexpr FusedKernel fused[] = {{"rope-qkv", "fuse-rope-cache"},
                                          {"gated-linear-rows", "fuse-gated"},
                                          {"qkv-rows", "fuse-qkv"},
                                          {"add-rms-norm", "fuse-add-norm"},
                                          {"quantize-tokens", {}, floats},
                                          {"integer-linear-rows", {}, floats},
                                          {"integer-gated-linear-rows", {}, floats},
                                          {"sample-token", {}, "sampling on the host"}};
  return fused;
}

std::vector<std::string> disabled_passes(const GraphOptions& options, const gpu::DeviceFacts& facts) {
  std::vector<std::string> disabled = options.disabled_passes;
  // A prologue runs once for each tap and each group of output channels. A GPU has arithmetic to spare while it waits
  // for memory; on a CPU the exponentials would take longer than the products.
  if (facts.is_cpu) disabled.emplace_back("fuse-prologue");
  for (const FusedKernel& fused : fused_kernels()) {
    const bool is_there = is_trusted(facts, fused.kernel) && !is_switched_off(options, fused.kernel);
    if (!fused.pass.empty() && !is_there) disabled.emplace_back(fused.pass);
  }
  return disabled;
}

namespace {

// In bytes, before anything is stored.
std::uint64_t largest_activation(const Graph& graph) {
  std::uint64_t largest = 0;
  for (const Value& value : graph.values()) {
    if (value.role == Role::Activation) largest = std::max(largest, element_bytes(value));
  }
  return largest;
}

LoweredGraph lower_with(Graph graph, const gpu::DeviceFacts& facts, const GraphOptions& options,
                        std::span<const KernelRow> rows) {
  LoweredGraph lowered;
  lowered.graph = std::move(graph);
  lowered.activations = resolved_activations(lowered.graph, options.activations);
  if (!is_trusted(facts, "quantize-tokens") || is_switched_off(options, "quantize-tokens")) {
    lowered.activations = ActivationMode::Float;
  }
  const bool has_integers = lowered.activations == ActivationMode::Int8;
  std::vector<std::string> disabled = disabled_passes(options, facts);
  if (has_integers) {
    disabled.emplace_back("fuse-norm");  // the kernels that make integers of a token want it normalized
    disabled.emplace_back("fuse-qkv");   // there is no such product of integers
  }
  // What the halves of a shortcut's input save is not worth their launches where there is memory to spare.
  if (spare_memory(facts) >= largest_activation(lowered.graph)) disabled.emplace_back("split-shortcut");
  run_passes(lowered.graph, disabled);
  const auto is_on = [&](std::string_view pass) { return std::ranges::find(disabled, pass) == disabled.end(); };
  if (is_on("join-linears")) join_linears(lowered.graph, facts);
  if (has_integers) quantize_activations(lowered.graph, facts, options);
  GraphOptions stored = options;
  stored.storage = chosen_storage(lowered.graph, options);
  choose_storage(lowered.graph, facts, stored);
  if (is_on("tile-inputs")) tile_inputs(lowered.graph, facts, options, rows);
  const SelectionContext context{lowered.graph, facts, options};
  select_kernels(lowered, context, rows);
  place_activations(lowered, facts, options);
  report_externals(lowered);
  return lowered;
}

// Buffers that a kernel may bind; what it turns out not to use, a compiled kernel does not.
std::size_t buffers_of(const LoweredStep& step, const LoweredGraph& lowered) {
  return static_cast<std::size_t>(std::ranges::count_if(step.use.resources, [&](const ResourceUse& resource) {
    if (resource.kind == ResourceUse::Kind::Parameters) return false;  // a uniform
    if (resource.kind == ResourceUse::Kind::Scratch) return true;
    const auto& tensor = lowered.graph.value(lowered.graph.root(resource.index)).descriptor;
    return !tensor || tensor->storage == StorageKind::Buffer;
  }));
}

// A pass that made a kernel bind more buffers than the device allows, in the order of what is given up first.
std::optional<std::string_view> pass_with_too_many_buffers(const LoweredGraph& lowered, const gpu::DeviceFacts& facts,
                                                           const std::vector<std::string>& disabled) {
  for (const LoweredStep& step : lowered.steps) {
    if (buffers_of(step, lowered) <= facts.max_bindings) continue;
    const Node& node = lowered.graph.nodes()[step.node];
    std::vector<std::string_view> passes;
    for (const FusedKernel& fused : fused_kernels()) {
      if (!fused.pass.empty() && fused.kernel == step.kernel) passes.push_back(fused.pass);
    }
    const std::size_t joined = joined_operand(node.operation);
    if (joined != 0 && node.inputs.size() > joined) passes.emplace_back("fuse-concat");
    if (!node.prologue.empty()) passes.emplace_back("fuse-prologue");
    if (!node.epilogue_inputs.empty()) passes.emplace_back("fuse-elementwise");
    for (const std::string_view pass : passes) {
      if (std::ranges::find(disabled, pass) == disabled.end()) return pass;
    }
  }
  return std::nullopt;  // the device words what is still too much
}

}  // namespace

LoweredGraph lower(Graph graph, const gpu::DeviceFacts& facts, const GraphOptions& options,
                   std::span<const KernelRow> rows) {
  for (const std::string& name : options.disabled_kernels) {
    if (std::ranges::find(rows, name, &KernelRow::kernel) != rows.end()) continue;
    throw InvalidInput(
        fmt::format("There is no kernel '{}' to switch off; 'driftwood profile' names those that a model uses.", name));
  }
  if (facts.max_bindings == 0) return lower_with(std::move(graph), facts, options, rows);
  GraphOptions narrowed = options;
  while (true) {
    LoweredGraph lowered = lower_with(graph, facts, narrowed, rows);
    const auto pass = pass_with_too_many_buffers(lowered, facts, narrowed.disabled_passes);
    if (!pass) return lowered;
    narrowed.disabled_passes.emplace_back(*pass);
  }
}

}  // namespace driftwood::graph
