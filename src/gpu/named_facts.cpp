#include <nlohmann/json.hpp>

#include "gpu/registry.h"

namespace driftwood::gpu {

std::string_view to_string(DeviceClass device_class) {
  switch (device_class) {
    case DeviceClass::DiscreteGpu: return "discrete GPU";
    case DeviceClass::IntegratedGpu: return "integrated GPU";
    case DeviceClass::OtherGpu: return "GPU";
    case DeviceClass::Cpu: return "CPU";
    case DeviceClass::Software: return "software";
    case DeviceClass::Reference: return "reference";
  }
  return "unknown";
}

std::vector<NamedFact> named_facts(const DeviceFacts& facts) {
  std::vector<NamedFact> named;
  // Drivers' strings need not be UTF-8; what is not becomes a replacement character.
  const auto add = [&named](const char* name, const auto& value) {
    named.emplace_back(name, nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  };
  add("vendor", facts.vendor);
  add("class", to_string(facts.device_class));
  add("is_cpu", facts.is_cpu);
  add("shares_host_memory", facts.shares_host_memory);
  add("compute_units", facts.compute_units);
  add("max_workgroup_size", facts.max_workgroup_size);
  add("max_workgroup_extent", facts.max_workgroup_extent);
  add("max_workgroup_count", facts.max_workgroup_count);
  add("local_memory", facts.local_memory);
  add("global_memory", facts.global_memory);
  add("max_allocation", facts.max_allocation);
  add("max_binding", facts.max_binding);
  add("max_bindings", facts.max_bindings);
  add("buffer_alignment", facts.buffer_alignment);
  add("has_images", facts.has_images);
  add("has_3d_image_writes", facts.has_3d_image_writes);
  add("max_image_buffer", facts.max_image_buffer);
  add("max_image_2d", facts.max_image_2d);
  add("max_image_3d", facts.max_image_3d);
  add("max_image_layers", facts.max_image_layers);
  add("has_f16_arithmetic", facts.has_f16_arithmetic);
  add("has_subgroups", facts.has_subgroups);
  add("subgroup_size", facts.subgroup_size);
  add("has_packed_dot", facts.has_packed_dot);
  add("has_wide_dot", facts.has_wide_dot);
  add("has_matrices", facts.has_matrices);
  add("pipeline_memory", facts.pipeline_memory);
  add("has_typed_matrix_memory", facts.has_typed_matrix_memory);
  add("has_opaque_matrices", facts.has_opaque_matrices);
  add("joins_dispatches", facts.joins_dispatches);
  add("distrusted_kernels", facts.distrusted_kernels);
  return named;
}

}  // namespace driftwood::gpu
