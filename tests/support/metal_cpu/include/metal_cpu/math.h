// Metal's functions of numbers, for scalars and, component by component, for vectors. Halves go through float and are
// rounded once.
#pragma once

#include "metal_cpu/vectors.h"

namespace metal {
namespace detail {

/// `function` of each component.
template <class R, class F, class T, class... Rest>
METAL_CPU_INLINE auto map(F function, T first, Rest... rest) {
  if constexpr (width<T> == 1) {
    return static_cast<R>(function(first, rest...));
  } else {
    vec<R, width<T>> result;
    for (int i = 0; i < width<T>; ++i) result[i] = static_cast<R>(function(first[i], rest[i]...));
    return result;
  }
}

}  // namespace detail

// The overloads: scalars of float and half (and whole literals, which become float), vectors of them.
#define METAL_CPU_FLOAT1(name, expression)                                                      \
  METAL_CPU_INLINE float name(float a) { return expression; }                                   \
  METAL_CPU_INLINE half name(half h) { return static_cast<half>(name(static_cast<float>(h))); } \
  template <class T, int N>                                                                     \
  METAL_CPU_INLINE vec<T, N> name(vec<T, N> v) {                                                \
    return detail::map<T>([](T c) { return name(c); }, v);                                      \
  }
#define METAL_CPU_FLOAT2(name, expression)                                        \
  METAL_CPU_INLINE float name(float a, float b) { return expression; }            \
  METAL_CPU_INLINE half name(half a, half b) {                                    \
    return static_cast<half>(name(static_cast<float>(a), static_cast<float>(b))); \
  }                                                                               \
  template <class T, int N>                                                       \
  METAL_CPU_INLINE vec<T, N> name(vec<T, N> a, vec<T, N> b) {                     \
    return detail::map<T>([](T x, T y) { return name(x, y); }, a, b);             \
  }
#define METAL_CPU_FLOAT3(name, expression)                                                               \
  METAL_CPU_INLINE float name(float a, float b, float c) { return expression; }                          \
  METAL_CPU_INLINE half name(half a, half b, half c) {                                                   \
    return static_cast<half>(name(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c))); \
  }                                                                                                      \
  template <class T, int N>                                                                              \
  METAL_CPU_INLINE vec<T, N> name(vec<T, N> a, vec<T, N> b, vec<T, N> c) {                               \
    return detail::map<T>([](T x, T y, T z) { return name(x, y, z); }, a, b, c);                         \
  }

METAL_CPU_FLOAT1(acos, __builtin_acosf(a))
METAL_CPU_FLOAT1(acosh, __builtin_acoshf(a))
METAL_CPU_FLOAT1(asin, __builtin_asinf(a))
METAL_CPU_FLOAT1(asinh, __builtin_asinhf(a))
METAL_CPU_FLOAT1(atan, __builtin_atanf(a))
METAL_CPU_FLOAT1(atanh, __builtin_atanhf(a))
METAL_CPU_FLOAT1(ceil, __builtin_ceilf(a))
METAL_CPU_FLOAT1(cos, __builtin_cosf(a))
METAL_CPU_FLOAT1(cosh, __builtin_coshf(a))
METAL_CPU_FLOAT1(exp, __builtin_expf(a))
METAL_CPU_FLOAT1(exp2, __builtin_exp2f(a))
METAL_CPU_FLOAT1(fabs, __builtin_fabsf(a))
METAL_CPU_FLOAT1(floor, __builtin_floorf(a))
METAL_CPU_FLOAT1(fract, __builtin_fminf(a - __builtin_floorf(a), 0x1.fffffep-1f))
METAL_CPU_FLOAT1(log, __builtin_logf(a))
METAL_CPU_FLOAT1(log2, __builtin_log2f(a))
METAL_CPU_FLOAT1(log10, __builtin_log10f(a))
METAL_CPU_FLOAT1(rint, __builtin_rintf(a))
METAL_CPU_FLOAT1(round, __builtin_roundf(a))  // halves away from zero
METAL_CPU_FLOAT1(rsqrt, 1.0f / __builtin_sqrtf(a))
METAL_CPU_FLOAT1(saturate, __builtin_fminf(__builtin_fmaxf(a, 0.0f), 1.0f))
METAL_CPU_FLOAT1(sign, a > 0.0f ? 1.0f : a < 0.0f ? -1.0f : a == 0.0f ? a : 0.0f)
METAL_CPU_FLOAT1(sin, __builtin_sinf(a))
METAL_CPU_FLOAT1(sinh, __builtin_sinhf(a))
METAL_CPU_FLOAT1(sqrt, __builtin_sqrtf(a))
METAL_CPU_FLOAT1(tan, __builtin_tanf(a))
METAL_CPU_FLOAT1(tanh, __builtin_tanhf(a))
METAL_CPU_FLOAT1(trunc, __builtin_truncf(a))

