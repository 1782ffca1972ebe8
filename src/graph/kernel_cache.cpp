#include <fmt/format.h>

#include "base/error.h"
#include "graph/program.h"
#include "tensor/storage.h"

namespace driftwood::graph {

std::string kernel_key(const KernelUse& use) {
  std::string key = fmt::format("{}\n{}\n", use.module_path, use.entry_point);
  const shader::Specialization& s = use.specialization;
  for (const auto& [name, value] : s.overrides) key += fmt::format("override {} = {}\n", name, value);
  for (const auto& [name, type] : s.aliases) key += fmt::format("alias {} = {}\n", name, type);
  for (const auto& [name, tensor] : s.tensors) {
    key += fmt::format("tensor {}: {}, {} objects\n", name, to_string(tensor), tensor.objects);
  }
  for (const auto& [name, weights] : s.weights) {
    key += fmt::format("weights {}: {} {} x {} / {}\n", name, to_string(weights.format), weights.rows, weights.columns,
                       weights.row_group);
  }
  for (const auto& [name, source] : s.fusions) key += fmt::format("fusion {}:\n{}\n", name, source);
  return key;
}

const KernelCache::Entry& KernelCache::get(const KernelUse& use) {
  const std::string key = kernel_key(use);
  if (const auto found = entries_.find(key); found != entries_.end()) return found->second;
  const gpu::DeviceFacts& facts = device_.facts();
  const shader::TargetTraits traits{.has_f16_arithmetic = facts.has_f16_arithmetic,
                                    .has_subgroups = facts.has_subgroups,
                                    .has_packed_dot = facts.has_packed_dot,
                                    .has_matrices = facts.has_matrices,
                                    .subgroup_size = facts.subgroup_size};
  const shader::Module module = shader::compile(sources_, use.module_path, use.specialization, traits, use.entry_point);
  Entry entry;
  for (const auto& resource : module.resources) entry.resources.push_back(resource->name);
  const std::size_t colons = use.module_path.rfind("::");
  entry.kernel =
      device_.compile(module, colons == std::string::npos ? use.module_path : use.module_path.substr(colons + 2));
  return entries_.emplace(key, std::move(entry)).first->second;
}

}  // namespace driftwood::graph
