#include "tensor/shape.h"

#include <fmt/format.h>

namespace driftwood {

std::string to_string(const Shape& shape) {
  if (shape.d == 1) return fmt::format("({}, {}, {}, {})", shape.b, shape.h, shape.w, shape.c);
  return fmt::format("({}, {}, {}, {}, {})", shape.b, shape.h, shape.w, shape.d, shape.c);
}

std::string to_string(const WeightShape& shape) {
  if (shape.d == 1) return fmt::format("({}, {}, {}, {})", shape.o, shape.h, shape.w, shape.i);
  return fmt::format("({}, {}, {}, {}, {})", shape.o, shape.h, shape.w, shape.d, shape.i);
}

}  // namespace driftwood
