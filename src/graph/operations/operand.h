// What a shape rule sees of an input, and how its errors are worded: "linear: ...", naming every shape involved.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "tensor/shape.h"

namespace driftwood::graph {

struct Operand {
  std::string name;
  Shape shape;
};

/// "'x' (1, 1, 16, 64)".
std::string describe(const Operand& operand);
/// Weights as rows times columns: "'blk.0.attn_q.weight' (64 x 48)".
std::string describe_weights(const Operand& operand);

/// Throws InvalidInput: "OPERATION: MESSAGE".
[[noreturn]] void operation_error(std::string_view operation, const std::string& message);

/// Throws InvalidInput where the number of inputs is not within [least, most].
void check_input_count(std::string_view operation, std::span<const Operand> inputs, std::size_t least,
                       std::size_t most);

/// Throws InvalidInput where the factors of an RMS norm are not one for each channel of x.
void check_norm_factors(std::string_view operation, const Operand& x, const Operand& gamma);

}  // namespace driftwood::graph
