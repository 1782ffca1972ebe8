#include "graph/operations/group_statistics.h"

#include <fmt/format.h>

namespace driftwood::graph {

std::vector<Shape> output_shapes(const GroupStatistics& operation, std::span<const Operand> inputs) {
  check_input_count(GroupStatistics::name, inputs, 3, 4);
  const Operand& x = inputs[0];
  std::uint32_t channels = x.shape.c;
  if (inputs.size() == 4) {
    Shape other = inputs[3].shape;
    other.c = x.shape.c;
    if (other != x.shape || x.shape.c % 4 != 0) {
      operation_error(GroupStatistics::name,
                      fmt::format("the inputs {} and {} cannot be joined along the channels: their other axes must be "
                                  "equal and the first one's channels a multiple of 4.",
                                  describe(x), describe(inputs[3])));
    }
    channels += inputs[3].shape.c;
  }
  if (operation.groups == 0 || channels % operation.groups != 0) {
    operation_error(GroupStatistics::name, fmt::format("the {} channels of {} cannot be divided into {} groups.",
                                                       channels, describe(x), operation.groups));
  }
  for (const Operand& factors : inputs.subspan(1, 2)) {
    if (factors.shape == Shape{.c = channels}) continue;
    operation_error(GroupStatistics::name, fmt::format("the factors {} do not hold one value for each of the {} "
                                                       "channels of {}.",
                                                       describe(factors), channels, describe(x)));
  }
  const Shape shape{.b = x.shape.b, .c = channels};
  return {shape, shape};
}

}  // namespace driftwood::graph
