#include "graph/operations/sample_token.h"

#include <fmt/format.h>

namespace driftwood::graph {

std::vector<Shape> output_shapes(const SampleToken& operation, std::span<const Operand> inputs) {
  check_input_count(SampleToken::name, inputs, 6, 6);
  const auto expect = [&](std::size_t input, std::string_view what, const Shape& shape) {
    if (inputs[input].shape == shape) return;
    operation_error(SampleToken::name,
                    fmt::format("the {} {} are not of shape {}.", what, describe(inputs[input]), to_string(shape)));
  };
  expect(0, "logits", {.c = inputs[0].shape.c});
  expect(1, "settings", {.c = 4});
  expect(2, "uniform numbers", {.w = inputs[2].shape.w, .c = 1});
  expect(3, "tokens before", {.w = inputs[3].shape.w, .c = 2});
  expect(4, "words of the next id", {.c = 1});
  expect(5, "words of the run", {.c = 4});
  if (operation.top_k == 0 || operation.top_k > SampleToken::max_top_k) {
    operation_error(SampleToken::name, fmt::format("the {} likeliest tokens are asked for; 1 to {} can be.",
                                                   operation.top_k, SampleToken::max_top_k));
  }
  if (operation.window > inputs[3].shape.w) {
    operation_error(SampleToken::name, fmt::format("a window of {} tokens is more than the places of {}.",
                                                   operation.window, describe(inputs[3])));
  }
  return {inputs[3].shape, inputs[4].shape, inputs[5].shape};
}

}  // namespace driftwood::graph
