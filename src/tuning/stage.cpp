#include "tuning/stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <random>

#include "base/error.h"
#include "base/half.h"
#include "tensor/storage.h"
#include "tuning/table.h"

namespace driftwood::tuning {
namespace {

// Memory that the nodes of a recording read in all, so that none of it is in a cache when it is read again: four times
// the last level of large GPUs and CPUs.
constexpr std::uint64_t rotated_bytes = std::uint64_t{256} << 20;
constexpr std::size_t most_runs = 32;

std::uint64_t own_bytes(const graph::Node& node, const graph::Graph& graph) {
  std::uint64_t bytes = 0;
  for (const graph::ValueId id : graph::Graph::all_inputs(node)) {
    const graph::Value& value = graph.value(graph.root(id));
    if (value.role == graph::Role::Weights) {
      const WeightsDescriptor plain{.format = value.data_type, .rows = value.shape.w, .columns = value.shape.c};
      bytes += graph::physical_bytes(plain);
    } else if (value.role == graph::Role::State) {
      bytes += graph::physical_bytes(value);
    }
  }
  return bytes;
}

// A part lies in its own whole at its own place, which a kernel knows.
bool is_shared(const graph::Value& value) {
  if (value.part_of != graph::no_value) return false;
  return value.role == graph::Role::Activation || value.role == graph::Role::Input || value.role == graph::Role::Output;
}

// The values of another node of the group, and what the first has in their place.
std::map<graph::ValueId, graph::ValueId> in_place_of(const graph::Node& node, const graph::Node& first,
                                                     const graph::Graph& graph) {
  std::map<graph::ValueId, graph::ValueId> places;
  const auto pair = [&](const std::vector<graph::ValueId>& ids, const std::vector<graph::ValueId>& of_first) {
    for (std::size_t i = 0; i < ids.size() && i < of_first.size(); ++i) {
      if (is_shared(graph.value(ids[i]))) places[ids[i]] = of_first[i];
    }
  };
  pair(graph::Graph::all_inputs(node), graph::Graph::all_inputs(first));
  pair(node.outputs, first.outputs);
  return places;
}

// Numbers in the bytes of a tensor or array, whatever they mean.
void append_numbers(std::span<const std::byte> bytes, DataType type, std::vector<float>& numbers) {
  if (type == DataType::F16) {
    for (std::size_t i = 0; i + 2 <= bytes.size(); i += 2) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, &bytes[i], sizeof bits);
      numbers.push_back(half_to_float(bits));
    }
    return;
  }
  for (std::size_t i = 0; i + 4 <= bytes.size(); i += 4) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &bytes[i], sizeof bits);
    if (type == DataType::F32) {
      float number = 0;
      std::memcpy(&number, &bits, sizeof number);
      numbers.push_back(number);
    } else {  // four bytes
      for (int shift = 0; shift < 32; shift += 8) {
        numbers.push_back(static_cast<float>(static_cast<std::int8_t>(bits >> shift & 0xFFU)));
      }
    }
  }
}

}  // namespace

void write_inputs(graph::Program& program, std::uint32_t vocabulary) {
  std::mt19937 random(1);
  for (const graph::Value& value : program.lowered().graph.values()) {
    if (value.role != graph::Role::Input) continue;
    if (value.is_array) {
      std::vector<std::uint32_t> ids(value.shape.elements());
      for (std::uint32_t& id : ids) id = static_cast<std::uint32_t>(random() % std::max(vocabulary, 1U));
      program.write(value.name, std::as_bytes(std::span(ids)));
    } else {
      std::vector<float> numbers(value.shape.elements());
      std::normal_distribution<float> normal;
      for (float& number : numbers) number = normal(random);
      program.write_floats(value.name, numbers);
    }
  }
}

Stage::Stage(gpu::Device& device, StageSettings settings, const Shared& shared)
    : settings_(std::move(settings)), shared_(shared) {
  settings_.options.choices.reset();
  settings_.options.memory_strategy = "naive";
  settings_.options.in_place = false;
  parameter_buffer_ = {.memory = device.allocate({.kind = StorageKind::Buffer, .bytes = sizeof(graph::Parameters)}),
                       .size = sizeof(graph::Parameters)};
  graph::ProgramSettings program;
  program.options = settings_.options;
  program.store = shared_.store;
  program.kernels = shared_.kernels;
  program.parameters = parameter_buffer_;
  program_ = std::make_unique<graph::Program>(device, std::move(settings_.graph), std::move(program));
  write_inputs(*program_, settings_.vocabulary);
  program_->run(settings_.parameters);
  device.finish();
}

graph::SelectionContext Stage::context() const {
  return {.graph = graph(), .facts = device().facts(), .options = settings_.options};
}

