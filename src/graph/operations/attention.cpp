#include "graph/operations/attention.h"

#include <fmt/format.h>

namespace driftwood::graph {

std::vector<Shape> output_shapes(const Attention& operation, std::span<const Operand> inputs) {
  check_input_count(Attention::name, inputs, 3, 3);
  const Operand& q = inputs[0];
  const Operand& k = inputs[1];
  const Operand& v = inputs[2];
  if (k.shape != v.shape) {
    operation_error(Attention::name,
                    fmt::format("the K cache {} and the V cache {} differ in shape.", describe(k), describe(v)));
  }
  if (q.shape.h != k.shape.h || q.shape.c != k.shape.c) {
    operation_error(Attention::name,
                    fmt::format("the queries {} and the K cache {} differ in KV heads (H) or head size (C).",
                                describe(q), describe(k)));
  }
  if (operation.heads == 0 || operation.heads % q.shape.h != 0) {
    operation_error(Attention::name, fmt::format("{} heads are no multiple of the {} KV heads of {}.", operation.heads,
                                                 q.shape.h, describe(q)));
  }
  const std::uint32_t group = operation.heads / q.shape.h;
  if (q.shape.w % group != 0) {
    operation_error(Attention::name, fmt::format("the {} rows of {} are no multiple of {} query heads a KV head.",
                                                 q.shape.w, describe(q), group));
  }
  if (operation.ring && operation.window == 0) {
    operation_error(Attention::name,
                    fmt::format("the cache {} is a ring, which only a window can be read from.", describe(k)));
  }
  const std::uint64_t needed = std::uint64_t{operation.window} + q.shape.w / group - 1;
  if (operation.ring && k.shape.w < needed) {
    operation_error(
        Attention::name,
        fmt::format("the ring {} has {} places, but a window of {} positions and runs of {} tokens need {}.",
                    describe(k), k.shape.w, operation.window, q.shape.w / group, needed));
  }
  return {Shape{.b = q.shape.b, .w = q.shape.w / group, .c = operation.heads * q.shape.c}};
}

}  // namespace driftwood::graph
