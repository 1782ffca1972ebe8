// Runs a compiled module once on a device, with contents of its resources by name.
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "gpu/registry.h"
#include "support/webgpu.h"
#if defined(DRIFTWOOD_METAL_CPU)
#include "support/metal_cpu/metal_cpu_device.h"
#endif
#include "shader/compile.h"

namespace driftwood::test {

using Contents = std::map<std::string, std::vector<std::byte>>;  // by the name of the resource

inline gpu::MemoryDescriptor memory_of(const shader::Resource& resource, std::uint64_t bytes) {
  if (resource.kind != shader::Resource::Kind::Object || resource.storage == StorageKind::Buffer)
    return {.bytes = bytes};
  return {.kind = resource.storage, .texel = resource.texel, .extent = resource.extent};
}

/// Gives the contents of every resource after the run.
inline Contents run_kernel(gpu::Device& device, const shader::Module& module, const Contents& contents,
                           std::array<std::uint32_t, 3> workgroups) {
  gpu::Dispatch dispatch;
  dispatch.workgroups = workgroups;
  for (const auto& resource : module.resources) {
    const auto& bytes = contents.at(resource->name);
    auto memory = device.allocate(memory_of(*resource, bytes.size()));
    device.write(*memory, 0, bytes);
    dispatch.bindings.push_back({.memory = memory});
  }
  dispatch.kernel = device.compile(module, module.entry_point->name);
  const std::vector<gpu::Binding> bindings = dispatch.bindings;
  std::vector<gpu::Dispatch> dispatches;
  dispatches.push_back(std::move(dispatch));
  const auto recording = device.record(std::move(dispatches));
  device.submit(*recording);
  Contents after = contents;
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    device.read(*bindings[i].memory, 0, after.at(module.resources[i]->name));
  }
  return after;
}

/// The device of that id, or null where this machine has none. "metal-cpu" is Metal on the CPU, in the test programs
/// that link it.
inline std::unique_ptr<gpu::Device> device_if_any(const std::string& id) {
  prepare_webgpu();
  try {
#if defined(DRIFTWOOD_METAL_CPU)
    if (id == "metal-cpu") return make_metal_cpu_device();
#endif
    return gpu::open_device(id);
  } catch (const Error&) {
    return nullptr;
  }
}

inline shader::TargetTraits traits_of(const gpu::DeviceFacts& facts) {
  return {.has_f16_arithmetic = facts.has_f16_arithmetic,
          .has_subgroups = facts.has_subgroups,
          .has_packed_dot = facts.has_packed_dot,
          .has_matrices = facts.has_matrices,
          .has_pipeline = gpu::runs_pipeline(facts),
          .subgroup_size = facts.subgroup_size};
}

template <typename Number>
std::vector<Number> numbers_of(const std::vector<std::byte>& bytes) {
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
  return numbers;
}

}  // namespace driftwood::test
