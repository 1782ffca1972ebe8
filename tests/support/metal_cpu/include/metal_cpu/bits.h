// Bits of integers, and numbers packed into words.
#pragma once

#include "metal_cpu/math.h"

namespace metal {
namespace detail {

template <class T>
constexpr int bits_of = static_cast<int>(sizeof(T)) * 8;

template <class T>
METAL_CPU_INLINE ulong bits(T value) {
  return static_cast<ulong>(value) & (~ulong(0) >> (64 - bits_of<T>));
}

}  // namespace detail

#define METAL_CPU_BITS(name, expression)                      \
  template <class T, enable_if_t<is_integral_v<T>> = 0>       \
  METAL_CPU_INLINE T name(T x) {                              \
    [[maybe_unused]] constexpr int size = detail::bits_of<T>; \
    [[maybe_unused]] const ulong b = detail::bits(x);         \
    return static_cast<T>(expression);                        \
  }                                                           \
  template <class T, int N>                                   \
  METAL_CPU_INLINE vec<T, N> name(vec<T, N> v) {              \
    return detail::map<T>([](T c) { return name(c); }, v);    \
  }
METAL_CPU_BITS(clz, b == 0 ? size : __builtin_clzl(b) - (64 - size))
METAL_CPU_BITS(ctz, b == 0 ? size : __builtin_ctzl(b))
METAL_CPU_BITS(popcount, __builtin_popcountl(b))
METAL_CPU_BITS(reverse_bits, __builtin_bitreverse64(b) >> (64 - size))

/// Metal leaves an offset and a count that pass the number's end undefined.
template <class T, enable_if_t<is_integral_v<T>> = 0>
METAL_CPU_INLINE T extract_bits(T x, uint offset, uint count, int line = __builtin_LINE()) {
  constexpr uint size = detail::bits_of<T>;
  if (offset > size || count > size - offset) metal_cpu_runtime->fail("extract_bits passes the number's end.", line);
  if (count == 0) return T(0);
  const ulong low = detail::bits(x) >> offset << (64 - count);
  if constexpr (T(-1) < T(0)) return static_cast<T>(static_cast<long>(low) >> (64 - count));
  return static_cast<T>(low >> (64 - count));
}
template <class T, int N>
METAL_CPU_INLINE vec<T, N> extract_bits(vec<T, N> v, uint offset, uint count, int line = __builtin_LINE()) {
  for (int i = 0; i < N; ++i) v[i] = extract_bits(v[i], offset, count, line);
  return v;
}
template <class T, enable_if_t<is_integral_v<T>> = 0>
METAL_CPU_INLINE T insert_bits(T base, T inserted, uint offset, uint count, int line = __builtin_LINE()) {
  constexpr uint size = detail::bits_of<T>;
  if (offset > size || count > size - offset) metal_cpu_runtime->fail("insert_bits passes the number's end.", line);
  if (count == 0) return base;
  const ulong mask = (~ulong(0) >> (64 - count)) << offset;
  return static_cast<T>((detail::bits(base) & ~mask) | ((detail::bits(inserted) << offset) & mask));
}
template <class T, int N>
METAL_CPU_INLINE vec<T, N> insert_bits(vec<T, N> v, vec<T, N> inserted, uint offset, uint count,
                                       int line = __builtin_LINE()) {
  for (int i = 0; i < N; ++i) v[i] = insert_bits(v[i], inserted[i], offset, count, line);
  return v;
}

template <class T, enable_if_t<is_integral_v<T>> = 0>
METAL_CPU_INLINE T mulhi(T a, T b) {
  static_assert(sizeof(T) == 4);
  if constexpr (T(-1) < T(0)) return static_cast<T>(long(a) * long(b) >> 32);
  return static_cast<T>(ulong(a) * ulong(b) >> 32);
}

// ---- packing ------------------------------------------------------------------------------------------------

#define METAL_CPU_PACKING(name, low, scale, part)                                                               \
  METAL_CPU_INLINE uint pack_float_to_##name##4x8(float4 v) {                                                   \
    uint word = 0;                                                                                              \
    for (int i = 0; i < 4; ++i) {                                                                               \
      const float c = __builtin_fminf(__builtin_fmaxf(v[i], low), 1.0f);                                        \
      word |= (static_cast<uint>(static_cast<int>(rint(c * scale))) & 255u) << (8 * i);                         \
    }                                                                                                           \
    return word;                                                                                                \
  }                                                                                                             \
  METAL_CPU_INLINE float4 unpack_##name##4x8_to_float(uint word) {                                              \
    float4 v;                                                                                                   \
    for (int i = 0; i < 4; ++i) v[i] = __builtin_fmaxf(static_cast<float>(part(word >> (8 * i))) / scale, low); \
    return v;                                                                                                   \
  }                                                                                                             \
  METAL_CPU_INLINE uint pack_half_to_##name##4x8(half4 v) { return pack_float_to_##name##4x8(float4(v)); }      \
  METAL_CPU_INLINE half4 unpack_##name##4x8_to_half(uint word) { return half4(unpack_##name##4x8_to_float(word)); }
METAL_CPU_PACKING(snorm, -1.0f, 127.0f, static_cast<signed char>)
METAL_CPU_PACKING(unorm, 0.0f, 255.0f, static_cast<uchar>)

}  // namespace metal
