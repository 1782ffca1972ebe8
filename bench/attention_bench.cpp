// How fast one token attends to a KV cache of f16 in each way that the kernels for few tokens can be cut, beside the
// one that the selection takes.
//
//   attention_bench [DEVICE [HEADS KV_HEADS SIZE POSITION [KIND,LANES,ROWS,STEPS,SPLITS]...]]
//
// Each further argument is a way, or several: KIND 0 is any, 1 attention_split, 2 attention_split_halves, 3 all
// positions by one workgroup a KV head; 0 for the others is all of them. Without HEADS: an 8B Llama with 8,192
// positions. Prints microseconds a layer, the device's own gaps between launches included, and GB/s of the cache; what
// the selection takes has a star. Caches change from launch to launch, so that none is in the device's own; how a
// launch is timed is said in queued_launches.h. Results of every way are compared with those of the first.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "bench_main.h"
#include "gpu/registry.h"
#include "graph/builder.h"
#include "graph/program.h"
#include "graph/selection/split_attention.h"
#include "numbers.h"
#include "queued_launches.h"

namespace {

using namespace driftwood;

struct Layer {
  std::uint32_t heads, kv_heads, size, position;

  std::uint32_t places() const { return (position + 256) / 256 * 256; }
  Shape cache() const { return {.h = kv_heads, .w = places(), .c = size}; }
  std::uint64_t bytes() const { return std::uint64_t{2} * 2 * kv_heads * size * (position + 1); }
};

constexpr std::uint32_t launches = 48;

graph::Split forced, chosen;

graph::Lowering attention(const graph::Node& node, const graph::SelectionContext& context) {
  chosen = graph::choose_split(node, context, graph::takes_split_halves(node, context));
  graph::Split split = forced;
  const std::uint32_t slices = context.shape(node.inputs[0]).slices();
  const std::uint32_t block = graph::split_block(split.tiling, slices);
  split.parts = std::min(split.parts, (context.shape(node.inputs[1]).w + block - 1) / block);
  return graph::split_attention(node, context, split);
}

constexpr std::array<graph::KernelRow, 2> rows = {{{graph::Attention::name, "attention", bench::always, attention},
                                                   {graph::ElementWise::name, "spin", bench::always, bench::spin}}};

struct Bench {
  gpu::Device& device;
  Layer layer;
  std::uint32_t caches;
  std::shared_ptr<graph::ResourceStore> store;
  std::vector<float> first = {};  // results of the first way
  bool is_filled = false;

  Bench(gpu::Device& device, const Layer& layer)
      : device(device),
        layer(layer),
        caches(static_cast<std::uint32_t>(
            std::clamp<std::uint64_t>(bench::rotated_bytes / layer.bytes() + 1, 2, launches))),
        store(std::make_shared<graph::ResourceStore>(device, graph::WeightsProvider{})) {}

  std::unique_ptr<graph::Program> program(std::uint32_t count, std::shared_ptr<graph::KernelCache> kernels) {
    graph::Builder builder;
    const Shape queries{.h = layer.kv_heads, .w = layer.heads / layer.kv_heads, .c = layer.size};
    const graph::Tensor q = builder.unary(graph::ElementOp::Negate, builder.input("q", queries));
    std::vector<graph::Tensor> k, v;
    for (std::uint32_t i = 0; i < std::min(count, caches); ++i) {
      k.push_back(builder.state(fmt::format("k.{}", i), layer.cache(), DataType::F16));
      v.push_back(builder.state(fmt::format("v.{}", i), layer.cache(), DataType::F16));
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      builder.output(fmt::format("y.{}", i),
                     builder.attention(q, k[i % caches], v[i % caches], {.heads = layer.heads, .scale = 0.1F}));
    }
    auto made = std::make_unique<graph::Program>(
        device, std::move(builder).build(),
        graph::ProgramSettings{.store = store, .kernels = std::move(kernels), .rows = rows});
    std::vector<float> x(queries.elements());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 2654435761U % 1000) / 500.0F - 1.0F;
    made->write_floats("q", x);
    return made;
  }

  void fill(graph::Program& program) {
    std::vector<std::uint16_t> values(layer.cache().elements());
    bench::Numbers numbers;
    for (std::uint16_t& value : values) {
      value = static_cast<std::uint16_t>((numbers.bits() >> 16 & 0x83ffU) | 0x3800U);  // 0.5 to 1, and less than none
    }
    for (std::uint32_t i = 0; i < caches; ++i) {
      for (const char* letter : {"k", "v"}) {
        program.write(fmt::format("{}.{}", letter, i), std::as_bytes(std::span(values)));
      }
    }
    is_filled = true;
  }