METAL_CPU_FLOAT2(atan2, __builtin_atan2f(a, b))
METAL_CPU_FLOAT2(copysign, __builtin_copysignf(a, b))
METAL_CPU_FLOAT2(fdim, __builtin_fdimf(a, b))
METAL_CPU_FLOAT2(fmax, __builtin_fmaxf(a, b))
METAL_CPU_FLOAT2(fmin, __builtin_fminf(a, b))
METAL_CPU_FLOAT2(fmod, __builtin_fmodf(a, b))
METAL_CPU_FLOAT2(pow, __builtin_powf(a, b))
METAL_CPU_FLOAT2(powr, a < 0.0f ? __builtin_nanf("") : __builtin_powf(a, b))
METAL_CPU_FLOAT2(step, b < a ? 0.0f : 1.0f)

METAL_CPU_FLOAT3(fma, __builtin_fmaf(a, b, c))
METAL_CPU_FLOAT3(mix, a + (b - a) * c)
METAL_CPU_FLOAT3(smoothstep, [](float t) { return t * t * (3.0f - 2.0f * t); }(saturate((c - a) / (b - a))))

template <class T, int N>
METAL_CPU_INLINE vec<T, N> mix(vec<T, N> a, vec<T, N> b, T c) {
  return mix(a, b, vec<T, N>(c));
}

#define METAL_CPU_PREDICATE(name, expression)                                \
  METAL_CPU_INLINE bool name(float a) { return expression; }                 \
  METAL_CPU_INLINE bool name(half a) { return name(static_cast<float>(a)); } \
  template <class T, int N>                                                  \
  METAL_CPU_INLINE vec<bool, N> name(vec<T, N> v) {                          \
    return detail::map<bool>([](T c) { return name(c); }, v);                \
  }
METAL_CPU_PREDICATE(isnan, __builtin_isnan(a))
METAL_CPU_PREDICATE(isinf, __builtin_isinf(a))
METAL_CPU_PREDICATE(isfinite, __builtin_isfinite(a))
METAL_CPU_PREDICATE(signbit, __builtin_signbit(a) != 0)

template <class T, int M>
METAL_CPU_INLINE vec<T, M> ldexp(vec<T, M> a, vec<int, M> exponent) {
  return detail::map<T>([](T c, int e) { return static_cast<T>(__builtin_ldexpf(static_cast<float>(c), e)); }, a,
                        exponent);
}
METAL_CPU_INLINE float ldexp(float a, int exponent) { return __builtin_ldexpf(a, exponent); }
METAL_CPU_INLINE half ldexp(half a, int exponent) {
  return static_cast<half>(__builtin_ldexpf(static_cast<float>(a), exponent));
}

// ---- of any number ------------------------------------------------------------------------------------------

// Metal takes arguments of one type alone and calls a mixture ambiguous: so do these.
template <class T, enable_if_t<is_scalar_v<T>> = 0>
METAL_CPU_INLINE T min(T a, T b) {
  if constexpr (is_floating_point_v<T>) return fmin(a, b);
  return b < a ? b : a;
}
template <class T, enable_if_t<is_scalar_v<T>> = 0>
METAL_CPU_INLINE T max(T a, T b) {
  if constexpr (is_floating_point_v<T>) return fmax(a, b);
  return a < b ? b : a;
}
template <class T, int N>
METAL_CPU_INLINE vec<T, N> min(vec<T, N> a, vec<T, N> b) {
  return detail::map<T>([](T x, T y) { return min(x, y); }, a, b);
}
template <class T, int N>
METAL_CPU_INLINE vec<T, N> max(vec<T, N> a, vec<T, N> b) {
  return detail::map<T>([](T x, T y) { return max(x, y); }, a, b);
}
template <class T>
METAL_CPU_INLINE T clamp(T value, T low, T high) {
  return min(max(value, low), high);
}
template <class T, int N>
METAL_CPU_INLINE vec<T, N> clamp(vec<T, N> value, T low, T high) {
  return clamp(value, vec<T, N>(low), vec<T, N>(high));
}
template <class T>
METAL_CPU_INLINE T abs(T a) {
  if constexpr (!is_scalar_v<T>) {
    T r;
    for (int i = 0; i < detail::width<T>; ++i) r[i] = abs(a[i]);
    return r;
  } else if constexpr (is_floating_point_v<T>) {
    return fabs(a);
  } else {
    return a < T(0) ? static_cast<T>(-a) : a;
  }
}

