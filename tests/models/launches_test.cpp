// How many kernels a decoded token takes.
#include <gtest/gtest.h>

#include "graph/launches.h"
#include "llm/session.h"
#include "models/language_graph.h"
#include "support/devices.h"

namespace driftwood {
namespace {

// Six a layer, on GPUs one more, which combines the parts of the cache; embedding and head.
TEST(Launches, OfADecodedToken) {
  const auto checkpoint = models::Checkpoint::open(DRIFTWOOD_TEST_DATA "/llm/llama-gqa-tied");
  for (const bool is_cpu : {false, true}) {
    gpu::DeviceFacts facts = test::device("reference")->facts();
    facts.is_cpu = is_cpu;
    const models::LanguageGraphSettings settings = llm::graph_settings({.context = 64}, facts, 1, false);
    const graph::Launches launches =
        graph::count_launches(graph::lower(models::language_graph(checkpoint, settings), facts, {}));
    EXPECT_EQ(launches.layers, checkpoint.config().layers);
    EXPECT_LE(launches.most_of_layer, is_cpu ? 6U : 7U);
    EXPECT_LE(launches.elsewhere, 3U);
    graph::GraphOptions unfused;
    unfused.disabled_passes = {"fuse-norm"};
    const graph::Launches more =
        graph::count_launches(graph::lower(models::language_graph(checkpoint, settings), facts, unfused));
    EXPECT_EQ(more.total, launches.total + 2 * launches.layers + 1);
  }
}

}  // namespace
}  // namespace driftwood
