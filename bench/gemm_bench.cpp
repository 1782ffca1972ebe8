// How fast a matrix product in half precision is, and whether it is right.
//
//   gemm_bench [DEVICE] [FORMAT ROWS POSITIONS COLUMNS [WAY]]
//
// Without sizes: f16 weights of 4096 and 8192 squared, and the linears of an 8B language model for 1,024 tokens with
// q4_0 weights. y = w x with x and y in f16, sums in f32, by the kernel that the selection takes, or by WAY (ways.h:
// linear-pipeline,tokens=192). Prints microseconds a run, by the wall clock over runs
// queued one after another, and TFLOP/s of the whole: for some ten milliseconds after a rest, and sustained, when a GPU
// lowers its clock to keep to its power (an H200 from 1980 to 1590 MHz at 700 W; random bits take more than zeroes);
// and each kernel's time by the device's clock (of which NVIDIA's reads some 5 us too long). Rows and positions sampled
// over the whole are computed again in double precision; a difference of more than 1 % of the root mean square ends
// with status 1.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/half.h"
#include "bench_main.h"
#include "conformance/random_blocks.h"
#include "gpu/registry.h"
#include "graph/builder.h"
#include "graph/program.h"
#include "numbers.h"
#include "tensor/data_type.h"
#include "ways.h"

namespace {

using namespace driftwood;

struct Product {
  DataType format;
  std::uint32_t rows, positions, columns;

  double flops() const { return 2.0 * rows * positions * columns; }
};

constexpr Product usual[] = {
    {DataType::F16, 4096, 4096, 4096},   {DataType::F16, 8192, 8192, 8192},   {DataType::Q4_0, 4096, 4096, 4096},
    {DataType::Q4_0, 8192, 8192, 8192},  {DataType::Q4_0, 6144, 1024, 4096},  {DataType::Q4_0, 4096, 1024, 4096},
    {DataType::Q4_0, 14336, 1024, 4096}, {DataType::Q4_0, 4096, 1024, 14336}, {DataType::Q8_0, 14336, 1024, 4096},
    {DataType::Q4_0, 4096, 256, 4096},   {DataType::Q4_0, 14336, 256, 4096},
};

// Halves in [-1, 1), or random blocks.
std::vector<std::byte> random_weights(const Product& product) {
  if (product.format != DataType::F16) {
    std::mt19937 random(1);
    return conformance::random_rows(product.format, product.rows, product.columns, random, 0.02F);
  }
  bench::Numbers numbers;
  std::vector<std::byte> bytes(std::size_t{2} * product.rows * product.columns);
  for (std::size_t at = 0; at < bytes.size(); at += 2) {
    const std::uint16_t half = float_to_half(numbers.next());
    std::memcpy(&bytes[at], &half, sizeof half);
  }
  return bytes;
}

graph::Graph graph_of(const Product& product) {
  graph::Builder builder({.activation = DataType::F16});
  const graph::Tensor x = builder.input("x", {.w = product.positions, .c = product.columns}, DataType::F16);
  const graph::Tensor w =
      builder.weights({.format = product.format, .columns = product.columns, .blocks = {{"w", product.rows}}});
  builder.output("y", builder.linear(x, w), DataType::F16);
  return std::move(builder).build();
}

// The largest difference from sampled elements computed anew, over their root mean square.
double error_of(const Product& product, const std::vector<std::byte>& weights, const std::vector<float>& x,
                const std::vector<float>& y) {
  constexpr std::uint32_t samples = 24;
  const std::size_t row_bytes = weights.size() / product.rows;
  double largest = 0, squares = 0;
  std::vector<float> row(product.columns);
  for (std::uint32_t i = 0; i < samples; ++i) {
    const std::uint32_t r = static_cast<std::uint32_t>(std::uint64_t{i} * (product.rows - 1) / (samples - 1));
    decode_row(product.format, std::span(weights).subspan(r * row_bytes, row_bytes), row);
    for (std::uint32_t j = 0; j < samples; ++j) {
      const std::uint32_t p = static_cast<std::uint32_t>(std::uint64_t{j} * (product.positions - 1) / (samples - 1));
      double sum = 0;
      for (std::uint32_t c = 0; c < product.columns; ++c) {
        sum += double{row[c]} * half_to_float(float_to_half(x[std::size_t{p} * product.columns + c]));
      }
      largest = std::max(largest, std::abs(sum - y[std::size_t{p} * product.rows + r]));
      squares += sum * sum;
    }
  }
  return largest / std::sqrt(squares / (samples * samples));
}

bool measure(gpu::Device& device, const Product& product, const std::string& way = {}) {
  const std::vector<std::byte> weights = random_weights(product);
  graph::ProgramSettings settings;
  settings.options.choices = bench::choices_of(way);
  settings.store = std::make_shared<graph::ResourceStore>(
      device, [&](std::string_view) { return std::span<const std::byte>(weights); });
  graph::Program program(device, graph_of(product), std::move(settings));
  bench::Numbers numbers;
  std::vector<float> x(std::size_t{product.positions} * product.columns);
  for (float& value : x) value = numbers.next();
  program.write_floats("x", x);
  const auto time_of = [&](double flops) {  // microseconds a run, of runs of so many operations
    const int repeats = std::clamp(static_cast<int>(flops / product.flops()), 3, 5000);
    device.finish();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < repeats; ++i) program.run({});
    device.finish();
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    return time.count() / repeats;
  };
  time_of(1e12);  // warms up
  std::vector<double> times;
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    times.push_back(time_of(4e12));
  }
  std::ranges::sort(times);
  time_of(5e13);
  const double sustained = time_of(1e14);
  std::string kernels;
  for (const auto& step : program.run_profiled({})) {
    kernels += fmt::format(", {} {:.1f} us", step.label, step.nanoseconds / 1e3);
  }
  std::vector<float> y(std::size_t{product.positions} * product.rows);
  program.read_floats("y", y);
  const double error = error_of(product, weights, x, y);
  fmt::print(
      "{:5} {:5} x {:5} x {:5}: {:8.1f} us ({:.1f} to {:.1f}), {:6.1f} TFLOP/s; sustained {:8.1f} us, {:6.1f}; error "
      "{:.2g}{}\n",
      to_string(product.format), product.rows, product.positions, product.columns, times[times.size() / 2],
      times.front(), times.back(), product.flops() / times[times.size() / 2] / 1e6, sustained,
      product.flops() / sustained / 1e6, error, kernels);
  std::fflush(stdout);
  return error < 0.01;
}

int run(int argc, char** argv) {
  const auto device = gpu::open_device(argc > 1 ? argv[1] : "opencl:0");
  bool right = true;
  if (argc < 6) {
    for (const Product& product : usual) right = measure(*device, product) && right;
    return right ? 0 : 1;
  }
  const auto format = data_type_from_name(argv[2]);
  if (!format) throw InvalidInput(fmt::format("There is no format '{}' of weights.", argv[2]));
  const auto number = [&](int place) { return static_cast<std::uint32_t>(std::max(1, std::atoi(argv[place]))); };
  return measure(*device, {*format, number(3), number(4), number(5)}, argc > 6 ? argv[6] : "") ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return driftwood::bench::main_of("gemm_bench", run, argc, argv); }