template <class T>
METAL_CPU_INLINE T select(T a, T b, bool condition) {
  return condition ? b : a;
}
template <class T, int N>
METAL_CPU_INLINE vec<T, N> select(vec<T, N> a, vec<T, N> b, vec<bool, N> condition) {
  return detail::map<T>([](T x, T y, bool c) { return c ? y : x; }, a, b, condition);
}
template <int N>
METAL_CPU_INLINE bool all(vec<bool, N> v) {
  bool r = true;
  for (int i = 0; i < N; ++i) r = r && v[i];
  return r;
}
template <int N>
METAL_CPU_INLINE bool any(vec<bool, N> v) {
  bool r = false;
  for (int i = 0; i < N; ++i) r = r || v[i];
  return r;
}
METAL_CPU_INLINE bool all(bool v) { return v; }
METAL_CPU_INLINE bool any(bool v) { return v; }

template <class T, int N>
METAL_CPU_INLINE T dot(vec<T, N> a, vec<T, N> b) {
  T sum = static_cast<T>(a[0] * b[0]);
  for (int i = 1; i < N; ++i) sum = static_cast<T>(sum + a[i] * b[i]);
  return sum;
}
template <class T, int N>
METAL_CPU_INLINE T length_squared(vec<T, N> a) {
  return dot(a, a);
}
template <class T, int N>
METAL_CPU_INLINE T length(vec<T, N> a) {
  return sqrt(dot(a, a));
}
template <class T, int N>
METAL_CPU_INLINE T distance(vec<T, N> a, vec<T, N> b) {
  return length(a - b);
}
template <class T, int N>
METAL_CPU_INLINE vec<T, N> normalize(vec<T, N> a) {
  return a * vec<T, N>(rsqrt(dot(a, a)));
}
template <class T>
METAL_CPU_INLINE vec<T, 3> cross(vec<T, 3> a, vec<T, 3> b) {
  return a.yzx * b.zxy - a.zxy * b.yzx;
}

// Functions whose precision is named: all are precise here.
namespace precise {
using metal::acos, metal::acosh, metal::asin, metal::asinh, metal::atan, metal::atan2, metal::atanh, metal::ceil,
    metal::clamp, metal::copysign, metal::cos, metal::cosh, metal::exp, metal::exp2, metal::fabs, metal::floor,
    metal::fma, metal::fmax, metal::fmin, metal::fmod, metal::fract, metal::log, metal::log10, metal::log2, metal::max,
    metal::min, metal::mix, metal::pow, metal::powr, metal::rint, metal::round, metal::rsqrt, metal::saturate,
    metal::sign, metal::sin, metal::sinh, metal::smoothstep, metal::sqrt, metal::step, metal::tan, metal::tanh,
    metal::trunc, metal::abs, metal::dot, metal::length, metal::distance, metal::normalize, metal::ldexp;
}  // namespace precise
namespace fast {
using namespace precise;
}

}  // namespace metal

#define M_PI_F 3.14159274101257f
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define FLT_MAX 0x1.fffffep127f
#define FLT_MIN 0x1.0p-126f
#define FLT_EPSILON 0x1.0p-23f
#define HALF_MAX 65504.0h
#define MAXFLOAT FLT_MAX
#define MAXHALF HALF_MAX
#define INT_MAX 0x7fffffff
#define INT_MIN (-0x7fffffff - 1)
#define UINT_MAX 0xffffffffu
