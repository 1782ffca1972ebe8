// The kernels of the selection table as WGSL, over the specialisations of the conformance suite, for devices with and
// without f16, subgroups, packed dot products and matrices: emitted, and validated by naga where it is installed.
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "conformance/case.h"
#include "gpu/reference/reference_device.h"
#include "graph/program.h"
#include "kernels/source.h"
#include "shader/compile.h"
#include "shader/emit_wgsl.h"
#include "support/naga.h"

namespace driftwood::test {
namespace {

// GPUs of WebGPU: the least that the standard promises, one that has all the options, and one with matrices as well, of
// which only the kernels that use them are looked at.
enum class Target { Least, All, Matrices };

gpu::DeviceFacts facts_of(Target target) {
  gpu::ReferenceOptions options{.is_cpu = false};
  const bool has_all = target != Target::Least;
  if (!has_all) {
    options.max_workgroup_size = 256;
    options.max_workgroup_extent = {256, 256, 64};
    options.local_memory = 16 << 10;
  }
  gpu::DeviceFacts facts = gpu::make_reference_device(options)->facts();
  facts.max_image_buffer = 0;
  facts.has_f16_arithmetic = facts.has_subgroups = facts.has_packed_dot = has_all;
  facts.has_matrices = facts.has_typed_matrix_memory = target == Target::Matrices;
  facts.subgroup_size = has_all ? 32 : 1;
  return facts;
}

struct Emitted {
  std::map<std::string, std::string> texts;
  std::string faults;
};

// One case of each `step` of an operation, each module once.
Emitted emit_cases(Target target, std::size_t step) {
  const gpu::DeviceFacts facts = facts_of(target);
  const bool has_all = target != Target::Least, has_matrices = target == Target::Matrices;
  const shader::TargetTraits traits{.has_f16_arithmetic = has_all,
                                    .has_subgroups = has_all,
                                    .has_packed_dot = has_all,
                                    .has_matrices = has_matrices,
                                    .subgroup_size = facts.subgroup_size};
  const shader::WgslDialect dialect{.f16 = has_all,
                                    .subgroups = has_all,
                                    .packed_dot = has_all,
                                    .matrices = has_matrices,
                                    .compiler = shader::WgslDialect::Compiler::Naga};
  Emitted emitted;
  std::set<std::string> keys;
  std::map<std::string, std::size_t> counts;
  for (const conformance::Case& each : conformance::all_cases()) {
    if (each.setting.storage == StorageKind::ImageBuffer || counts[each.operation]++ % step != 0) continue;
    try {
      const conformance::Problem problem = conformance::sketch_of(each, facts);
      if (!problem.refusal.empty()) continue;
      const graph::LoweredGraph lowered = graph::lower(problem.graph, facts, conformance::options_of(each.setting));
      for (const graph::LoweredStep& lowered_step : lowered.steps) {
        const graph::KernelUse& use = lowered_step.use;
        if (has_matrices && !lowered_step.kernel.ends_with("matrix")) continue;
        if (!keys.insert(graph::kernel_key(use)).second) continue;
        const shader::Module module =
            shader::compile(kernels::source, use.module_path, use.specialization, traits, use.entry_point);
        const std::string name = std::string(lowered_step.kernel) + "_" + std::to_string(keys.size());
        emitted.texts[name] = shader::emit_wgsl(module, dialect);
        // The forms of the other compiler, which is not here to judge them.
        if (has_matrices) {
          for (const bool is_untyped : {false, true}) {
            const shader::WgslDialect tint{
                .f16 = true, .subgroups = true, .matrices = true, .untyped_matrix_memory = is_untyped};
            EXPECT_NE(shader::emit_wgsl(module, tint), "");
          }
        }
      }
    } catch (const Error& error) {
      emitted.faults += conformance::describe(each) + ": " + error.what() + "\n";
    }
  }
  return emitted;
}

void expect_valid(Target target, std::size_t step, std::size_t least) {
  const Emitted emitted = emit_cases(target, step);
  EXPECT_EQ(emitted.faults, "");
  EXPECT_GE(emitted.texts.size(), least);
  if (has_naga()) {
    EXPECT_EQ(naga_complaints(emitted.texts), "");
  }
}

TEST(WgslOfKernels, SampleIsValid) {
  expect_valid(Target::Least, 97, 22);
  expect_valid(Target::All, 97, 22);
  expect_valid(Target::Matrices, 7, 6);
}

// Minutes; run it with --gtest_also_run_disabled_tests.
TEST(WgslOfKernels, DISABLED_AllAreValid) {
  for (const Target target : {Target::Least, Target::All, Target::Matrices}) expect_valid(target, 1, 50);
}

}  // namespace
}  // namespace driftwood::test
