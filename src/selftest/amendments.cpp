#include "selftest/amendments.h"

namespace driftwood::selftest {
namespace {

struct Feature {
  std::string_view name;
  bool (*is_on)(const gpu::DeviceFacts&);
  void (*switch_off)(gpu::DeviceFacts&);
};

constexpr Feature features[] = {
    {"pipeline", [](const gpu::DeviceFacts& facts) { return facts.pipeline_memory > 0; },
     [](gpu::DeviceFacts& facts) { facts.pipeline_memory = 0; }},
    {"matrices", [](const gpu::DeviceFacts& facts) { return facts.has_matrices; },
     [](gpu::DeviceFacts& facts) { facts.has_matrices = false; }},
    {"wide-dot", [](const gpu::DeviceFacts& facts) { return facts.has_wide_dot && facts.is_cpu; },
     [](gpu::DeviceFacts& facts) { facts.has_wide_dot = false; }},
    {"packed-dot", [](const gpu::DeviceFacts& facts) { return facts.has_packed_dot; },
     [](gpu::DeviceFacts& facts) { facts.has_packed_dot = false; }},
    {"subgroups", [](const gpu::DeviceFacts& facts) { return facts.has_subgroups; },
     [](gpu::DeviceFacts& facts) {
       facts.has_subgroups = facts.has_matrices = false;  // matrices lie in the registers of subgroups
       facts.subgroup_size = 1;
       facts.pipeline_memory = 0;
     }},
    {"f16-arithmetic", [](const gpu::DeviceFacts& facts) { return facts.has_f16_arithmetic; },
     [](gpu::DeviceFacts& facts) { facts.has_f16_arithmetic = facts.has_matrices = false; }},
    {"images", [](const gpu::DeviceFacts& facts) { return facts.has_images; },
     [](gpu::DeviceFacts& facts) { facts.has_images = facts.has_3d_image_writes = false; }},
    {"kernels-for-cpus", [](const gpu::DeviceFacts& facts) { return facts.is_cpu; },
     [](gpu::DeviceFacts& facts) { facts.is_cpu = false; }},
    {"kernels-for-gpus",
     [](const gpu::DeviceFacts& facts) { return !facts.is_cpu && facts.device_class != gpu::DeviceClass::Software; },
     [](gpu::DeviceFacts& facts) { facts.is_cpu = true; }},
};

}  // namespace

std::vector<std::string> features_of(const gpu::DeviceFacts& facts) {
  std::vector<std::string> names;
  for (const Feature& feature : features) {
    if (feature.is_on(facts)) names.emplace_back(feature.name);
  }
  return names;
}

void switch_off(gpu::DeviceFacts& facts, std::string_view name) {
  for (const Feature& feature : features) {
    if (feature.name == name && feature.is_on(facts)) feature.switch_off(facts);
  }
}

gpu::DeviceFacts amended(gpu::DeviceFacts facts, const Amendments& amendments) {
  for (const std::string& feature : amendments.features) switch_off(facts, feature);
  facts.distrusted_kernels.insert(facts.distrusted_kernels.end(), amendments.kernels.begin(), amendments.kernels.end());
  return facts;
}

}  // namespace driftwood::selftest
