// Graphs of the image models by value: shapes at the real size, odd sizes, what the passes make of them.
#include <gtest/gtest.h>

#include "graph/lowering.h"
#include "graph/passes/pass.h"
#include "models/clip_text.h"
#include "models/image_shapes.h"
#include "models/unet.h"
#include "models/vae.h"
#include "support/devices.h"

namespace driftwood {
namespace {

using graph::Graph;

const models::ImageCheckpoint& model() {
  static const models::ImageCheckpoint checkpoint = testing::real_model();
  return checkpoint;
}

template <class Operation>
std::size_t count(const Graph& graph) {
  return static_cast<std::size_t>(
      std::ranges::count_if(graph.nodes(), [](const graph::Node& node) { return node.as<Operation>() != nullptr; }));
}

Shape shape_of(const Graph& graph, const char* name) { return graph.find(name)->shape; }

TEST(ImageGraph, InputsAndOutputsAtTheRealSize) {
  const Graph text = models::clip_text_graph(model());
  EXPECT_EQ(text.max_tokens, 77U);
  EXPECT_EQ(shape_of(text, "hidden"), (Shape{.w = 77, .c = 768}));
  const Graph unet = models::unet_graph(model(), {.batch = 2, .height = 64, .width = 96});
  EXPECT_EQ(unet.max_tokens, 1U);
  EXPECT_EQ(shape_of(unet, "latent"), (Shape{.b = 2, .h = 64, .w = 96, .c = 4}));
  EXPECT_EQ(shape_of(unet, "context"), (Shape{.b = 2, .w = 77, .c = 768}));
  EXPECT_EQ(shape_of(unet, "time"), Shape{.c = 320});
  EXPECT_EQ(shape_of(unet, "prediction"), (Shape{.b = 2, .h = 64, .w = 96, .c = 4}));
  const Graph decoder = models::vae_decoder_graph(model(), {.height = 64, .width = 96});
  EXPECT_EQ(shape_of(decoder, "image"), (Shape{.h = 512, .w = 768, .c = 3}));
  const Graph encoder = models::vae_encoder_graph(model(), {.height = 512, .width = 768});
  EXPECT_EQ(shape_of(encoder, "mean"), (Shape{.h = 64, .w = 96, .c = 4}));
  EXPECT_EQ(shape_of(encoder, "logvar"), (Shape{.h = 64, .w = 96, .c = 4}));
}

TEST(ImageGraph, EveryTensorOfTheFilesIsRead) {
  std::map<std::string, std::uint64_t> read;
  for (const Graph& graph : {models::clip_text_graph(model()), models::unet_graph(model()),
                             models::vae_decoder_graph(model()), models::vae_encoder_graph(model())})
    for (const graph::Value& value : graph.values()) {
      for (const graph::WeightsBlock& block : value.weights.blocks) read[block.name] += block.rows;
      if (value.role == graph::Role::Constant)
        read[value.name.substr(0, value.name.find('['))] += value.shape.elements();
    }
  for (const models::ImageComponent component : models::image_components)
    for (const StoredTensor& tensor : model().tensors(component).all())
      EXPECT_EQ(read[tensor.name], tensor.dims.size() == 1 || tensor.name.find("position") != std::string::npos
                                       ? tensor.size()
                                       : tensor.dims.back())
          << tensor.name;
}

TEST(ImageGraph, LatentsOfAnySizeComeBackInTheirSize) {
  for (const auto& [height, width] : {std::pair{1, 1}, {9, 13}, {8, 8}, {15, 16}, {33, 2}}) {
    const Graph unet = models::unet_graph(
        model(), {.height = static_cast<std::uint32_t>(height), .width = static_cast<std::uint32_t>(width)});
    EXPECT_EQ(shape_of(unet, "prediction").h, static_cast<std::uint32_t>(height));
    EXPECT_EQ(shape_of(unet, "prediction").w, static_cast<std::uint32_t>(width));
  }
}

TEST(ImageGraph, PassesLeaveNoCopiesAndNoNormalisedTensorsBehind) {
  Graph unet = models::unet_graph(model());
  graph::run_passes(unet, {});
  EXPECT_EQ(count<graph::Concat>(unet), 0U);
  EXPECT_EQ(count<graph::ElementWise>(unet), 0U);
  EXPECT_EQ(count<graph::GatedLinear>(unet), 16U);
  EXPECT_EQ(count<graph::MultiHeadAttention>(unet), 32U);
  EXPECT_EQ(count<graph::GroupStatistics>(unet), 61U);
  EXPECT_EQ(count<graph::Conv2d>(unet), 98U);

  Graph text = models::clip_text_graph(model());
  graph::run_passes(text, {});
  EXPECT_EQ(count<graph::ElementWise>(text), 0U);

  Graph decoder = models::vae_decoder_graph(model());
  graph::run_passes(decoder, {});
  EXPECT_EQ(count<graph::ElementWise>(decoder), 1U);  // the attention's norm, which three linears read
}

struct Plan {
  double planned = 0, bound = 0, naive = 0;  // MiB
};

/// Activations in half precision, on a device with a GPU's kernels and so many units, and so much memory; 0: it does
/// not say how much, and has none to spare.
Plan plan(Graph graph, std::uint32_t units, std::uint64_t device_memory = 0) {
  constexpr double mib = 1 << 20;
  gpu::DeviceFacts facts = test::device("reference")->facts();
  facts.compute_units = units;
  facts.local_memory = 48 << 10;
  facts.buffer_alignment = 512;
  facts.global_memory = device_memory;
  const graph::MemoryReport memory = graph::lower(std::move(graph), facts, {.precision = graph::Precision::F16}).memory;
  return {static_cast<double>(memory.activations_planned) / mib, static_cast<double>(memory.lower_bound) / mib,
          static_cast<double>(memory.activations_naive) / mib};
}

TEST(ImageGraph, ActivationsOfAPictureOf512By512FitWhereTheyAreMeantTo) {
  const struct {
    const char* name;
    Graph graph;
    double most;
  } table[] = {
      {"text encoder", models::clip_text_graph(model(), {.activation_type = DataType::F16}), 1},
      {"UNet", models::unet_graph(model(), {.activation_type = DataType::F16}), 30},
      {"UNet, batch of 2", models::unet_graph(model(), {.batch = 2, .activation_type = DataType::F16}), 55},
      {"VAE decoder", models::vae_decoder_graph(model(), {.activation_type = DataType::F16}), 200},
      {"VAE decoder, a tile",
       models::vae_decoder_graph(model(), {.height = 32, .width = 32, .activation_type = DataType::F16}), 100},
      {"VAE encoder", models::vae_encoder_graph(model(), {.activation_type = DataType::F16}), 320},
  };
  // Many units are kept busy by dividing products into shares, whose sums take memory too.
  for (const std::uint32_t units : {1U, 40U, 132U}) {
    for (const auto& row : table) {
      const Plan result = plan(row.graph, units);
      EXPECT_LE(result.planned, row.most) << row.name << " on " << units << " units";
      EXPECT_LE(result.planned, 1.12 * result.bound) << row.name << " on " << units << " units";
      EXPECT_GT(result.naive, 4 * result.planned) << row.name << " on " << units << " units";
    }
  }
}

// What a large device spends for speed, and a small one does not.
TEST(ImageGraph, ActivationsTakeLittleOfALargeDevice) {
  const Graph unet = models::unet_graph(model(), {.batch = 2, .activation_type = DataType::F16});
  const Graph decoder = models::vae_decoder_graph(model(), {.activation_type = DataType::F16});
  constexpr std::uint64_t small = std::uint64_t{512} << 20, large = std::uint64_t{80} << 30;
  EXPECT_EQ(plan(unet, 40, small).planned, plan(unet, 40).planned);
  EXPECT_EQ(plan(decoder, 40, small).planned, plan(decoder, 40).planned);
  EXPECT_LE(plan(unet, 40, large).planned, 62);
  EXPECT_LE(plan(decoder, 40, large).planned, 330);
}

}  // namespace
}  // namespace driftwood
