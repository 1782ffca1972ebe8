// The residual stream is stored in f32 wherever a norm reads it: models have values there that halves do not reach.
#include <gtest/gtest.h>

#include "llm/session.h"
#include "models/language_graph.h"
#include "support/devices.h"

namespace driftwood {
namespace {

TEST(ResidualStream, IsStoredInF32WhereProductsTakeHalves) {
  const auto checkpoint = models::Checkpoint::open(DRIFTWOOD_TEST_DATA "/llm/llama-gqa-tied");
  gpu::DeviceFacts facts = test::device("reference")->facts();
  facts.has_matrices = true;
  const models::LanguageGraphSettings settings = llm::graph_settings({.context = 64}, facts, 64, false);
  ASSERT_EQ(settings.activation_type, DataType::F16);
  const graph::Graph graph = models::language_graph(checkpoint, settings);
  int norms = 0, selections = 0;
  for (const graph::Node& node : graph.nodes()) {
    if (std::holds_alternative<graph::RmsNorm>(node.operation)) {
      ++norms;
      EXPECT_EQ(graph.value(node.inputs[0]).data_type, DataType::F32) << node.name;
    }
    if (!std::holds_alternative<graph::SelectToken>(node.operation)) continue;
    ++selections;
    EXPECT_EQ(graph.value(node.outputs[0]).data_type, DataType::F32) << node.name;
  }
  EXPECT_EQ(norms, 2 * static_cast<int>(checkpoint.config().layers) + 1);
  EXPECT_EQ(selections, 1);
}

}  // namespace
}  // namespace driftwood
