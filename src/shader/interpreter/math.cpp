// Numeric built-ins that work on one component.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/half.h"
#include "shader/interpreter/handlers.h"
#include "shader/interpreter/lanes.h"

namespace driftwood::shader::interpreter {
namespace {

using u32 = std::uint32_t;
using i32 = std::int32_t;

inline float smaller(float a, float b) { return b < a ? b : a; }
inline float larger(float a, float b) { return a < b ? b : a; }

inline float smoothstep(float low, float high, float x) {
  const float t = smaller(larger((x - low) / (high - low), 0.0F), 1.0F);
  return t * t * (3.0F - 2.0F * t);
}

/// Product and sum of f16 values are exact enough in double that one rounding follows.
inline float fma_f16(float a, float b, float c) {
  const double exact = static_cast<double>(a) * b + c;
  // To float by truncation with a sticky last bit, so that the rounding to f16 sees which side of a tie it is on.
  auto nearest = static_cast<float>(exact);
  if (static_cast<double>(nearest) != exact && std::isfinite(nearest)) {
    const float towards = static_cast<double>(nearest) > exact ? -INFINITY : INFINITY;
    if ((std::bit_cast<u32>(nearest) & 1) == 0) nearest = std::nextafter(nearest, towards);
  }
  return nearest;
}

Handler float_handler(Builtin builtin, bool half) {
  switch (builtin) {
    case Builtin::Abs: return lanes1<float, [](float x) { return std::fabs(x); }>;
    case Builtin::Acos: return lanes1<float, [](float x) { return std::acos(x); }>;
    case Builtin::Acosh: return lanes1<float, [](float x) { return std::acosh(x); }>;
    case Builtin::Asin: return lanes1<float, [](float x) { return std::asin(x); }>;
    case Builtin::Asinh: return lanes1<float, [](float x) { return std::asinh(x); }>;
    case Builtin::Atan: return lanes1<float, [](float x) { return std::atan(x); }>;
    case Builtin::Atanh: return lanes1<float, [](float x) { return std::atanh(x); }>;
    case Builtin::Atan2: return lanes2<float, [](float y, float x) { return std::atan2(y, x); }>;
    case Builtin::Ceil: return lanes1<float, [](float x) { return std::ceil(x); }>;
    case Builtin::Clamp:
      return lanes3<float, [](float x, float low, float high) { return smaller(larger(x, low), high); }>;
    case Builtin::Cos: return lanes1<float, [](float x) { return std::cos(x); }>;
    case Builtin::Cosh: return lanes1<float, [](float x) { return std::cosh(x); }>;
    case Builtin::Degrees: return lanes1<float, [](float x) { return x * (180.0F / std::numbers::pi_v<float>); }>;
    case Builtin::Exp: return lanes1<float, [](float x) { return std::exp(x); }>;
    case Builtin::Exp2: return lanes1<float, [](float x) { return std::exp2(x); }>;
    case Builtin::Floor: return lanes1<float, [](float x) { return std::floor(x); }>;
    case Builtin::Fma:
      if (half) return lanes3<float, [](float a, float b, float c) { return fma_f16(a, b, c); }>;
      return lanes3<float, [](float a, float b, float c) { return std::fma(a, b, c); }>;
    case Builtin::Fract: return lanes1<float, [](float x) { return x - std::floor(x); }>;
    case Builtin::InverseSqrt: return lanes1<float, [](float x) { return 1.0F / std::sqrt(x); }>;
    case Builtin::Ldexp: return lanes2<float, [](float x, i32 e) { return std::ldexp(x, e); }, i32>;
    case Builtin::Log: return lanes1<float, [](float x) { return std::log(x); }>;
    case Builtin::Log2: return lanes1<float, [](float x) { return std::log2(x); }>;
    case Builtin::Max: return lanes2<float, [](float a, float b) { return larger(a, b); }>;
    case Builtin::Min: return lanes2<float, [](float a, float b) { return smaller(a, b); }>;
    case Builtin::Mix: return lanes3<float, [](float a, float b, float t) { return a * (1.0F - t) + b * t; }>;
    case Builtin::Pow: return lanes2<float, [](float x, float y) { return std::pow(x, y); }>;
    case Builtin::QuantizeToF16: return lanes1<float, [](float x) { return half_to_float(float_to_half(x)); }>;
    case Builtin::Radians: return lanes1<float, [](float x) { return x * (std::numbers::pi_v<float> / 180.0F); }>;
    case Builtin::Round: return lanes1<float, [](float x) { return std::nearbyint(x); }>;
    case Builtin::Saturate: return lanes1<float, [](float x) { return smaller(larger(x, 0.0F), 1.0F); }>;
    case Builtin::Sign: return lanes1<float, [](float x) { return (x > 0.0F) ? 1.0F : x < 0.0F ? -1.0F : 0.0F; }>;
    case Builtin::Sin: return lanes1<float, [](float x) { return std::sin(x); }>;
    case Builtin::Sinh: return lanes1<float, [](float x) { return std::sinh(x); }>;
    case Builtin::Smoothstep:
      return lanes3<float, [](float low, float high, float x) { return smoothstep(low, high, x); }>;
    case Builtin::Sqrt: return lanes1<float, [](float x) { return std::sqrt(x); }>;
    case Builtin::Step: return lanes2<float, [](float edge, float x) { return edge <= x ? 1.0F : 0.0F; }>;
    case Builtin::Tan: return lanes1<float, [](float x) { return std::tan(x); }>;
    case Builtin::Tanh: return lanes1<float, [](float x) { return std::tanh(x); }>;
    case Builtin::Trunc: return lanes1<float, [](float x) { return std::trunc(x); }>;
    default: return nullptr;
  }
}

template <class T>
Handler ordered_handler(Builtin builtin) {
  switch (builtin) {
    case Builtin::Max: return lanes2<T, [](T a, T b) { return a < b ? b : a; }>;
    case Builtin::Min: return lanes2<T, [](T a, T b) { return b < a ? b : a; }>;
    case Builtin::Clamp: return lanes3<T, [](T x, T low, T high) { return std::min(std::max(x, low), high); }>;
    default: return nullptr;
  }
}

}  // namespace

Handler math_handler(Builtin builtin, Scalar scalar) {
  if (builtin == Builtin::Select) {
    return lanes3<u32, [](u32 no, u32 yes, u32 condition) { return (yes & condition) | (no & ~condition); }>;
  }
  if (is_float(scalar)) return float_handler(builtin, scalar == Scalar::F16);
  if (builtin == Builtin::Abs) {
    if (scalar == Scalar::U32) return copy;
    return lanes1<u32, [](u32 x) { return (x >> 31) != 0 ? 0 - x : x; }>;
  }
  if (builtin == Builtin::Sign) return lanes1<i32, [](i32 x) { return (x > 0) ? 1 : x < 0 ? -1 : 0; }>;
  return scalar == Scalar::U32 ? ordered_handler<u32>(builtin) : ordered_handler<i32>(builtin);
}

}  // namespace driftwood::shader::interpreter
