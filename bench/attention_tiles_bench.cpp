// How fast many queries attend, over a KV cache of f16 or as in images, in ways that are named.
//
//   attention_tiles_bench [DEVICE [LAYER [WAY...]]...]
//
// LAYER: cache:HEADS,KV_HEADS,SIZE,TOKENS,POSITION (causal) or image:BATCH,HEADS,SIZE,QUERIES,KEYS. WAY: a kernel of
// the selection table, with parameters it leaves to measurement: attention-pipeline,teams=3,keys=128,stages=2. Without
// ways: what the selection takes. Prints microseconds a layer, the device's own gaps between launches included, and
// TFLOP/s, where masked keys are none; how a launch is timed is said in queued_launches.h. Results of every way are
// compared with those of the first.
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.h"
#include "bench_main.h"
#include "gpu/registry.h"
#include "graph/builder.h"
#include "graph/program.h"
#include "numbers.h"
#include "queued_launches.h"
#include "ways.h"

namespace {

using namespace driftwood;

constexpr std::uint32_t launches = 16;

struct Layer {
  bool is_cached = true;
  std::array<std::uint32_t, 5> numbers = {};

  static Layer of(const std::string& text) {
    Layer layer{.is_cached = text.starts_with("cache:")};
    const auto parts = bench::split(text.substr(6), ',');
    if (parts.size() != 5) throw InvalidInput(fmt::format("'{}' has {} numbers, not 5.", text, parts.size()));
    for (std::size_t i = 0; i < 5; ++i) layer.numbers.at(i) = bench::number_of(parts[i]);
    return layer;
  }

  graph::Parameters run() const {
    return is_cached ? graph::Parameters{.tokens = numbers[3], .position = numbers[4]} : graph::Parameters{.tokens = 1};
  }
  double flops() const {
    const auto [a, b, c, d, e] = numbers;
    if (!is_cached) return 4.0 * a * b * c * d * e;
    return 4.0 * a * c * d * (e + (d + 1) / 2.0);
  }
  Shape queries() const {
    const auto [a, b, c, d, e] = numbers;
    return is_cached ? Shape{.h = b, .w = d * (a / b), .c = c} : Shape{.b = a, .w = d, .c = b * c};
  }
  Shape keys() const {
    const auto [a, b, c, d, e] = numbers;
    return is_cached ? Shape{.h = b, .w = d + e, .c = c} : Shape{.b = a, .w = e, .c = b * c};
  }
};

struct Bench {
  gpu::Device& device;
  Layer layer;
  std::shared_ptr<graph::KernelCache> kernels;
  std::vector<graph::KernelRow> rows;
  std::vector<float> first = {};  // results of the first way

  std::unique_ptr<graph::Program> program(std::uint32_t count, const graph::GraphOptions& options) {
    graph::Builder builder({.max_tokens = layer.is_cached ? layer.numbers[3] : 1});
    const DataType type = layer.is_cached ? DataType::F32 : DataType::F16;
    const graph::Tensor x = builder.unary(graph::ElementOp::Negate, builder.input("x", {.c = 4}));
    builder.output("x.out", x);
    const graph::Tensor q = builder.input("q", layer.queries(), type);
    const auto input = [&](const std::string& name) {
      return layer.is_cached ? builder.state(name, layer.keys(), DataType::F16)
                             : builder.input(name, layer.keys(), DataType::F16);
    };
    const graph::Tensor k = input("k"), v = input("v");
    for (std::uint32_t i = 0; i < count; ++i) {
      const graph::Tensor y = layer.is_cached
                                  ? builder.attention(q, k, v, {.heads = layer.numbers[0], .scale = 0.1F})
                                  : builder.multi_head_attention(q, k, v, {.heads = layer.numbers[1], .scale = 0.1F});
      builder.output(fmt::format("y.{}", i), y, DataType::F16);
    }
    auto made =
        std::make_unique<graph::Program>(device, std::move(builder).build(),
                                         graph::ProgramSettings{.options = options, .kernels = kernels, .rows = rows});
    bench::Numbers numbers;
    for (const char* name : {"q", "k", "v"}) {
      std::vector<float> values((name[0] == 'q' ? layer.queries() : layer.keys()).elements());
      for (float& value : values) value = numbers.next();
      made->write_floats(name, values);
    }
    made->write_floats("x", std::vector<float>(4, 1.0F));
    return made;
  }

  void measure(const std::string& way) {
    graph::GraphOptions options;
    options.choices = bench::choices_of(way);
    const auto many = program(launches + 1, options), one = program(1, options);
    const double time =
        (bench::milliseconds(*many, layer.run()) - bench::milliseconds(*one, layer.run())) * 1000 / launches;
    std::vector<float> y(std::size_t{layer.queries().elements()});
    one->read_floats("y.0", y);
    if (first.empty()) first = y;
    fmt::print("  {:<24} {:<40} {:9.2f} us {:7.1f} TFLOP/s{}\n", one->lowered().steps.back().kernel, way, time,
               layer.flops() / time / 1e6, bench::wrong_by(y, first, 1e-5));
    std::fflush(stdout);
  }
};

int run(int argc, char** argv) {
  const auto device = gpu::open_device(argc > 1 ? argv[1] : "opencl:0");
  std::vector<std::string> arguments(argv + std::min(argc, 2), argv + argc);
  if (arguments.empty()) arguments = {"cache:32,8,128,1024,0", "image:2,8,40,4096,4096"};
  const auto kernels = std::make_shared<graph::KernelCache>(*device, bench::source);
  // The operation that spins comes before the row for all others of its kind.
  std::vector<graph::KernelRow> rows = {{graph::ElementWise::name, "spin", bench::always, bench::spin}};
  rows.insert(rows.end(), graph::kernel_rows().begin(), graph::kernel_rows().end());
  for (std::size_t i = 0; i < arguments.size();) {
    if (!arguments[i].starts_with("cache:") && !arguments[i].starts_with("image:")) {
      throw InvalidInput(fmt::format("'{}' is no layer, such as cache:32,8,128,1024,0.", arguments[i]));
    }
    fmt::print("{}:\n", arguments[i]);
    Bench bench{*device, Layer::of(arguments[i]), kernels, rows};
    std::vector<std::string> ways;
    for (++i; i < arguments.size() && arguments[i].find(':') == std::string::npos; ++i) ways.push_back(arguments[i]);
    if (ways.empty()) ways.emplace_back();
    for (const std::string& way : ways) {
      try {
        bench.measure(way);
      } catch (const Error& error) {
        fmt::print("  {}: {}\n", way, error.what());
      }
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return driftwood::bench::main_of("attention_tiles_bench", run, argc, argv); }