std::vector<NodeGroup> Stage::groups() const {
  std::vector<NodeGroup> groups;
  std::map<graph::NodeKey, std::size_t> places;
  for (std::size_t n = 0; n < graph().nodes().size(); ++n) {
    graph::NodeKey key = graph::node_key(graph().nodes()[n], graph(), settings_.options);
    const auto [place, is_new] = places.try_emplace(key, groups.size());
    if (is_new) groups.push_back({.key = std::move(key)});
    groups[place->second].nodes.push_back(n);
  }
  return groups;
}

std::vector<const graph::KernelRow*> Stage::rows(std::size_t node) const {
  const graph::Node& its_node = graph().nodes()[node];
  const std::string_view operation = graph::name(its_node.operation);
  std::vector<const graph::KernelRow*> rows;
  for (const graph::KernelRow& row : graph::kernel_rows()) {
    const bool is_right = row.operation == operation && graph::is_trusted(device().facts(), row.kernel) &&
                          !graph::is_switched_off(settings_.options, row.kernel);
    if (is_right && row.applies(its_node, context())) rows.push_back(&row);
  }
  return rows;
}

Prepared Stage::prepare(const NodeGroup& group, const Candidate& candidate) {
  const gpu::DeviceFacts& facts = device().facts();
  const graph::NodeChoice wanted{.kernel = std::string(candidate.row->kernel), .values = candidate.values};
  const graph::Node& first = graph().nodes()[group.nodes.front()];
  Prepared prepared{.choice = {.kernel = wanted.kernel}};
  graph::SelectionContext context = this->context();
  context.chosen = &wanted;
  if (!candidate.row->applies(first, context)) {
    throw Unsupported(fmt::format("The kernel '{}' does not run the node with these values.", wanted.kernel));
  }

  std::vector<std::shared_ptr<gpu::Memory>> memory;  // of scratch: the same for all runs
  std::vector<gpu::Dispatch> dispatches;
  std::uint64_t bytes = 0;
  for (const std::size_t n : group.nodes) {
    const graph::Node& node = graph().nodes()[n];
    const auto places = in_place_of(node, first, graph());
    std::vector<graph::Scratch> scratch;
    context.asked = n == group.nodes.front() ? &prepared.parameters : nullptr;
    const std::vector<graph::LoweredStep> steps = graph::lower_node(n, context, *candidate.row, scratch);
    if (prepared.runs == 0) {
      prepared.modules = modules_of(steps);
      prepared.kernels = steps.size();
      for (const graph::Scratch& part : scratch) {
        memory.push_back(device().allocate(part.tensor ? graph::physical_object(*part.tensor)
                                                       : gpu::MemoryDescriptor{.bytes = part.bytes}));
      }
    }
    for (const graph::LoweredStep& step : steps) {
      const graph::KernelCache::Entry& entry = shared_.kernels->get(step.use, step.fitting);
      const auto size = entry.kernel->workgroup_size();
      const std::uint64_t invocations = std::uint64_t{size[0]} * size[1] * size[2];
      if (invocations > entry.kernel->max_workgroup_size()) {
        throw Unsupported(fmt::format("The kernel has {} invocations a workgroup; the device takes {} of it.",
                                      invocations, entry.kernel->max_workgroup_size()));
      }
      const auto groups = graph::workgroups(step.use.grid, settings_.parameters, step.fitting.grid.has_value(),
                                            facts.max_workgroup_count);
      if (!groups) throw Unsupported("The kernel has more workgroups than the device runs in one dispatch.");
      gpu::Dispatch dispatch{.kernel = entry.kernel, .bindings = {}, .workgroups = *groups, .label = step.use.label};
      for (const graph::KernelCache::BoundResource& bound : entry.resources) {
        const auto resource = std::ranges::find(step.use.resources, bound.name, &graph::ResourceUse::name);
        if (resource == step.use.resources.end()) {
          throw InternalError(
              fmt::format("The kernel '{}' binds '{}', which its row does not.", step.kernel, bound.name));
        }
        gpu::Binding binding;
        if (resource->kind == graph::ResourceUse::Kind::Parameters) {
          binding = parameter_buffer_;
        } else if (resource->kind == graph::ResourceUse::Kind::Scratch) {
          binding = {.memory = memory.at(resource->index)};
        } else if (const graph::Value& value = graph().value(graph().root(resource->index));
                   value.role == graph::Role::Weights) {
          binding = shared_.store->weights(value.weights, step.use.specialization.weights.at(resource->name));
        } else {
          const auto place = places.find(resource->index);
          binding = program_->place(place == places.end() ? resource->index : place->second);
        }
        if (bound.bytes != 0) binding = {binding.memory, binding.offset + bound.offset, bound.bytes};
        dispatch.bindings.push_back(std::move(binding));
      }
      dispatches.push_back(std::move(dispatch));
    }
    if (prepared.runs == 0) prepared.first = device().record(dispatches);
    ++prepared.runs;
    // Of many tokens a node's time is its products, and it would take long in all.
    bytes += own_bytes(node, graph());
    const std::size_t most = settings_.parameters.tokens > 16 ? 2 : most_runs;
    if (prepared.runs == most || bytes >= rotated_bytes || own_bytes(node, graph()) == 0) break;
  }
  prepared.all =
      settings_.is_joined ? device().record_joined(std::move(dispatches)) : device().record(std::move(dispatches));
  for (const graph::ParameterUse& use : prepared.parameters) prepared.choice.values[use.name] = use.value;
  return prepared;
}

