#include "graph/program.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "kernels/source.h"

namespace driftwood::graph {

Program::Program(gpu::Device& device, const Graph& graph, ProgramSettings settings)
    : device_(device), store_(std::move(settings.store)), kernels_(std::move(settings.kernels)) {
  if (!store_) store_ = std::make_shared<ResourceStore>(device, WeightsProvider{});
  if (!kernels_) {
    shader::SourceProvider sources = settings.sources ? settings.sources : shader::SourceProvider(kernels::source);
    kernels_ = std::make_shared<KernelCache>(device, std::move(sources));
  }
  select_within_limits(graph, settings);
  parameter_buffer_ = settings.parameters;
  if (!parameter_buffer_.memory) {
    parameter_buffer_ = {.memory = device.allocate({.kind = StorageKind::Buffer, .bytes = sizeof(Parameters)}),
                         .size = sizeof(Parameters)};
  }
  bind_values(settings);
  allocate_activations(settings.arena.get());
  is_joined_ = settings.is_joined;
  record();
}

void Program::select_within_limits(const Graph& graph, const ProgramSettings& settings) {
  gpu::DeviceFacts facts = device_.facts();
  while (true) {
    lowered_ = lower(graph, facts, settings.options, settings.rows);
    // A compiled kernel may take fewer invocations a group than its device does (registers, local memory).
    std::uint32_t limit = facts.max_workgroup_size;
    std::size_t done = 0;
    for (const LoweredStep& step : lowered_.steps) {
      const gpu::Kernel& kernel = compiled(step);
      const auto size = kernel.workgroup_size();
      const std::uint64_t invocations = std::uint64_t{size[0]} * size[1] * size[2];
      if (invocations > kernel.max_workgroup_size()) limit = std::min(limit, kernel.max_workgroup_size());
      if (settings.progress) settings.progress(++done, lowered_.steps.size());
    }
    if (limit == facts.max_workgroup_size || limit == 0)
      return;  // record() words the error of a kernel that never fits
    facts.max_workgroup_size = limit;
  }
}

const gpu::Kernel& Program::compiled(const LoweredStep& step) {
  try {
    return *kernels_->get(step.use, step.fitting).kernel;
  } catch (Error& error) {
    error.add_context(fmt::format("While compiling the kernel '{}' for '{}'.", step.kernel, step.use.label));
    throw;
  }
}

void Program::bind_values(const ProgramSettings& settings) {
  const Graph& graph = lowered_.graph;
  bindings_.resize(graph.values().size());
  std::vector<bool> is_used(graph.values().size(), false);
  for (const LoweredStep& step : lowered_.steps) {
    for (const ResourceUse& resource : step.use.resources) {
      if (resource.kind != ResourceUse::Kind::Value) continue;
      const ValueId id = graph.root(resource.index);
      is_used[id] = true;
      const Value& value = graph.value(id);
      if (value.role != Role::Weights) continue;
      const WeightsDescriptor& descriptor = step.use.specialization.weights.at(resource.name);
      const std::pair<ValueId, std::uint32_t> key{id, descriptor.row_group};
      if (!weights_.contains(key)) weights_[key] = store_->weights(value.weights, descriptor);
    }
  }
  for (const Value& value : graph.values()) {
    const bool is_named = value.role == Role::Input || value.role == Role::Output ||
                          (value.role == Role::State && value.written_from == no_value);
    if (is_named) names_[value.name] = value.id;
    if (value.role == Role::Constant && is_used[value.id]) bindings_[value.id] = store_->constant(value);
    if (!is_named) continue;
    if (const auto given = settings.bindings.find(value.name); given != settings.bindings.end()) {
      bindings_[value.id] = given->second;
    } else if (value.role == Role::State) {
      bindings_[value.id] = store_->state(value);
    } else {
      gpu::MemoryDescriptor object;
      if (value.is_array) {
        object = {.kind = StorageKind::Buffer, .bytes = physical_bytes(value)};
      } else {
        object = physical_object(*value.descriptor);
      }
      bindings_[value.id] = {.memory = device_.allocate(object), .size = object.bytes};
    }
  }
  for (const auto& [name, unused] : settings.bindings) {
    if (!names_.contains(name)) binding(name);  // throws, listing the names
  }
}

void Program::allocate_activations(SharedArena* shared) {
  if (lowered_.arena_bytes != 0) {
    arena_ = shared != nullptr ? shared->get(lowered_.arena_bytes)
                               : device_.allocate({.kind = StorageKind::Buffer, .bytes = lowered_.arena_bytes});
  }
  for (const gpu::MemoryDescriptor& object : lowered_.objects) objects_.push_back(device_.allocate(object));
  // Products read all of a tile, and make nothing of the positions that no kernel writes.
  for (const Value& value : lowered_.graph.values()) {
    if (!value.descriptor || value.descriptor->layout.tile == 0) continue;
    const gpu::Binding memory = place(value.id);
    device_.fill_zero(*memory.memory, memory.offset, memory.size);
  }
}

gpu::Binding Program::resolve(const KernelUse& use, const ResourceUse& resource) const {
  if (resource.kind == ResourceUse::Kind::Parameters) return parameter_buffer_;
  if (resource.kind == ResourceUse::Kind::Scratch) {
    return memory_at(lowered_.scratch_places[resource.index], resource.name);
  }
  const Value& value = lowered_.graph.value(lowered_.graph.root(resource.index));
  if (value.role == Role::Weights) {
    return weights_.at({value.id, use.specialization.weights.at(resource.name).row_group});
  }
  return place(value.id);
}

gpu::Binding Program::place(ValueId id) const {
  const Value& value = lowered_.graph.value(lowered_.graph.root(id));
  return value.role == Role::Activation ? memory_at(lowered_.values[value.id], value.name) : bindings_[value.id];
}

gpu::Binding Program::memory_at(const Placement& place, const std::string& name) const {
  if (place.kind == Placement::Kind::Arena) return {.memory = arena_, .offset = place.offset, .size = place.bytes};
  if (place.kind != Placement::Kind::Object) {
    throw InternalError(fmt::format("'{}' has no place in memory.", name));
  }
  const bool is_buffer = lowered_.objects[place.index].kind == StorageKind::Buffer;
  return {.memory = objects_[place.index], .size = is_buffer ? place.bytes : 0};
}

gpu::Binding Program::bind(const LoweredStep& step, const KernelCache::BoundResource& bound) const {
  const auto found = std::ranges::find(step.use.resources, bound.name, &ResourceUse::name);
  if (found == step.use.resources.end()) {
    throw InternalError(fmt::format("The kernel '{}' has a resource '{}' that its selection row does not bind.",
                                    step.kernel, bound.name));
  }
  gpu::Binding binding = resolve(step.use, *found);
  if (bound.bytes == 0) return binding;
  if (binding.size != 0 && (bound.offset > binding.size || bound.bytes > binding.size - bound.offset)) {
    throw InternalError(fmt::format("The part of {} bytes at {} of '{}' passes the end of its {} bytes.", bound.bytes,
                                    bound.offset, bound.name, binding.size));
  }
  binding.offset += bound.offset;
  binding.size = bound.bytes;
  return binding;
}

void Program::record() {
  const Parameters all{.tokens = lowered_.graph.max_tokens};
  std::vector<gpu::Dispatch> dispatches;
  for (const LoweredStep& step : lowered_.steps) {
    const KernelUse& use = step.use;
    try {
      const KernelCache::Entry& entry = kernels_->get(use, step.fitting);
      gpu::Dispatch dispatch{.kernel = entry.kernel, .bindings = {}, .workgroups = grid(step, all), .label = use.label};
      for (const KernelCache::BoundResource& bound : entry.resources) dispatch.bindings.push_back(bind(step, bound));
      const auto varies = [](const GridExtent& extent) {
        return extent.rows_per_group != 0 || extent.context_per_group != 0 || extent.takes_turns();
      };
      if (std::ranges::any_of(use.grid, varies)) varying_.push_back(groups_.size());
      groups_.push_back(dispatch.workgroups);
      dispatches.push_back(std::move(dispatch));
    } catch (Error& error) {
      error.add_context(fmt::format("While binding the kernel '{}' for '{}'.", step.kernel, use.label));
      throw;
    }
  }
  recording_ = is_joined_ ? device_.record_joined(std::move(dispatches)) : device_.record(std::move(dispatches));
}

std::array<std::uint32_t, 3> Program::grid(const LoweredStep& step, const Parameters& parameters) const {
  const KernelUse& use = step.use;
  const gpu::DeviceFacts& facts = device_.facts();
  const std::array<std::uint32_t, 3>& limits = facts.max_workgroup_count;
  const auto groups = workgroups(use.grid, parameters, step.fitting.grid.has_value(), limits);
  if (!groups) {
    throw Unsupported(fmt::format(
        "'{}' needs {} x {} x {} workgroups, but the device '{}' runs at most {} x {} x {} in one dispatch.", use.label,
        use.grid[0].groups(parameters), use.grid[1].groups(parameters), use.grid[2].groups(parameters), facts.id,
        limits[0], limits[1], limits[2]));
  }
  return *groups;
}

void Program::set_grids(const Parameters& parameters) {
  if (parameters.tokens == 0 || parameters.tokens > max_tokens()) {
    throw InvalidInput(fmt::format("A run of {} tokens is asked for, but the program takes 1 to {}.", parameters.tokens,
                                   max_tokens()));
  }
  for (const std::size_t i : varying_) {
    const std::array<std::uint32_t, 3> groups = grid(lowered_.steps[i], parameters);
    if (groups == groups_[i]) continue;
    groups_[i] = groups;
    recording_->set_workgroups(i, groups);
  }
}

void Program::set_parameters(const Parameters& parameters) {
  set_grids(parameters);
  // Always: another program may share the buffer.
  device_.write(*parameter_buffer_.memory, parameter_buffer_.offset,
                std::as_bytes(std::span<const Parameters>(&parameters, 1)));
}

void Program::run(const Parameters& parameters) {
  set_parameters(parameters);
  device_.submit(*recording_);
}

void Program::run_queued(const Parameters& parameters) {
  set_grids(parameters);
  device_.submit(*recording_);
}

std::vector<DispatchProfile> Program::run_profiled(const Parameters& parameters) {
  set_parameters(parameters);
  const std::vector<double> times = device_.submit_profiled(*recording_);
  std::vector<DispatchProfile> profiles;
  for (std::size_t i = 0; i < lowered_.steps.size(); ++i) {
    const LoweredStep& step = lowered_.steps[i];
    if (std::ranges::find(groups_[i], 0U) != groups_[i].end()) continue;
    const Cost cost = step.use.cost.value_or(Cost{});
    const Arithmetic arithmetic = kernels_->get(step.use, step.fitting).arithmetic;
    profiles.push_back({.label = step.use.label,
                        .kernel = step.kernel,
                        .nanoseconds = times.at(i),
                        .bytes = cost.bytes(parameters),
                        .flops = cost.flops(parameters),
                        .arithmetic = arithmetic});
  }
  return profiles;
}

MemoryReport Program::memory() const {
  MemoryReport report = lowered_.memory;
  report.allocated = device_.allocated_bytes();
  return report;
}

}  // namespace driftwood::graph
