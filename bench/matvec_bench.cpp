// How fast one token is multiplied with a matrix in each way that kernels of a row a lane can be cut, beside the one
// that the selection takes.
//
//   matvec_bench [DEVICE] [KIND FORMAT ROWS COLUMNS [SPLITS TURNS STAGES BLOCKS [HALVES [CUTS]]]]
//
// KIND: linear, norm-linear (an RMS norm comes first), residual-linear (a residual is added), gated, norm-gated.
// Without a KIND: the matrices of an 8B Llama in q4_0 and q8_0. SPLITS, TURNS, STAGES (1 or 0), BLOCKS and HALVES (1 or
// 0: products in f16 and in bytes, which are always staged) choose among the ways; 0 for SPLITS, TURNS or BLOCKS is all
// of them, 2 for STAGES or HALVES both. Prints microseconds a launch, the device's own gap between launches included,
// and GB/s of weights; the tiling chosen has a star. Matrices change from launch to launch, so that none is in a cache;
// launches are queued while a kernel that only spins is running, so that the host's time for them does not count.
// Results of every way are compared with those of the first. At last, where the device decodes in one launch, the
// launches as stages of one, cut as the selection cuts them for that and, with 1 for CUTS, in all other ways too (with
// 1 for SPLITS, only these).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/half.h"
#include "bench_main.h"
#include "conformance/random_blocks.h"
#include "gpu/registry.h"
#include "graph/builder.h"
#include "graph/program.h"
#include "graph/selection/half_rows.h"
#include "graph/selection/linear.h"
#include "queued_launches.h"
#include "tensor/packed_weights.h"

namespace {

using namespace driftwood;

struct Product {
  std::string kind;
  DataType format;
  std::uint32_t rows, columns;

  bool is_gated() const { return kind.ends_with("gated"); }
  std::uint64_t bytes() const {
    const WeightsDescriptor descriptor{.format = format, .rows = rows, .columns = columns, .row_group = 32};
    return packed_size(descriptor) * (is_gated() ? 2 : 1);
  }
};

constexpr std::size_t launches = 64;

graph::RowTiling forced, chosen;
bool is_forced = false;
bool is_joined = false;      // the launches are stages of one
graph::ParameterValues cut;  // of those: lanes, splits and turns that the selection is to take

graph::RowTiling tiling_of(const graph::Node& node, const graph::SelectionContext& context) {
  chosen = graph::takes_halves(node, context)
               ? graph::choose_half_tiling(node, context)
               : graph::choose_row_tiling(node, context, graph::weights_descriptor(context, node.inputs[1]));
  graph::RowTiling tiling = chosen;
  if (is_forced) {
    tiling.splits = forced.splits;
    tiling.turns = forced.turns;
    tiling.blocks = forced.blocks;
    tiling.stages = forced.stages;
    tiling.halves = forced.halves;
  }
  if (is_forced || is_joined) tiling.in_bytes = forced.in_bytes;
  return tiling;
}

graph::Lowering linear(const graph::Node& node, const graph::SelectionContext& context) {
  return graph::linear_in_lanes(node, context, tiling_of(node, context));
}

graph::Lowering gated(const graph::Node& node, const graph::SelectionContext& context) {
  return graph::gated_linear_in_lanes(node, context, tiling_of(node, context));
}

constexpr std::array<graph::KernelRow, 3> rows = {{{graph::Linear::name, "linear", bench::always, linear},
                                                   {graph::GatedLinear::name, "gated", bench::always, gated},
                                                   {graph::ElementWise::name, "spin", bench::always, bench::spin}}};

graph::Graph graph_of(const Product& product, std::size_t count) {
  graph::Builder builder;
  graph::Tensor x = builder.unary(graph::ElementOp::Relu, builder.input("x", {.c = product.columns}));
  if (product.kind.starts_with("norm")) {
    x = builder.rms_norm(x, builder.vector("gamma", std::vector<float>(product.columns, 0.5F)), 1e-5F);
  }
  const graph::Tensor residual = builder.input("residual", {.c = product.rows});
  const std::uint64_t matrices = std::clamp<std::uint64_t>(bench::rotated_bytes / product.bytes() + 1, 2, count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    const auto weights = [&](const char* name) {
      return builder.weights({.format = product.format,
                              .columns = product.columns,
                              .blocks = {{fmt::format("{}.{}", name, i % matrices), product.rows}}});
    };
    graph::Tensor y =
        product.is_gated() ? builder.gated_linear(x, weights("w"), weights("up")) : builder.linear(x, weights("w"));
    if (product.kind.starts_with("residual")) y = builder.add(y, residual);
    builder.output(fmt::format("y.{}", i), y);
  }
  return std::move(builder).build();
}

/// Random blocks of a format, whose scales are near 1/100.
std::vector<std::byte> random_weights(const Product& product) {
  std::mt19937 random(1);
  return conformance::random_rows(product.format, product.rows, product.columns, random, 0.005F);
}

struct Bench {
  gpu::Device& device;
  Product product;
  std::vector<std::byte> weights;
  std::shared_ptr<graph::ResourceStore> store;
  std::vector<float> first = {};  // results of the first way

