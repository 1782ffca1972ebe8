// A linear whose input enters as integers (QuantizeTokens): (the integers, weights [rows x columns][, bias {C = rows}])
// -> {.., C = rows}. The integers are x {.., C = columns}, which the operation quantizes itself, or (q {.., C =
// packed_words(columns)}, scale, sums {.., C = integer_chunks(columns)}).
#pragma once

#include <vector>

#include "graph/operations/quantize_tokens.h"

namespace driftwood::graph {

struct IntegerLinear {
  static constexpr std::string_view name = "integer-linear";
  IntegerInput input = IntegerInput::Packed;
  bool operator==(const IntegerLinear&) const = default;

  /// Place of the weights among the inputs; the bias follows.
  std::size_t weights() const { return values_of(input); }
};

std::vector<Shape> output_shapes(const IntegerLinear& operation, std::span<const Operand> inputs);

/// Throws InvalidInput where the inputs before the weights do not fit them.
void check_integers(std::string_view operation, IntegerInput input, std::span<const Operand> inputs);

}  // namespace driftwood::graph
