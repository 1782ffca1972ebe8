// Every kernel that a model takes on a smaller device is within the limits of that device: the profiles of
// tests/data/limits, on models of every family and on Stable Diffusion 1.4 at its real size. No kernel runs here.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "gpu/fact_checks.h"
#include "graph/lowering.h"
#include "graph/program.h"
#include "kernels/source.h"
#include "limits/limits_file.h"
#include "llm/session.h"
#include "models/clip_text.h"
#include "models/image_shapes.h"
#include "models/language_graph.h"
#include "models/unet.h"
#include "models/vae.h"
#include "support/devices.h"

namespace driftwood {
namespace {

/// The facts of a large device, made those of a profile. Subgroups of 16 stand for what a profile leaves of them.
gpu::DeviceFacts facts_of(const std::string& profile) {
  gpu::DeviceFacts large = gpu::make_reference_device({.subgroup_size = 16})->facts();
  large.compute_units = 8;
  return gpu::limited_facts(large, limits::read_limits(DRIFTWOOD_TEST_DATA "/limits/" + profile + ".json"));
}

class LimitedModels : public ::testing::TestWithParam<std::string> {
 protected:
  /// Compiles what the graph takes, each kernel once, and holds it to the facts as a device would.
  void check(graph::Graph graph, const graph::GraphOptions& options = {}) {
    const graph::LoweredGraph lowered = graph::lower(std::move(graph), facts_, options);
    for (const graph::LoweredStep& step : lowered.steps) {
      if (!seen_.insert(graph::kernel_key(step.use)).second) continue;
      SCOPED_TRACE(std::string(step.kernel) + " for " + step.use.label);
      const shader::Module module = shader::compile(kernels::source, step.use.module_path, step.use.specialization,
                                                    traits_, step.use.entry_point);
      EXPECT_NO_THROW(gpu::check_module(module, step.use.module_path, facts_));
      EXPECT_LE(gpu::workgroup_bytes(module), facts_.local_memory);
    }
  }

  gpu::DeviceFacts facts_ = facts_of(GetParam());
  shader::TargetTraits traits_{.has_f16_arithmetic = facts_.has_f16_arithmetic,
                               .has_subgroups = facts_.has_subgroups,
                               .has_packed_dot = facts_.has_packed_dot,
                               .has_matrices = facts_.has_matrices,
                               .subgroup_size = facts_.subgroup_size};
  std::set<std::string> seen_;
};

TEST_P(LimitedModels, LanguageModelsOfEveryFamily) {
  for (const auto& folder : std::filesystem::directory_iterator(DRIFTWOOD_TEST_DATA "/llm")) {
    if (!folder.is_directory()) continue;
    SCOPED_TRACE(folder.path().filename());
    const auto checkpoint = models::Checkpoint::open(folder.path());
    for (const std::uint32_t tokens : {1U, 64U})
      check(models::language_graph(checkpoint, llm::graph_settings({.context = 128}, facts_, tokens, false)));
  }
}

TEST_P(LimitedModels, StableDiffusionAtItsRealSize) {
  const models::ImageCheckpoint model = testing::real_model();
  check(models::clip_text_graph(model));
  check(models::unet_graph(model, {.batch = 2}));
  check(models::vae_decoder_graph(model));
}

INSTANTIATE_TEST_SUITE_P(All, LimitedModels,
                         ::testing::Values("mobile-64", "mali-like", "intel-like", "webgpu-default"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace driftwood
