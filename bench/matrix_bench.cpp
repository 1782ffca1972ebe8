// How fast products on matrix units are in each tiling, beside the one that the selection takes.
//
//   matrix_bench [DEVICE] [POSITIONS_SIDE CHANNELS OUTPUTS WINDOW BATCH]
//
// Without sizes: the levels of Stable Diffusion's UNet, two pictures at once. WINDOW 0: a gated linear of that many
// positions. Weights and activations are f16. Prints microseconds a run, by the wall clock over runs queued one after
// another, and TFLOP/s; the tiling chosen has a star.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/half.h"
#include "bench_main.h"
#include "gpu/registry.h"
#include "graph/builder.h"
#include "graph/program.h"
#include "graph/selection/matrix_product.h"
#include "numbers.h"

namespace {

using namespace driftwood;

struct Product {
  std::uint32_t side, channels, outputs, window, batch;

  bool is_gated() const { return window == 0; }
  std::uint32_t taps() const { return std::max(1U, window * window); }
  std::uint32_t positions() const { return side * side * batch; }
  std::uint32_t rows() const { return outputs * (is_gated() ? 2 : 1); }
  double flops() const { return 2.0 * positions() * rows() * taps() * channels; }
};

constexpr Product unet[] = {
    {64, 320, 320, 3, 2},   {64, 640, 320, 3, 2},  {64, 960, 320, 3, 2},   {32, 640, 640, 3, 2},
    {32, 1280, 640, 3, 2},  {32, 1920, 640, 3, 2}, {16, 1280, 1280, 3, 2}, {16, 2560, 1280, 3, 2},
    {8, 1280, 1280, 3, 2},  {8, 2560, 1280, 3, 2}, {64, 320, 320, 1, 2},   {32, 640, 640, 1, 2},
    {16, 1280, 1280, 1, 2}, {64, 1280, 320, 1, 2}, {32, 2560, 640, 1, 2},  {16, 5120, 1280, 1, 2},
    {64, 320, 1280, 0, 2},  {32, 640, 2560, 0, 2}, {16, 1280, 5120, 0, 2}, {256, 256, 256, 3, 1},
    {512, 128, 128, 3, 1},
};

// Tiles that the selection does not know, to compare its own with.
constexpr graph::MatrixTile others[] = {
    {.positions = 128, .outputs = 128, .down = 2, .across = 4, .step_cost = 0},
    {.positions = 128, .outputs = 64, .down = 4, .across = 2, .step_cost = 0},
    {.positions = 64, .outputs = 128, .down = 2, .across = 2, .step_cost = 0},
};

graph::MatrixTiling forced;

std::vector<graph::KernelRow> forced_rows() {
  const auto always = [](const graph::Node&, const graph::SelectionContext&) { return true; };
  const auto instantiate = [](const graph::Node& node, const graph::SelectionContext& context) {
    return graph::matrix_product(node, context, forced);
  };
  return {{graph::Conv2d::name, "forced", always, instantiate},
          {graph::GatedLinear::name, "forced", always, instantiate}};
}

graph::Graph graph_of(const Product& product) {
  graph::Builder builder({.activation = DataType::F16});
  const Shape shape{.b = product.batch, .h = product.side, .w = product.side, .c = product.channels};
  const graph::Tensor x = builder.input("x", shape, DataType::F16);
  const auto weights = [&](const std::string& name) {
    return builder.weights({.format = DataType::F16,
                            .columns = graph::convolution_columns(product.taps(), product.channels),
                            .blocks = {{name, product.outputs}},
                            .taps = product.taps(),
                            .channels = product.channels});
  };
  const std::uint32_t pad = product.window / 2;
  const graph::Conv2d convolution{.window_h = product.window,
                                  .window_w = product.window,
                                  .pad_top = pad,
                                  .pad_left = pad,
                                  .pad_bottom = pad,
                                  .pad_right = pad};
  builder.output("y",
                 product.is_gated() ? builder.gated_linear(x, weights("w"), weights("up"), graph::ElementOp::GeluErf)
                                    : builder.conv2d(x, weights("w"), convolution),
                 DataType::F16);
  return std::move(builder).build();
}

double microseconds(gpu::Device& device, const Product& product) {
  constexpr int repeats = 20;
  // Values of the size that activations have.
  std::vector<std::byte> weights(std::size_t{2} * product.outputs * product.taps() * product.channels);
  bench::Numbers numbers;
  for (std::size_t i = 0; i < weights.size(); i += 2) {
    const std::uint16_t half = float_to_half(numbers.next() / 2);
    weights[i] = static_cast<std::byte>(half & 0xFF);
    weights[i + 1] = static_cast<std::byte>(half >> 8);
  }
  const std::vector<graph::KernelRow> rows = forced_rows();
  graph::ProgramSettings settings{.rows = rows};
  settings.store = std::make_shared<graph::ResourceStore>(
      device, [&](std::string_view) { return std::span<const std::byte>(weights); });
  graph::Program program(device, graph_of(product), std::move(settings));
  std::vector<float> x(std::size_t{product.positions()} * product.channels);
  for (float& value : x) value = numbers.next();
  program.write_floats("x", x);
  double best = 0;
  for (int round = 0; round < 4; ++round) {  // the first warms up
    device.finish();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < repeats; ++i) program.run({});
    device.finish();
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    if (round == 1 || (round > 1 && time.count() / repeats < best)) best = time.count() / repeats;
  }
  return best;
}

