#include "graph/operations/multi_head_attention.h"

#include <fmt/format.h>

namespace driftwood::graph {

std::vector<Shape> output_shapes(const MultiHeadAttention& operation, std::span<const Operand> inputs) {
  check_input_count(MultiHeadAttention::name, inputs, 3, 3);
  const Operand& q = inputs[0];
  const Operand& k = inputs[1];
  const Operand& v = inputs[2];
  if (operation.heads == 0 || q.shape.c % operation.heads != 0 || (q.shape.c / operation.heads) % 4 != 0) {
    operation_error(MultiHeadAttention::name,
                    fmt::format("the {} channels of {} cannot be divided into {} heads of a multiple of 4 channels.",
                                q.shape.c, describe(q), operation.heads));
  }
  if (k.shape != v.shape || k.shape.b != q.shape.b || k.shape.c != q.shape.c || q.shape.d != 1 || k.shape.d != 1) {
    operation_error(MultiHeadAttention::name,
                    fmt::format("the queries {}, keys {} and values {} do not fit: batch and channels must be equal, "
                                "and keys and values of one shape.",
                                describe(q), describe(k), describe(v)));
  }
  if (operation.causal && q.shape != k.shape) {
    operation_error(
        MultiHeadAttention::name,
        fmt::format("causal attention needs as many queries as keys, but {} and {} differ.", describe(q), describe(k)));
  }
  return {q.shape};
}

}  // namespace driftwood::graph
