// Integer arithmetic on sizes that come from outside: every overflow is seen.
#pragma once

#include <cstdint>
#include <optional>

namespace driftwood {

/// a * b, or nothing where the product does not fit.
inline std::optional<std::uint64_t> checked_multiply(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

/// a + b, or nothing where the sum does not fit.
inline std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

/// The smallest multiple of `unit` (> 0) that is at least `value`. The caller ensures that it fits.
constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

/// ceil(value / unit) for unit > 0.
constexpr std::uint64_t divide_up(std::uint64_t value, std::uint64_t unit) {
  return value / unit + (value % unit != 0);
}

}  // namespace driftwood