  Bench(gpu::Device& device, const Product& product)
      : device(device), product(product), weights(random_weights(product)) {
    store = std::make_shared<graph::ResourceStore>(
        device, [this](std::string_view) { return std::span<const std::byte>(weights); });
  }

  std::unique_ptr<graph::Program> program(std::size_t count) const {
    graph::GraphOptions options{.decode_launches =
                                    is_joined ? graph::DecodeLaunches::One : graph::DecodeLaunches::Many};
    if (!cut.empty()) {
      auto choices = std::make_shared<graph::Choices>();
      choices->add_for_all({.kernel = product.is_gated() ? "gated" : "linear", .values = cut});
      options.choices = choices;
    }
    auto made = std::make_unique<graph::Program>(
        device, graph_of(product, count),
        graph::ProgramSettings{
            .options = options, .store = store, .sources = bench::source, .rows = rows, .is_joined = is_joined});
    std::vector<float> x(product.columns), residual(product.rows, 1.0F);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 2654435761U % 1000) / 1000.0F;
    made->write_floats("x", x);
    if (product.kind.starts_with("residual")) made->write_floats("residual", residual);
    return made;
  }

  void measure(const std::string& name) {
    const auto many = program(launches + 1), one = program(1);
    const double time = (bench::milliseconds(*many, {}) - bench::milliseconds(*one, {})) * 1000 / launches;
    std::vector<float> y(product.rows);
    one->read_floats("y.0", y);
    if (first.empty()) first = y;
    const bool is_chosen = is_forced && chosen.splits == forced.splits && chosen.turns == forced.turns &&
                           chosen.blocks == forced.blocks && chosen.stages == forced.stages &&
                           chosen.halves == forced.halves && chosen.in_bytes == forced.in_bytes;
    const double allowed = forced.halves || is_joined ? 1e-6 : 1e-9;
    fmt::print("  {:<34} {:9.2f} us {:9.1f} GB/s{}{}\n", name, time, static_cast<double>(product.bytes()) / time / 1e3,
               is_chosen ? " *" : "", bench::wrong_by(y, first, allowed));
    std::fflush(stdout);
  }
};

/// Only the ways that are asked for; 0: all.
struct Wanted {
  std::uint32_t splits = 0, turns = 0, blocks = 0;
  std::optional<bool> stages = {}, halves = {};
  bool cuts = false;
};

// Every way to cut a stage for workgroups that stay.
void measure_cuts(Bench& bench) {
  for (const std::uint32_t lanes : {8U, 16U, 32U}) {
    for (const std::uint32_t splits : {4U, 8U, 16U, 32U, 64U}) {
      const std::uint32_t invocations = lanes * splits * (bench.product.is_gated() ? 2 : 1);
      // Less is more than four workgroups a unit, more than the rule allows.
      if (invocations < 128 || invocations > 512) continue;
      for (const std::uint32_t turns : {1U, 2U, 4U}) {
        if (turns * splits * 32 > bench.product.columns) continue;
        cut = {{"resident_lanes", lanes}, {"resident_splits", splits}, {"resident_turns", turns}};
        bench.measure(fmt::format("stages of {} lanes, {} splits, {} turns", lanes, splits, turns));
      }
    }
  }
  cut.clear();
}

