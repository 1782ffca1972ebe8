// Bounds of integer expressions, for arithmetic that provably does not wrap and divisors that are provably not zero.
#pragma once

#include <cstdint>
#include <optional>

#include "shader/ir.h"

namespace driftwood::shader {

/// Both ends are possible values.
struct IntegerRange {
  std::int64_t low = 0;
  std::int64_t high = 0;

  bool contains(std::int64_t value) const { return low <= value && value <= high; }
  bool fits(Scalar scalar) const;
};

/// Bounds of an i32 or u32 scalar or of every component of a vector; `workgroup_size` bounds the builtin inputs.
IntegerRange range_of(const Expression& expression, const std::array<std::uint32_t, 3>& workgroup_size);

}  // namespace driftwood::shader