std::vector<graph::ValueId> Stage::written(std::size_t node) const {
  std::vector<graph::ValueId> roots;
  for (const graph::ValueId id : graph().nodes()[node].outputs) roots.push_back(graph().root(id));
  return roots;
}

std::vector<float> Stage::results(std::size_t node, gpu::Recording& recording) {
  for (const graph::ValueId id : written(node)) {
    const gpu::Binding place = program_->place(id);
    if (place.memory->descriptor().kind != StorageKind::Buffer) continue;
    device().fill_zero(*place.memory, place.offset, place.size);
  }
  device().submit(recording);
  std::vector<float> numbers;
  constexpr std::uint64_t window = 64 << 10, most_windows = 64;
  for (const graph::ValueId id : written(node)) {
    const graph::Value& value = graph().value(id);
    const gpu::Binding place = program_->place(id);
    const DataType type = value.is_array ? DataType::U32 : value.data_type;
    std::vector<std::byte> bytes;
    if (place.memory->descriptor().kind != StorageKind::Buffer) {
      bytes.resize(object_bytes(*value.descriptor));
      device().read(*place.memory, 0, bytes);
      append_numbers(bytes, type, numbers);
      continue;
    }
    const std::uint64_t windows = std::clamp<std::uint64_t>(place.size / window, 1, most_windows);
    for (std::uint64_t i = 0; i < windows; ++i) {
      const std::uint64_t length = std::min(window, place.size);
      const std::uint64_t begin = windows == 1 ? 0 : (place.size - length) / 16 * i / (windows - 1) * 16;
      bytes.resize(windows == 1 ? place.size : length);
      device().read(*place.memory, place.offset + begin, bytes);
      append_numbers(bytes, type, numbers);
    }
  }
  return numbers;
}

bool Stage::agree(const std::vector<float>& results, const std::vector<float>& by_rule, std::string& why) {
  constexpr double most = 1e-2;
  double difference = 0, norm = 0;
  std::size_t not_numbers = 0;
  for (std::size_t i = 0; i < results.size() && i < by_rule.size(); ++i) {
    const double a = results[i], b = by_rule[i];
    if (std::isfinite(a) && std::isfinite(b)) {
      difference += (a - b) * (a - b);
      norm += b * b;
    } else if (std::isnan(a) != std::isnan(b) || (!std::isnan(a) && a != b)) {
      ++not_numbers;
    }
  }
  if (results.size() != by_rule.size()) {
    why = fmt::format("gives {} numbers, not {}", results.size(), by_rule.size());
  } else if (not_numbers != 0) {
    why = fmt::format("gives {} numbers that are not finite where the rules' kernel gives others", not_numbers);
  } else if (difference > most * most * norm) {
    why = fmt::format("differs from the rules' kernel by {:.2g} of the norm, over the limit of {}",
                      std::sqrt(difference / std::max(norm, 1e-30)), most);
  } else {
    return true;
  }
  return false;
}

std::vector<std::vector<std::byte>> Stage::keep_states(std::size_t node) const {
  std::vector<std::vector<std::byte>> kept;
  for (const graph::ValueId id : written(node)) {
    std::vector<std::byte>& bytes = kept.emplace_back();
    if (graph().value(id).role != graph::Role::State) continue;
    const gpu::Binding place = program_->place(id);
    bytes.resize(place.size);
    device().read(*place.memory, place.offset, bytes);
  }
  return kept;
}

void Stage::restore_states(std::size_t node, const std::vector<std::vector<std::byte>>& kept) {
  const std::vector<graph::ValueId> ids = written(node);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (kept[i].empty()) continue;
    const gpu::Binding place = program_->place(ids[i]);
    device().write(*place.memory, place.offset, kept[i]);
  }
}

}  // namespace driftwood::tuning
