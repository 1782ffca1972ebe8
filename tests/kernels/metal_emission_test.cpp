// Every specialisation of a kernel that the conformance suite's cases choose, on a GPU such as Apple's and on one
// without any extra, has a program in Metal.
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "conformance/case.h"
#include "gpu/reference/reference_device.h"
#include "graph/lowering.h"
#include "kernels/source.h"
#include "shader/emit_metal.h"

namespace driftwood::test {
namespace {

/// Facts of a GPU with SIMD-groups of 32, halves and matrix units, or without them.
gpu::DeviceFacts facts_of(bool has_extras) {
  gpu::DeviceFacts facts = gpu::make_reference_device()->facts();
  facts.has_f16_arithmetic = true;
  facts.has_subgroups = facts.has_matrices = has_extras;
  facts.subgroup_size = has_extras ? 32 : 1;
  facts.has_packed_dot = false;
  return facts;
}

class MetalEmission : public testing::TestWithParam<bool> {};

TEST_P(MetalEmission, HasEveryKernelOfTheConformanceSuite) {
  const gpu::DeviceFacts facts = facts_of(GetParam());
  const shader::TargetTraits traits{.has_f16_arithmetic = facts.has_f16_arithmetic,
                                    .has_subgroups = facts.has_subgroups,
                                    .has_matrices = facts.has_matrices,
                                    .subgroup_size = facts.subgroup_size};
  const shader::MetalDialect dialect{.simdgroups = GetParam(), .simdgroup_matrices = GetParam()};
  // One of each kernel, storage and format; its sizes make little difference to what is printed.
  std::set<std::string> seen;
  std::set<std::string> kernels;
  for (const conformance::Case& each : conformance::all_cases()) {
    graph::LoweredGraph lowered;
    try {
      const conformance::Problem problem = conformance::sketch_of(each, facts);
      lowered = graph::lower(problem.graph, facts,
                             {.activations = graph::ActivationMode::Float, .storage = each.setting.storage});
    } catch (const Unsupported&) {
      continue;
    }
    for (const graph::LoweredStep& step : lowered.steps) {
      const std::string kind = std::string(step.kernel) + std::string(to_string(each.setting.storage)) +
                               std::string(to_string(each.setting.packed));
      if (!seen.insert(kind).second) continue;
      SCOPED_TRACE(conformance::describe(each) + ": " + std::string(step.kernel));
      const shader::Module module =
          shader::compile(kernels::source, step.use.module_path, step.use.specialization, traits, step.use.entry_point);
      const std::string text = shader::emit_metal(module, dialect);
      EXPECT_NE(text.find("kernel void " + shader::metal_kernel_name(module) + "("), std::string::npos);
      kernels.emplace(step.kernel);
    }
  }
  RecordProperty("programs", static_cast<int>(seen.size()));
  EXPECT_GE(kernels.size(), 25U);
}

INSTANTIATE_TEST_SUITE_P(Extras, MetalEmission, testing::Bool(),
                         [](const auto& instance) { return instance.param ? "with" : "without"; });

}  // namespace
}  // namespace driftwood::test
