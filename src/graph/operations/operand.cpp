#include "graph/operations/operand.h"

#include <fmt/format.h>

namespace driftwood::graph {

std::string describe(const Operand& operand) { return fmt::format("'{}' {}", operand.name, to_string(operand.shape)); }

std::string describe_weights(const Operand& operand) {
  return fmt::format("'{}' ({} x {})", operand.name, operand.shape.w, operand.shape.c);
}

void operation_error(std::string_view operation, const std::string& message) {
  throw InvalidInput(fmt::format("{}: {}", operation, message));
}

void check_input_count(std::string_view operation, std::span<const Operand> inputs, std::size_t least,
                       std::size_t most) {
  if (inputs.size() >= least && inputs.size() <= most) return;
  const std::string expected = least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
  operation_error(operation, fmt::format("{} inputs are given, but it takes {}.", inputs.size(), expected));
}

void check_norm_factors(std::string_view operation, const Operand& x, const Operand& gamma) {
  if (gamma.shape == Shape{.c = x.shape.c}) return;
  operation_error(operation, fmt::format("the factors {} are not one for each of the {} channels of {}.",
                                         describe(gamma), x.shape.c, describe(x)));
}

}  // namespace driftwood::graph
