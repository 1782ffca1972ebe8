#include "graph/operations/quantize_tokens.h"

namespace driftwood::graph {

std::string_view to_string(IntegerInput input) {
  switch (input) {
    case IntegerInput::Fused: return "fused";
    case IntegerInput::Packed: return "packed";
  }
  return "unknown";
}

std::vector<Shape> output_shapes(const QuantizeTokens& operation, std::span<const Operand> inputs) {
  check_input_count(QuantizeTokens::name, inputs, 1, 1);
  Shape integers = inputs[0].shape, scales = integers;
  if (!operation.packed) return {integers};
  scales.c = integer_chunks(integers.c);
  integers.c = packed_words(integers.c);
  return {integers, scales, scales};
}

}  // namespace driftwood::graph