  void measure(const std::string& name) {
    const auto kernels = std::make_shared<graph::KernelCache>(device, bench::source);
    const auto many = program(launches + 1, kernels), one = program(1, kernels);
    if (!is_filled) fill(*many);
    const graph::Parameters run{.tokens = 1, .position = layer.position};
    const double time = (bench::milliseconds(*many, run) - bench::milliseconds(*one, run)) * 1000 / launches;
    std::vector<float> y(std::size_t{layer.heads} * layer.size);
    one->read_floats("y.0", y);
    if (first.empty()) first = y;
    fmt::print("  {:<52} {:9.2f} us {:9.1f} GB/s{}{}\n", name, time, static_cast<double>(layer.bytes()) / time / 1e3,
               (forced.undivided > 0 ? forced.whole == chosen.whole
                                     : forced.tiling == chosen.tiling && forced.parts == chosen.parts)
                   ? " *"
                   : "",
               bench::wrong_by(y, first, 1e-8));
    std::fflush(stdout);
  }
};

/// Only the ways that are asked for; 0: all.
struct Wanted {
  std::uint32_t kind = 0, lanes = 0, rows = 0, steps = 0, splits = 0;
};

Wanted wanted_of(const char* text) {
  Wanted wanted;
  for (std::uint32_t* number : {&wanted.kind, &wanted.lanes, &wanted.rows, &wanted.steps, &wanted.splits}) {
    char* end = nullptr;
    *number = static_cast<std::uint32_t>(std::strtoul(text, &end, 10));
    if (*end != ',') break;
    text = end + 1;
  }
  return wanted;
}

void measure(Bench& bench, const Wanted& wanted) {
  const gpu::DeviceFacts& facts = bench.device.facts();
  const Layer& layer = bench.layer;
  const std::uint32_t slices = layer.size / 4, group = layer.heads / layer.kv_heads;
  const auto is_wanted = [](std::uint32_t wish, std::uint32_t value) { return wish == 0 || wish == value; };
  for (const std::uint32_t kind : {1U, 2U, 3U}) {
    if (!is_wanted(wanted.kind, kind)) continue;
    for (const std::uint32_t lanes : {64U, 128U, 256U, 512U}) {
      if (!is_wanted(wanted.lanes, lanes) || lanes > facts.max_workgroup_size) continue;
      for (const std::uint32_t of_rows : {1U, 2U, 3U, 4U, 8U}) {
        if (!is_wanted(wanted.rows, of_rows) || group % of_rows != 0) continue;
        for (const std::uint32_t steps : {1U, 2U, 4U, 8U}) {
          if (kind == 1 ? steps != 1 : !is_wanted(wanted.steps, steps)) continue;
          if (kind > 1 && std::bit_ceil(of_rows) * steps > std::bit_ceil(slices / 2)) continue;
          for (const std::uint32_t splits : {16U, 32U, 64U, 128U}) {
            if (kind == 3 ? splits != 16 : !is_wanted(wanted.splits, splits)) continue;
            const graph::SplitTiling tiling{
                .halves = kind > 1, .lanes = lanes, .rows = of_rows, .steps = kind > 1 ? steps : 0};
            forced = {.tiling = tiling,
                      .parts = splits,
                      .undivided = kind == 3 ? layer.places() : 0,
                      .whole = kind == 3 ? tiling : graph::SplitTiling{}};
            if (graph::split_bytes(tiling, slices) > facts.local_memory || lanes < slices) continue;
            constexpr std::array<const char*, 3> names = {"in f32", "in halves", "undivided"};
            bench.measure(fmt::format("{:<9} {:3} lanes, {} rows, {} steps, {:3} splits", names.at(kind - 1), lanes,
                                      of_rows, tiling.steps, kind == 3 ? 1 : splits));
          }
        }
      }
    }
  }
}

int run(int argc, char** argv) {
  const auto device = gpu::open_device(argc > 1 ? argv[1] : "opencl:0");
  const auto number = [&](int place) {
    return argc > place ? static_cast<std::uint32_t>(std::max(0, std::atoi(argv[place]))) : 0;
  };
  Layer layer{32, 8, 128, 8192};
  if (argc > 5) layer = {std::max(1U, number(2)), std::max(1U, number(3)), std::max(8U, number(4)), number(5)};
  if (layer.heads % layer.kv_heads != 0 || layer.size % 8 != 0) {
    throw InvalidInput(fmt::format("{} heads of {} channels do not share {} heads of keys, or are no eights.",
                                   layer.heads, layer.size, layer.kv_heads));
  }
  fmt::print("{} heads of {}, {} of keys, position {}, {:.1f} MB:\n", layer.heads, layer.size, layer.kv_heads,
             layer.position, static_cast<double>(layer.bytes()) / 1e6);
  Bench bench(*device, layer);
  for (int i = 6; i < std::max(argc, 7); ++i) measure(bench, i < argc ? wanted_of(argv[i]) : Wanted{});
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return driftwood::bench::main_of("attention_bench", run, argc, argv); }