void measure_halves(Bench& bench, const Wanted& wanted) {
  const gpu::DeviceFacts& facts = bench.device.facts();
  const bool has_halves = graph::half_format(bench.product.format) != 0;
  if (!facts.has_f16_arithmetic || facts.is_cpu || !has_halves || wanted.halves == false) return;
  for (const std::uint32_t splits : {4U, 8U, 16U, 32U}) {
    for (const std::uint32_t turns : {1U, 2U, 4U}) {
      const bool is_wanted =
          (wanted.splits == 0 || wanted.splits == splits) && (wanted.turns == 0 || wanted.turns == turns);
      if (!is_wanted || splits * 32 * (bench.product.is_gated() ? 2 : 1) > facts.max_workgroup_size) continue;
      for (const bool in_bytes : {false, true}) {
        if (in_bytes && !facts.has_packed_dot) continue;
        forced = {.splits = splits, .turns = turns, .halves = true, .in_bytes = in_bytes};
        bench.measure(
            fmt::format("{:2} splits, {} turns, in {}", splits, turns, in_bytes ? "pairs of bytes" : "halves"));
      }
    }
  }
  if (!facts.joins_dispatches) return;
  is_forced = false;
  is_joined = true;
  for (const bool in_bytes : {false, true}) {
    if (in_bytes && !facts.has_packed_dot) continue;
    forced = {.in_bytes = in_bytes};
    bench.measure(fmt::format("stages of one launch, in {}", in_bytes ? "pairs of bytes" : "halves"));
  }
  if (wanted.cuts) measure_cuts(bench);
  is_joined = false;
}

void measure(gpu::Device& device, const Product& product, const Wanted& wanted) {
  fmt::print("{} {} {} x {}, {:.1f} MB:\n", product.kind, to_string(product.format), product.rows, product.columns,
             static_cast<double>(product.bytes()) / 1e6);
  Bench bench(device, product);
  const std::uint32_t lanes = device.facts().is_cpu ? 16 : 32;
  is_forced = true;
  for (const bool stages : {false, true}) {
    if (wanted.halves == true) break;
    for (const std::uint32_t splits : {4U, 8U, 16U, 32U}) {
      for (const std::uint32_t turns : {1U, 2U, 4U}) {
        if ((wanted.splits != 0 && wanted.splits != splits) || (wanted.turns != 0 && wanted.turns != turns) ||
            (wanted.stages && *wanted.stages != stages) || splits * lanes > device.facts().max_workgroup_size) {
          continue;
        }
        // 12 KiB for sums.
        if (stages && std::uint64_t{4} * product.columns + 12288 > device.facts().local_memory) continue;
        for (const std::uint32_t blocks : {1U, 2U, 4U}) {
          const bool has_many_rows = product.rows / lanes > 8 * blocks * device.facts().compute_units;
          if (wanted.blocks != 0 ? wanted.blocks != blocks : blocks > 1 && (!has_many_rows || !stages)) continue;
          forced = {.splits = splits, .blocks = blocks, .turns = turns, .stages = stages};
          bench.measure(fmt::format("{:2} splits, {} turns{}{}", splits, turns, stages ? ", staged" : "",
                                    blocks > 1 ? fmt::format(", {} blocks", blocks) : ""));
        }
      }
    }
  }
  measure_halves(bench, wanted);
}

std::vector<Product> llama() {
  std::vector<Product> products;
  for (const DataType format : {DataType::Q4_0, DataType::Q8_0}) {
    products.push_back({"norm-linear", format, 6144, 4096});
    products.push_back({"residual-linear", format, 4096, 4096});
    products.push_back({"norm-gated", format, 14336, 4096});
    products.push_back({"residual-linear", format, 4096, 14336});
    products.push_back({"norm-linear", format, 128256, 4096});
  }
  return products;
}

int run(int argc, char** argv) {
  const auto device = gpu::open_device(argc > 1 ? argv[1] : "opencl:0");
  const auto number = [&](int place) {
    return argc > place ? static_cast<std::uint32_t>(std::max(0, std::atoi(argv[place]))) : 0;
  };
  if (argc < 6) {
    for (const Product& product : llama()) measure(*device, product, {});
    return 0;
  }
  const auto format = data_type_from_name(argv[3]);
  if (!format) throw InvalidInput(fmt::format("There is no type '{}' of weights.", argv[3]));
  Wanted wanted{.splits = number(6), .turns = number(7), .blocks = number(9)};
  if (argc > 8 && number(8) < 2) wanted.stages = number(8) != 0;
  if (argc > 10 && number(10) < 2) wanted.halves = number(10) != 0;
  wanted.cuts = number(11) == 1;
  measure(*device, {argv[2], *format, std::max(1U, number(4)), std::max(1U, number(5))}, wanted);
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return driftwood::bench::main_of("matvec_bench", run, argc, argv); }
