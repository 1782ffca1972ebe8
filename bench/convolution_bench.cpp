// How fast a convolution is, and how long its kernel takes to compile.
//
//   convolution_bench DEVICE HEIGHT WIDTH IN OUT [WINDOW] [BATCH] [FORMAT] [REPEATS] [WAY]
//
// WINDOW 0: a linear of HEIGHT * WIDTH * BATCH rows. FORMAT: of weights, f16 unless given, and after a colon of what it
// reads and gives, f32 unless given. WAY: the kernel, by rule unless given (ways.h: conv-pipeline,tokens=192).
//
// Prints the seconds of processor time until the program has run once (weights uploaded, kernel compiled or found in
// the program cache), the median milliseconds of a run as the device measures it, GMAC/s, and GMAC for each second of
// processor time, which other work on the machine changes little.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "base/error.h"
#include "bench_main.h"
#include "gpu/registry.h"
#include "graph/builder.h"
#include "graph/program.h"
#include "ways.h"

namespace {

using namespace driftwood;

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

int measure(int argc, char** argv) {
  const auto number = [&](int place, int otherwise) {
    return static_cast<std::uint32_t>(argc > place ? std::max(1, std::atoi(argv[place])) : otherwise);
  };
  const std::string id = argc > 1 ? argv[1] : "opencl:0";
  const std::uint32_t height = number(2, 64), width = number(3, 64), in = number(4, 320), out = number(5, 320);
  const std::uint32_t batch = number(7, 1), repeats = number(9, 10);
  const bool is_linear = argc > 6 && std::string_view(argv[6]) == "0";
  const std::uint32_t window = number(6, 3);
  const std::string format_name = argc > 8 ? argv[8] : "f16";
  const std::size_t colon = std::min(format_name.find(':'), format_name.size());
  const DataType format = data_type_from_name(format_name.substr(0, colon)).value_or(DataType::F16);
  const DataType activation = format_name.substr(colon) == ":f16" ? DataType::F16 : DataType::F32;

  graph::Builder builder({.activation = activation});
  const Shape shape =
      is_linear ? Shape{.w = batch * height * width, .c = in} : Shape{.b = batch, .h = height, .w = width, .c = in};
  const graph::Tensor x = builder.input("x", shape, activation);
  const std::uint32_t taps = window * window;
  const graph::Tensor w = builder.weights({.format = format,
                                           .columns = graph::convolution_columns(taps, in),
                                           .blocks = {{"w", out}},
                                           .taps = taps,
                                           .channels = in});
  const std::uint32_t pad = window / 2;
  const graph::Tensor bias = builder.vector("bias", std::vector<float>(out, 0.5F));
  const graph::Conv2d convolution{
      .window_h = window, .window_w = window, .pad_top = pad, .pad_left = pad, .pad_bottom = pad, .pad_right = pad};
  builder.output("y", is_linear ? builder.linear(x, w, bias) : builder.conv2d(x, w, convolution, bias), activation);
  const auto device = gpu::open_device(id);
  const std::vector<std::byte> weights(std::size_t{out} * in * taps / info(format).block_length *
                                       info(format).block_bytes);
  const double start = processor_seconds();
  graph::ProgramSettings settings;
  settings.options.choices = bench::choices_of(argc > 10 ? argv[10] : "");
  settings.store = std::make_shared<graph::ResourceStore>(
      *device, [&](std::string_view) { return std::span<const std::byte>(weights); });
  graph::Program program(*device, std::move(builder).build(), std::move(settings));
  program.write_floats("x", std::vector<float>(shape.elements(), 0.25F));
  program.run({});
  device->finish();
  const double ready = processor_seconds() - start;
  std::vector<double> times;
  for (std::uint32_t i = 0; i < repeats; ++i) {
    double nanoseconds = 0;
    for (const graph::DispatchProfile& each : program.run_profiled({})) nanoseconds += each.nanoseconds;
    times.push_back(nanoseconds);
  }
  const double processor = (processor_seconds() - start - ready) / repeats;
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  const double macs = static_cast<double>(shape.elements()) * taps * out;
  fmt::print(
      "{} x {} x {} -> {}, window {}, batch {}, {}: ready in {:.3f} s, {:.3f} ms, {:.2f} GMAC/s, {:.2f} a processor "
      "second ({})\n",
      height, width, in, out, is_linear ? 0 : window, batch, format_name, ready, median / 1e6, macs / median,
      macs / processor / 1e9, program.lowered().steps[0].kernel);
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return driftwood::bench::main_of("convolution_bench", measure, argc, argv); }
