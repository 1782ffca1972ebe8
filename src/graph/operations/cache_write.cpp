#include "graph/operations/cache_write.h"

#include <fmt/format.h>

namespace driftwood::graph {

std::vector<Shape> output_shapes(const CacheWrite&, std::span<const Operand> inputs) {
  check_input_count(CacheWrite::name, inputs, 2, 2);
  const Operand& x = inputs[0];
  const Operand& cache = inputs[1];
  if (x.shape.c != std::uint64_t{cache.shape.h} * cache.shape.c) {
    operation_error(CacheWrite::name,
                    fmt::format("the {} channels of {} are not the {} heads of {} channels of the cache {}.", x.shape.c,
                                describe(x), cache.shape.h, cache.shape.c, describe(cache)));
  }
  if (x.shape.w > cache.shape.w) {
    operation_error(CacheWrite::name, fmt::format("the {} tokens of {} are more than the {} places of the cache {}.",
                                                  x.shape.w, describe(x), cache.shape.w, describe(cache)));
  }
  return {cache.shape};
}

}  // namespace driftwood::graph
