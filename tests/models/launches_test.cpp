// How many kernels a decoded token takes.
#include "graph/launches.h"

#include <gtest/gtest.h>

#include "formats/temporary_folder.h"
#include "llm/session.h"
#include "models/gguf_of_folder.h"
#include "models/language_graph.h"
#include "support/devices.h"

namespace driftwood {
namespace {

graph::Launches decode_launches(const models::Checkpoint& checkpoint, const gpu::DeviceFacts& facts,
                                const graph::GraphOptions& options = {}) {
  const models::LanguageGraphSettings settings = llm::graph_settings({.context = 64}, facts, 1, false);
  return graph::count_launches(graph::lower(models::language_graph(checkpoint, settings), facts, options));
}

// Six a layer, on GPUs one more, which combines the parts of the cache; embedding and head.
TEST(Launches, OfADecodedToken) {
  const auto checkpoint = models::Checkpoint::open(DRIFTWOOD_TEST_DATA "/llm/llama-gqa-tied");
  for (const bool is_cpu : {false, true}) {
    gpu::DeviceFacts facts = test::device("reference")->facts();
    facts.is_cpu = is_cpu;
    const graph::Launches launches = decode_launches(checkpoint, facts);
    EXPECT_EQ(launches.layers, checkpoint.config().layers);
    EXPECT_LE(launches.most_of_layer, is_cpu ? 6U : 7U);
    EXPECT_LE(launches.elsewhere, 3U);
    graph::GraphOptions unfused;
    unfused.disabled_passes = {"fuse-norm"};
    const graph::Launches more = decode_launches(checkpoint, facts, unfused);
    EXPECT_EQ(more.total, launches.total + 2 * launches.layers + 1);
  }
}

// The pairs of a GGUF file of this family are neighbours, so the product turns and stores them: one a layer less.
TEST(Launches, OfADecodedTokenOfAGgufFile) {
  const testing::TemporaryFolder files;
  const auto folder = models::Checkpoint::open(DRIFTWOOD_TEST_DATA "/llm/llama-gqa-tied");
  const auto checkpoint = models::Checkpoint::open(files.write("model.gguf", test::gguf_of_folder(folder)));
  for (const bool is_cpu : {false, true}) {
    gpu::DeviceFacts facts = test::device("reference")->facts();
    facts.is_cpu = is_cpu;
    const graph::Launches launches = decode_launches(checkpoint, facts);
    EXPECT_EQ(launches.layers, checkpoint.config().layers);
    EXPECT_EQ(launches.most_of_layer, is_cpu ? 5U : 6U);
    EXPECT_LE(launches.elsewhere, 3U);
  }
}

}  // namespace
}  // namespace driftwood
