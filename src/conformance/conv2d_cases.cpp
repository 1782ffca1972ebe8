// conv2d: windows, strides, borders, upsampling, joined inputs, prologues.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "base/half.h"
#include "conformance/case.h"
#include "tensor/data_type.h"

namespace driftwood::conformance {
namespace {

using graph::Conv2d;

struct Convolution {
  Shape x;
  std::uint32_t joined = 0;  // channels of a second input
  std::uint32_t rows = 0;
  Conv2d conv = {};
  bool has_bias = false;
  bool has_prologue = false;
  Tail tail = Tail::None;
};

Conv2d square(std::uint32_t window, std::uint32_t pad) {
  return {.window_h = window, .window_w = window, .pad_top = pad, .pad_left = pad, .pad_bottom = pad, .pad_right = pad};
}

// The matrix as a file holds it, [rows][channels][taps], and its values in that order.
struct Window {
  graph::Tensor tensor;
  std::vector<float> values;
};

Window window(Draft& draft, std::uint32_t rows, std::uint32_t channels, std::uint32_t taps) {
  const DataType format = draft.setting.packed;
  std::vector<float> values(std::size_t{rows} * channels * taps);
  std::vector<std::byte> bytes;
  for (float& value : values) {
    value = std::uniform_real_distribution<float>(-1, 1)(draft.random());
    if (format == DataType::F32) {
      const auto stored = std::bit_cast<std::array<std::byte, 4>>(value);
      bytes.insert(bytes.end(), stored.begin(), stored.end());
      continue;
    }
    const std::uint16_t half = format == DataType::F16 ? float_to_half(value) : float_to_bfloat16(value);
    value = format == DataType::F16 ? half_to_float(half) : bfloat16_to_float(half);
    const auto stored = std::bit_cast<std::array<std::byte, 2>>(half);
    bytes.insert(bytes.end(), stored.begin(), stored.end());
  }
  Window result{draft.builder.weights({.format = format,
                                       .columns = graph::convolution_columns(taps, channels),
                                       .blocks = {{"w", rows}},
                                       .taps = taps,
                                       .channels = channels}),
                std::move(values)};
  draft.problem.weights["w"] = std::move(bytes);
  return result;
}

// silu(value * scale[b, c] + shift[b, c]), linked into the node directly: the passes do so for some devices only.
void add_prologue(graph::Graph& graph, graph::ValueId scale, graph::ValueId shift) {
  graph::Node& node =
      *std::ranges::find_if(graph.nodes(), [](const graph::Node& each) { return each.as<Conv2d>() != nullptr; });
  node.prologue = {.inputs = 3,
                   .instructions = {{.op = graph::ElementOp::Multiply, .a = 0, .b = 1},
                                    {.op = graph::ElementOp::Add, .a = 3, .b = 2},
                                    {.op = graph::ElementOp::Silu, .a = 4}}};
  node.prologue_inputs = {scale, shift};
}

void convolution(Draft& draft, const Convolution& c) {
  draft.problem.arithmetic = {.sum = double(c.conv.taps()) * (c.x.c + c.joined),
                              .exponentials = c.has_prologue ? 1.0 : 0.0,
                              .divisions = c.has_prologue ? 1.0 : 0.0};
  const Field x = draft.input("x", c.x);
  Shape other = c.x;
  other.c = c.joined;
  const std::uint32_t channels = c.x.c + c.joined;
  const Window weights = window(draft, c.rows, channels, c.conv.taps());
  const Field bias = draft.constant("bias", {.c = c.rows});
  const Field scale = draft.constant("scale", {.b = c.x.b, .c = channels}, 0.5F, 1.5F);
  const Field shift = draft.constant("shift", {.b = c.x.b, .c = channels}, -1, 1);
  std::optional<Field> x2;
  std::vector<graph::Tensor> added;
  graph::Tensor y = x.tensor;
  if (c.joined > 0) {
    x2 = draft.input("x2", other);
    y = draft.builder.conv2d(draft.builder.concat(x.tensor, x2->tensor), weights.tensor, c.conv);
  } else {
    y = draft.builder.conv2d(x.tensor, weights.tensor, c.conv);
  }
  if (c.has_bias) y = draft.builder.add(y, bias.tensor);
  if (c.has_prologue) {
    draft.adjust = [=](graph::Graph& graph) { add_prologue(graph, scale.tensor.id(), shift.tensor.id()); };
  }
  const auto loaded = [&](std::uint32_t b, std::uint32_t h, std::uint32_t w, std::uint32_t channel) {
    const double value = channel < c.x.c ? x.at(b, h, w, channel) : x2->at(b, h, w, channel - c.x.c);
    if (!c.has_prologue) return value;
    const double moved = value * scale.at(b, 0, 0, channel) + shift.at(b, 0, 0, channel);
    return moved / (1 + std::exp(-moved));
  };
  const auto rule = [&](const Index& at) {
    Wanted sum;
    for (std::uint32_t tap = 0; tap < c.conv.taps(); ++tap) {
      const std::int64_t h = std::int64_t{at.h} * c.conv.stride + tap / c.conv.window_w - c.conv.pad_top;
      const std::int64_t w = std::int64_t{at.w} * c.conv.stride + tap % c.conv.window_w - c.conv.pad_left;
      if (h < 0 || h >= c.conv.repeated_h(c.x) || w < 0 || w >= c.conv.repeated_w(c.x)) continue;
      for (std::uint32_t channel = 0; channel < channels; ++channel) {
        const double value = loaded(at.b, static_cast<std::uint32_t>(h / c.conv.upsample),
                                    static_cast<std::uint32_t>(w / c.conv.upsample), channel);
        const double term = value * weights.values[(std::size_t{at.c} * channels + channel) * c.conv.taps() + tap];
        sum.value += term;
        sum.magnitude += std::abs(term);
      }
    }
    if (c.has_bias) sum = {sum.value + bias.at(0, at.c), sum.magnitude + std::abs(bias.at(0, at.c))};
    return sum;
  };
  draft.output("y", y, rule, c.tail);
}

}  // namespace

std::vector<Case> conv2d_cases() {
  std::vector<Case> cases;
  const auto add = [&](const Setting& setting, const Convolution& c, bool everywhere = false) {
    cases.push_back(
        {.operation = "conv2d",
         .name = fmt::format("{} joined with {} to {}, window {} x {}, stride {}, pads {} {} {} {}, upsampled "
                             "by {}{}{} {}",
                             to_string(c.x), c.joined, c.rows, c.conv.window_h, c.conv.window_w, c.conv.stride,
                             c.conv.pad_top, c.conv.pad_left, c.conv.pad_bottom, c.conv.pad_right, c.conv.upsample,
                             c.has_bias ? ", bias" : "", c.has_prologue ? ", prologue" : "", to_string(c.tail)),
         .setting = setting,
         .packed = "weights",
         .make = [=](Draft& draft) { convolution(draft, c); },
         .everywhere = everywhere});
  };
  Conv2d down = square(3, 0);
  down.stride = 2;
  down.pad_bottom = down.pad_right = 1;
  Conv2d halved = square(3, 1);
  halved.stride = 2;
  Conv2d up = square(3, 1);
  up.upsample = 2;
  Conv2d cropped = up;
  cropped.crop_bottom = cropped.crop_right = 1;
  const Conv2d wide{.window_h = 1, .window_w = 4, .pad_left = 3, .pad_right = 2};
  const Conv2d corner{.window_h = 2, .window_w = 2};  // no border

  // Windows over odd extents, few channels in and out.
  for (const DataType format : {DataType::F32, DataType::F16, DataType::BF16}) {
    const Setting setting{.packed = format};
    const bool everywhere = format == DataType::F16;
    add(setting, {.x = {.h = 9, .w = 13, .c = 3}, .rows = 5, .conv = square(3, 1)}, everywhere);
    add(setting, {.x = {.h = 5, .w = 7, .c = 37}, .rows = 3, .conv = square(3, 1), .has_bias = true});
    add(setting, {.x = {.h = 5, .w = 7, .c = 37}, .rows = 3, .conv = square(1, 0), .has_bias = true});
    add(setting, {.x = {.b = 2, .h = 6, .w = 9, .c = 5}, .rows = 18, .conv = down, .tail = Tail::Silu}, everywhere);
    add(setting, {.x = {.b = 2, .h = 7, .w = 5, .c = 8}, .rows = 35, .conv = halved, .tail = Tail::Residual});
    add(setting, {.x = {.b = 2, .h = 3, .w = 5, .c = 6}, .rows = 9, .conv = up}, everywhere);
    add(setting, {.x = {.h = 3, .w = 5, .c = 6}, .rows = 9, .conv = cropped});
    add(setting, {.x = {.h = 3, .w = 7, .c = 2}, .rows = 1, .conv = wide});
    add(setting, {.x = {.h = 4, .w = 5, .c = 9}, .rows = 7, .conv = corner});
    add(setting, {.x = {.h = 1, .w = 1, .c = 9}, .rows = 70, .conv = square(3, 1)});
    add(setting, {.x = {.h = 1, .w = 2, .c = 70}, .rows = 5, .conv = square(1, 0), .tail = Tail::Silu});
  }
  // Many positions, rows and columns: several tiles of each.
  add({}, {.x = {.h = 11, .w = 13, .c = 20}, .rows = 70, .conv = square(3, 1), .has_bias = true});
  add({.packed = DataType::F16}, {.x = {.h = 9, .w = 8, .c = 68}, .rows = 132, .conv = square(1, 0)}, true);
  add({}, {.x = {.h = 2, .w = 3, .c = 40}, .rows = 300, .conv = square(3, 1)});
  // Whole sixty-fours of channels: the pipeline of a workgroup.
  add({.activation = DataType::F16, .packed = DataType::F16},
      {.x = {.b = 2, .h = 5, .w = 6, .c = 64},
       .rows = 70,
       .conv = square(3, 1),
       .has_bias = true,
       .has_prologue = true,
       .tail = Tail::Residual},
      true);
  constexpr DataType window_formats[] = {DataType::F32, DataType::F16, DataType::BF16};
  for (const Setting& setting : every_way({}, window_formats)) {
    add(setting, {.x = {.b = 3, .h = 3, .w = 4, .c = 5}, .rows = 7, .conv = square(3, 1), .has_bias = true});
  }
  for (const std::uint32_t channels : edge_channels) {
    add({.packed = DataType::F16}, {.x = {.b = 2, .h = 3, .w = 5, .c = channels}, .rows = 7, .conv = square(3, 1)});
    add({.packed = DataType::F16}, {.x = {.h = 1, .w = 5, .c = 5}, .rows = channels, .conv = square(1, 0)});
  }
  // Two inputs and a prologue, in every storage.
  for (const StorageKind storage : every_storage) {
    for (const DataType type : activation_types) {
      const Setting setting{.storage = storage, .activation = type, .packed = DataType::F16};
      const bool everywhere = type == DataType::F16 || storage == StorageKind::Buffer;
      add(setting,
          {.x = {.b = 2, .h = 5, .w = 6, .c = 8},
           .joined = 5,
           .rows = 6,
           .conv = square(3, 1),
           .has_bias = true,
           .has_prologue = true,
           .tail = Tail::SiluResidual},
          everywhere);
      add(setting, {.x = {.h = 4, .w = 6, .c = 7}, .rows = 11, .conv = square(3, 1), .has_prologue = true});
      add(setting, {.x = {.h = 4, .w = 6, .c = 12}, .joined = 9, .rows = 11, .conv = square(1, 0), .has_bias = true});
      add(setting, {.x = {.b = 2, .h = 3, .w = 2, .c = 4}, .joined = 4, .rows = 8, .conv = up, .tail = Tail::Residual});
    }
  }
  return cases;
}

std::vector<Case> concat_cases() {
  std::vector<Case> cases;
  const auto add = [&](const Setting& setting, const Shape& shape, std::uint32_t joined, bool everywhere) {
    const auto make = [=](Draft& draft) {
      draft.problem.arithmetic = no_arithmetic;
      Shape other = shape;
      other.c = joined;
      const Field a = draft.input("a", shape), b = draft.input("b", other);
      draft.output("y", draft.builder.concat(a.tensor, b.tensor), [&](const Index& at) {
        return exactly(at.c < shape.c ? a.at(at.b, at.h, at.w, at.c) : b.at(at.b, at.h, at.w, at.c - shape.c));
      });
    };
    cases.push_back({.operation = "concat",
                     .name = fmt::format("{} with {} channels", to_string(shape), joined),
                     .setting = setting,
                     .packed = "",
                     .make = make,
                     .everywhere = everywhere});
  };
  for (const StorageKind storage : every_storage) {
    for (const DataType type : activation_types) {
      const Setting setting{.storage = storage, .activation = type};
      add(setting, {.b = 2, .h = 3, .w = 5, .c = 8}, 7, type == DataType::F16);
      add(setting, {.h = 1, .w = 7, .c = 4}, 1, false);
      add(setting, {.b = 2, .h = 1, .w = 1, .c = 4}, 2, false);
      add(setting, {.b = 3, .h = 2, .w = 3, .c = 12}, 5, false);
      add(setting, {.h = 2, .w = 1, .c = 300}, 260, false);
    }
  }
  add({.max_tokens = 3, .tokens = 2}, {.b = 2, .w = 3, .c = 4}, 6, false);
  return cases;
}

}  // namespace driftwood::conformance