void measure(gpu::Device& device, const Product& product) {
  const graph::MatrixTiling chosen =
      graph::choose_tiling(product.positions(), product.rows(), product.taps() * product.channels,
                           product.is_gated() ? 0 : std::uint64_t{1} << 40, device.facts());
  fmt::print("{} x {} x {}, {} channels, {} outputs, window {}:\n", product.batch, product.side, product.side,
             product.channels, product.outputs, product.window);
  const std::uint32_t steps = (product.taps() * product.channels + 31) / 32;
  std::vector<const graph::MatrixTile*> tiles;
  for (const graph::MatrixTile& tile : graph::matrix_tiles()) tiles.push_back(&tile);
  for (const graph::MatrixTile& tile : others) tiles.push_back(&tile);
  for (const graph::MatrixTile* const tile : tiles) {
    std::vector<std::uint32_t> shares = {1, 2, 3, 4, 6, 8, 12, 16};
    if (chosen.tile == tile && std::ranges::find(shares, chosen.splits) == shares.end()) {
      shares.push_back(chosen.splits);
    }
    for (const std::uint32_t splits : shares) {
      const std::uint32_t share = (steps + splits - 1) / splits;
      const bool is_chosen = chosen.tile == tile && chosen.splits == splits;
      if (splits > 1 && (product.is_gated() || (splits - 1) * share >= steps || share < 4)) continue;
      if (splits > 4 && !is_chosen && product.positions() > 2048) continue;
      forced = {.tile = tile, .splits = splits};
      const double time = microseconds(device, product);
      fmt::print("  {:3} x {:3} of {} x {} subgroups, {:2} shares: {:8.1f} us, {:6.1f} TFLOP/s{}\n", tile->positions,
                 tile->outputs, tile->down, tile->across, splits, time, product.flops() / time / 1e6,
                 is_chosen ? " *" : "");
      std::fflush(stdout);
    }
  }
}

int run(int argc, char** argv) {
  const auto device = gpu::open_device(argc > 1 ? argv[1] : "opencl:0");
  if (!device->facts().has_matrices) throw Unsupported("The device has no matrix units.");
  if (argc < 7) {
    for (const Product& product : unet) measure(*device, product);
    return 0;
  }
  const auto number = [&](int place) { return static_cast<std::uint32_t>(std::max(0, std::atoi(argv[place]))); };
  measure(*device, {number(2), number(3), number(4), number(5), std::max(1U, number(6))});
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return driftwood::bench::main_of("matrix_bench", run, argc, argv); }
