#include "conformance/tolerance.h"

#include <algorithm>

namespace driftwood::conformance {
namespace {

constexpr double unit = 0x1p-24;

// WGSL lets the error of exp(x) grow with x: as far as the exponents of softmax and of the activations matter.
constexpr double exponent = 8;

}  // namespace

Accuracy accuracy_of(const gpu::DeviceFacts& facts) {
  if (facts.device_class == gpu::DeviceClass::Reference) {
    return {.exponential = 2, .sine = 2, .root = 1, .inverse_root = 3, .division = 1, .logarithm = 2};
  }
  if (facts.api.starts_with("OpenCL")) return {};
  if (facts.api.starts_with("Metal")) {
    return {.exponential = 8, .sine = 8, .root = 2, .inverse_root = 4, .division = 2, .logarithm = 8};
  }
  return {.exponential = 2 * (3 + 2 * exponent),
          .sine = 0x1p-11 / unit,
          .root = 9,
          .inverse_root = 4,
          .division = 5,
          .logarithm = 8,
          .half_roundings = 2};
}

double tolerance(const Wanted& wanted, const Arithmetic& arithmetic, const Accuracy& accuracy, DataType stored,
                 double half_steps) {
  const double sum = std::min(arithmetic.sum, 6 * std::sqrt(arithmetic.sum));
  const double units = sum + arithmetic.steps + arithmetic.exponentials * accuracy.exponential +
                       arithmetic.sines * accuracy.sine + arithmetic.roots * accuracy.root +
                       arithmetic.inverse_roots * accuracy.inverse_root + arithmetic.divisions * accuracy.division +
                       arithmetic.logarithms * accuracy.logarithm;
  const double operands = half_steps * 0x1p-11;
  const double half =
      stored == DataType::F16 ? accuracy.half_roundings * (std::abs(wanted.value) * 0x1p-11 + 0x1p-25) : 0;
  // Subnormal results may be flushed to zero.
  return (units * unit + operands) * wanted.magnitude + half + wanted.slack + 0x1p-126;
}

}  // namespace driftwood::conformance
