#include "graph/operations/head_layout.h"

#include <fmt/format.h>

namespace driftwood::graph {

std::vector<Shape> output_shapes(const HeadLayout& operation, std::span<const Operand> inputs) {
  check_input_count(HeadLayout::name, inputs, 1, 1);
  const Operand& x = inputs[0];
  const std::uint64_t unit = std::uint64_t{operation.kv_heads} * operation.head_size;
  if (unit == 0 || x.shape.c % unit != 0) {
    operation_error(HeadLayout::name,
                    fmt::format("the {} channels of {} are no multiple of {} KV heads of {} channels.", x.shape.c,
                                describe(x), operation.kv_heads, operation.head_size));
  }
  if (x.shape.h != 1 || x.shape.d != 1) {
    operation_error(HeadLayout::name, fmt::format("{} has more axes than tokens and channels.", describe(x)));
  }
  const auto group = static_cast<std::uint32_t>(x.shape.c / unit);
  return {Shape{.b = x.shape.b, .h = operation.kv_heads, .w = x.shape.w * group, .c = operation.head_size}};
}

}  // namespace driftwood::graph
