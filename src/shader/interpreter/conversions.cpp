// Copies, value conversions and rounding.
#include <algorithm>
#include <cmath>

#include "base/half.h"
#include "shader/interpreter/handlers.h"
#include "shader/interpreter/lanes.h"

namespace driftwood::shader::interpreter {
namespace {

using u32 = std::uint32_t;
using i32 = std::int32_t;

/// Nearest f16 value, ties to even, without a branch so that the loop runs on vectors.
inline float nearest_half(float value) {
  const u32 bits = std::bit_cast<u32>(value);
  const u32 sign = bits & 0x80000000U;
  const u32 magnitude = bits & 0x7FFFFFFFU;
  // Normal: cut to 10 bits of mantissa. A carry past the largest exponent shows as at least 2^16 below.
  const u32 cut = (magnitude + 0xFFFU + ((magnitude >> 13) & 1U)) & ~0x1FFFU;
  // Subnormal (below 2^-14): a float in [0.5, 1) has steps of 2^-24, the step of f16 subnormals.
  const u32 small = std::bit_cast<u32>((std::bit_cast<float>(magnitude) + 0.5F) - 0.5F);
  u32 result = magnitude < 0x38800000U ? small : cut;
  result = result >= 0x47800000U ? 0x7F800000U : result;
  result = magnitude > 0x7F800000U ? 0x7FC00000U : result;
  return std::bit_cast<float>(result | sign);
}

inline i32 saturated_i32(float value) {
  if (value != value) return 0;
  if (value <= -2147483648.0F) return std::numeric_limits<i32>::min();
  if (value >= 2147483648.0F) return std::numeric_limits<i32>::max();
  return static_cast<i32>(value);
}

inline u32 saturated_u32(float value) {
  if (!(value > 0.0F)) return 0;
  if (value >= 4294967296.0F) return std::numeric_limits<u32>::max();
  return static_cast<u32>(value);
}

}  // namespace

void copy(Machine& m, const Instruction& i) {
  lanes1<u32, [](u32 a) { return a; }>(m, i);
}

void copy_active(Machine& m, const Instruction& i) {
  if (m.full) return copy(m, i);
  const u32* a = m.reg(i.a);
  const u32* mask = m.mask();
  u32* r = m.reg(i.r);
#pragma GCC ivdep
  for (u32 l = m.begin; l < m.end; ++l) r[l] = (a[l] & mask[l]) | (r[l] & ~mask[l]);
}

void round_half(Machine& m, const Instruction& i) {
  lanes1<float, [](float a) { return nearest_half(a); }>(m, i);
}

void round_even(Machine& m, const Instruction& i) {
  lanes1<float, [](float a) { return std::nearbyint(a); }>(m, i);
}

void saturate_byte(Machine& m, const Instruction& i) {
  if (i.info == 0) {
    lanes1<i32, [](i32 a) { return std::clamp(a, -128, 127); }>(m, i);
  } else {
    lanes1<u32, [](u32 a) { return std::min(a, 255U); }>(m, i);
  }
}

void pack_halves(Machine& m, const Instruction& i) {
  lanes2<float, [](float a, float b) { return u32{float_to_half(a)} | u32{float_to_half(b)} << 16; }>(m, i);
}

void unpack_half(Machine& m, const Instruction& i) {
  if (i.info == 0) {
    lanes1<u32, [](u32 a) { return half_to_float(static_cast<std::uint16_t>(a & 0xFFFF)); }>(m, i);
  } else {
    lanes1<u32, [](u32 a) { return half_to_float(static_cast<std::uint16_t>(a >> 16)); }>(m, i);
  }
}

Handler conversion_handler(Scalar from, Scalar to) {
  if (from == Scalar::Bool) {
    if (is_float(to)) return lanes1<u32, [](u32 a) { return a != 0 ? 1.0F : 0.0F; }>;
    if (is_integer(to)) return lanes1<u32, [](u32 a) { return a & 1; }>;
    return nullptr;
  }
  if (to == Scalar::Bool) {
    return is_float(from) ? Handler{lanes1<float, [](float a) { return a != 0.0F; }>}
                          : Handler{lanes1<u32, [](u32 a) { return a != 0; }>};
  }
  if (is_float(from)) {
    if (to == Scalar::I32) return lanes1<float, [](float a) { return saturated_i32(a); }>;
    if (to == Scalar::U32) return lanes1<float, [](float a) { return saturated_u32(a); }>;
    return nullptr;
  }
  if (is_float(to)) {
    return from == Scalar::U32 ? Handler{lanes1<u32, [](u32 a) { return static_cast<float>(a); }>}
                               : Handler{lanes1<i32, [](i32 a) { return static_cast<float>(a); }>};
  }
  return nullptr;
}

}  // namespace driftwood::shader::interpreter
