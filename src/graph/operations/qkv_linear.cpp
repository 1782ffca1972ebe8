#include "graph/operations/qkv_linear.h"

#include <fmt/format.h>

#include "graph/operations/linear.h"

namespace driftwood::graph {

bool turns_whole_slices(const Rope& rope) {
  return rope.pairing == RopePairing::Adjacent && rope.head_size % 4 == 0 && rope.rotary % 4 == 0;
}

std::vector<Shape> output_shapes(const QkvLinear& operation, std::span<const Operand> inputs) {
  const std::size_t least = operation.normalizes ? 6 : 5;
  check_input_count(QkvLinear::name, inputs, least, least + 1);
  if (!turns_whole_slices(operation.rope)) {
    operation_error(
        QkvLinear::name,
        fmt::format("{} of {} channels turn, pairs are {}; both must be multiples of 4, and pairs adjacent.",
                    operation.rope.rotary, operation.rope.head_size, to_string(operation.rope.pairing)));
  }
  const Operand& x = inputs[0];
  if (x.shape.w != 1) {
    operation_error(QkvLinear::name,
                    fmt::format("the input {} has {} tokens; it must be one.", describe(x), x.shape.w));
  }
  std::vector<Operand> product{x, inputs[1]};
  product.insert(product.end(), inputs.begin() + 5, inputs.end());
  const Shape qkv = output_shapes(Linear{.normalizes = operation.normalizes, .epsilon = operation.epsilon}, product)[0];
  const RopeQkv rest{.rope = operation.rope,
                     .heads = operation.heads,
                     .kv_heads = operation.kv_heads,
                     .merged = true,
                     .ring = operation.ring};
  return output_shapes(rest, std::vector<Operand>{{inputs[1].name, qkv}, inputs[2], inputs[3], inputs[4]});
}

}  // namespace driftwood::graph
