#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "graph/program.h"
#include "shader/fit_limits.h"
#include "shader/ir_walk.h"
#include "tensor/storage.h"

namespace driftwood::graph {

std::string kernel_key(const KernelUse& use, const Fitting& fitting) {
  std::string key = fmt::format("{}\n{}\n", use.module_path, use.entry_point);
  const shader::Specialization& s = use.specialization;
  for (const auto& [name, value] : s.overrides) key += fmt::format("override {} = {}\n", name, value);
  for (const auto& [name, type] : s.aliases) key += fmt::format("alias {} = {}\n", name, type);
  for (const auto& [name, tensor] : s.tensors) {
    key += fmt::format("tensor {}: {}, {} objects\n", name, to_string(tensor), tensor.objects);
  }
  for (const auto& [name, weights] : s.weights) {
    key += fmt::format("weights {}: {} {} x {} / {}, {}\n", name, to_string(weights.format), weights.rows,
                       weights.columns, weights.row_group, weights.word_run);
  }
  for (const auto& [name, bytes] : fitting.buffers) key += fmt::format("buffer {}: {} bytes\n", name, bytes);
  if (fitting.grid) {
    for (const shader::FoldedGrid::Extent& extent : fitting.grid->extents) {
      key += fmt::format("folded grid: {} {} {} {}\n", extent.fixed, extent.rows_per_group, extent.rows_per_token,
                         extent.context_per_group);
    }
    key += fmt::format("of {}\n", fitting.grid->parameters);
  }
  for (const auto& [name, source] : s.fusions) key += fmt::format("fusion {}:\n{}\n", name, source);
  return key;
}

std::string_view to_string(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::Floats: return "f32";
    case Arithmetic::Halves: return "f16";
    case Arithmetic::Integers: return "int8";
    case Arithmetic::Matrices: return "matrix";
  }
  return "unknown";
}

namespace {

Arithmetic arithmetic_of(const shader::Module& module) {
  if (module.uses_matrices || module.uses_pipeline) return Arithmetic::Matrices;
  bool has_dots = false;
  shader::visit_expressions(module, [&](const shader::Expression& each) {
    const auto* call = std::get_if<shader::BuiltinCall>(&each.node);
    if (call == nullptr) return;
    has_dots |= call->builtin == shader::Builtin::Dot4I8Packed || call->builtin == shader::Builtin::Dot4U8Packed ||
                call->builtin == shader::Builtin::Dot4U8I8Packed;
  });
  if (has_dots) return Arithmetic::Integers;
  return module.uses_f16 ? Arithmetic::Halves : Arithmetic::Floats;
}

}  // namespace

const KernelCache::Entry& KernelCache::get(const KernelUse& use, const Fitting& fitting) {
  const std::string key = kernel_key(use, fitting);
  if (const auto found = entries_.find(key); found != entries_.end()) return found->second;
  const gpu::DeviceFacts& facts = device_.facts();
  const shader::TargetTraits traits{.has_f16_arithmetic = facts.has_f16_arithmetic,
                                    .has_subgroups = facts.has_subgroups,
                                    .has_packed_dot = facts.has_packed_dot,
                                    .has_matrices = facts.has_matrices,
                                    .has_pipeline = gpu::runs_pipeline(facts),
                                    .subgroup_size = facts.subgroup_size};
  shader::Module module = shader::compile(sources_, use.module_path, use.specialization, traits, use.entry_point);
  if (fitting.grid) shader::fold_grid(module, *fitting.grid);
  std::vector<shader::BufferPart> parts;
  if (facts.max_binding != 0) {
    parts = shader::split_bindings(module, facts.max_binding, facts.buffer_alignment, fitting.buffers);
  }
  if (facts.max_bindings != 0 && module.resources.size() > facts.max_bindings) {
    throw Unsupported(fmt::format("The kernel '{}' binds {} buffers and images, but the device '{}' takes at most {}.",
                                  use.module_path, module.resources.size(), facts.id, facts.max_bindings));
  }
  Entry entry;
  entry.arithmetic = arithmetic_of(module);
  for (const auto& resource : module.resources) {
    const auto part = std::ranges::find(parts, resource->name, &shader::BufferPart::name);
    if (part != parts.end()) {
      entry.resources.push_back({.name = part->of, .offset = part->offset, .bytes = part->bytes});
    } else {
      entry.resources.push_back({.name = resource->name});
    }
  }
  const std::size_t colons = use.module_path.rfind("::");
  entry.kernel =
      device_.compile(module, colons == std::string::npos ? use.module_path : use.module_path.substr(colons + 2));
  return entries_.emplace(key, std::move(entry)).first->second;
}

}  // namespace driftwood::graph
