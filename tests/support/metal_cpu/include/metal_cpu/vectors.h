// Metal's scalars and vectors. A vector is a class around clang's own, with Metal's constructors; swizzles are
// properties, so that they can be read and assigned.
#pragma once

#include "metal_cpu/abi.h"

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef unsigned long size_t;
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
#if METAL_CPU_FP16_STORAGE
typedef __fp16 half;  // with -fnative-half-type: rounded after each operation
#else
typedef _Float16 half;
#endif
constexpr half operator""h(long double value) { return static_cast<half>(value); }
constexpr half operator"" H(long double value) { return static_cast<half>(value); }

extern "C" metal_cpu::Runtime* metal_cpu_runtime __attribute__((visibility("hidden")));

#define METAL_CPU_INLINE inline __attribute__((always_inline))

namespace metal {

template <class T, class U>
constexpr bool is_same_v = false;
template <class T>
constexpr bool is_same_v<T, T> = true;
template <class T>
constexpr bool is_floating_point_v = is_same_v<T, float> || is_same_v<T, half>;
template <class T>
constexpr bool is_integral_v = is_same_v<T, bool> || is_same_v<T, char> || is_same_v<T, signed char> ||
                               is_same_v<T, uchar> || is_same_v<T, short> || is_same_v<T, ushort> ||
                               is_same_v<T, int> || is_same_v<T, uint> || is_same_v<T, long> || is_same_v<T, ulong>;
template <class T>
constexpr bool is_scalar_v = is_floating_point_v<T> || is_integral_v<T> || is_same_v<T, double>;  // "1.0" is one
template <bool condition, class T = int>
struct enable_if {};
template <class T>
struct enable_if<true, T> {
  using type = T;
};
template <bool condition, class T = int>
using enable_if_t = typename enable_if<condition, T>::type;
template <bool condition, class T, class F>
struct conditional {
  using type = T;
};
template <class T, class F>
struct conditional<false, T, F> {
  using type = F;
};

template <class T, int N>
struct vec;

namespace detail {

template <class T, int N>
using native = T __attribute__((ext_vector_type(N)));
/// What holds a component, and what is computed with: halves in float, each result rounded once.
template <class T>
using stored = typename conditional<is_same_v<T, bool>, uchar, T>::type;
template <class T>
using wide = typename conditional<is_same_v<T, half>, float, stored<T>>::type;

template <class T>
constexpr int width = is_scalar_v<T> ? 1 : 0;
template <class T, int N>
constexpr int width<vec<T, N>> = N;

METAL_CPU_INLINE int checked(int index, int count) {
  if (static_cast<unsigned>(index) >= static_cast<unsigned>(count)) {
    metal_cpu_runtime->fail("An index is outside of its vector.", 0);
  }
  return index;
}

}  // namespace detail

#define METAL_CPU_PROPERTY(count, name)                                               \
  METAL_CPU_INLINE vec<T, count> get_##name() const { return vec<T, count>(e.name); } \
  METAL_CPU_INLINE void put_##name(vec<T, count> value) { e.name = value.e; }         \
  __declspec(property(get = get_##name, put = put_##name)) vec<T, count> name;
#define METAL_CPU_COMPONENT(name)                                          \
  METAL_CPU_INLINE T get_##name() const { return static_cast<T>(e.name); } \
  METAL_CPU_INLINE void put_##name(T value) { e.name = value; }            \
  __declspec(property(get = get_##name, put = put_##name)) T name;
#define METAL_CPU_EACH2(n, p) METAL_CPU_PROPERTY(n, p##x) METAL_CPU_PROPERTY(n, p##y)
#define METAL_CPU_EACH3(n, p) METAL_CPU_EACH2(n, p) METAL_CPU_PROPERTY(n, p##z)
#define METAL_CPU_EACH4(n, p) METAL_CPU_EACH3(n, p) METAL_CPU_PROPERTY(n, p##w)
// Swizzles of two, three and four components, of vectors of W components.
#define METAL_CPU_TAILS2(W, n, p) METAL_CPU_EACH##W(n, p##x) METAL_CPU_EACH##W(n, p##y)
#define METAL_CPU_TAILS3(W, n, p) METAL_CPU_TAILS2(W, n, p) METAL_CPU_EACH##W(n, p##z)
#define METAL_CPU_TAILS4(W, n, p) METAL_CPU_TAILS3(W, n, p) METAL_CPU_EACH##W(n, p##w)
#define METAL_CPU_QUADS2(W, p) METAL_CPU_TAILS##W(W, 4, p##x) METAL_CPU_TAILS##W(W, 4, p##y)
#define METAL_CPU_QUADS3(W, p) METAL_CPU_QUADS2(W, p) METAL_CPU_TAILS##W(W, 4, p##z)
#define METAL_CPU_QUADS4(W, p) METAL_CPU_QUADS3(W, p) METAL_CPU_TAILS##W(W, 4, p##w)
#define METAL_CPU_START(W, p) \
  METAL_CPU_COMPONENT(p) METAL_CPU_EACH##W(2, p) METAL_CPU_TAILS##W(W, 3, p) METAL_CPU_QUADS##W(W, p)
#define METAL_CPU_SWIZZLES2(W) METAL_CPU_START(W, x) METAL_CPU_START(W, y)
#define METAL_CPU_SWIZZLES3(W) METAL_CPU_SWIZZLES2(W) METAL_CPU_START(W, z)
#define METAL_CPU_SWIZZLES4(W) METAL_CPU_SWIZZLES3(W) METAL_CPU_START(W, w)

#define METAL_CPU_ARITHMETIC(op)                                                                        \
  friend METAL_CPU_INLINE vec operator op(vec a, vec b) { return of_wide(a.widened() op b.widened()); } \
  METAL_CPU_INLINE vec& operator op##=(vec b) { return *this = *this op b; }
#define METAL_CPU_COMPARISON(op)                                                                         \
  friend METAL_CPU_INLINE vec<bool, N> operator op(vec a, vec b) {                                       \
    return vec<bool, N>(-__builtin_convertvector(a.widened() op b.widened(), detail::native<uchar, N>)); \
  }
// Component by component, where a fault of one must be seen.
#define METAL_CPU_INTEGER(op)                                        \
  friend METAL_CPU_INLINE vec operator op(vec a, vec b) {            \
    vec r;                                                           \
    for (int i = 0; i < N; ++i) r[i] = static_cast<T>(a[i] op b[i]); \
    return r;                                                        \
  }                                                                  \
  METAL_CPU_INLINE vec& operator op##=(vec b) { return *this = *this op b; }
#define METAL_CPU_SHIFT(op)                                          \
  template <class U>                                                 \
  friend METAL_CPU_INLINE vec operator op(vec a, vec<U, N> b) {      \
    vec r;                                                           \
    for (int i = 0; i < N; ++i) r[i] = static_cast<T>(a[i] op b[i]); \
    return r;                                                        \
  }                                                                  \
  template <class U, enable_if_t<is_integral_v<U>> = 0>              \
  friend METAL_CPU_INLINE vec operator op(vec a, U b) {              \
    return a op vec<U, N>(b);                                        \
  }                                                                  \
  template <class U>                                                 \
  METAL_CPU_INLINE vec& operator op##=(U b) {                        \
    return *this = *this op b;                                       \
  }

#define METAL_CPU_VECTOR(N_)                                                                                      \
  template <class T>                                                                                              \
  struct vec<T, N_> {                                                                                             \
    static constexpr int N = N_;                                                                                  \
    using native = detail::native<detail::stored<T>, N>;                                                          \
    using wide = detail::native<detail::wide<T>, N>;                                                              \
    native e;                                                                                                     \
                                                                                                                  \
    vec() = default;                                                                                              \
    METAL_CPU_INLINE explicit vec(native value) : e(value) {}                                                     \
    template <class S, enable_if_t<is_scalar_v<S>> = 0>                                                           \
    METAL_CPU_INLINE vec(S value) : e(static_cast<detail::stored<T>>(static_cast<T>(value))) {}                   \
    template <class U, enable_if_t<!is_same_v<T, U>> = 0>                                                         \
    METAL_CPU_INLINE explicit vec(vec<U, N> other) {                                                              \
      if constexpr (is_same_v<T, bool>) {                                                                         \
        e = (other != vec<U, N>(U(0))).e;                                                                         \
      } else {                                                                                                    \
        e = __builtin_convertvector(__builtin_convertvector(other.e, typename vec<U, N>::wide), native);          \
      }                                                                                                           \
    }                                                                                                             \
    template <class A, class B, class... Rest,                                                                    \
              enable_if_t<detail::width<A> + detail::width<B> + (0 + ... + detail::width<Rest>) == N> = 0>        \
    METAL_CPU_INLINE vec(A a, B b, Rest... rest) {                                                                \
      int at = 0;                                                                                                 \
      put_part(at, a), put_part(at, b), (put_part(at, rest), ...);                                                \
    }                                                                                                             \
    METAL_CPU_SWIZZLES##N_(N_)                                                                                    \
                                                                                                                  \
        METAL_CPU_INLINE T&                                                                                       \
        operator[](int i) {                                                                                       \
      return reinterpret_cast<T*>(&e)[detail::checked(i, N)];                                                     \
    }                                                                                                             \
    METAL_CPU_INLINE const T& operator[](int i) const {                                                           \
      return reinterpret_cast<const T*>(&e)[detail::checked(i, N)];                                               \
    }                                                                                                             \
    METAL_CPU_INLINE wide widened() const { return __builtin_convertvector(e, wide); }                            \
    METAL_CPU_INLINE static vec of_wide(wide value) { return vec(__builtin_convertvector(value, native)); }       \
                                                                                                                  \
    METAL_CPU_ARITHMETIC(+)                                                                                       \
    METAL_CPU_ARITHMETIC(-)                                                                                       \
    METAL_CPU_ARITHMETIC(*)                                                                                       \
    METAL_CPU_ARITHMETIC(&)                                                                                       \
    METAL_CPU_ARITHMETIC(|)                                                                                       \
    METAL_CPU_ARITHMETIC(^)                                                                                       \
    METAL_CPU_INTEGER(%)                                                                                          \
    friend METAL_CPU_INLINE vec operator/(vec a, vec b) {                                                         \
      if constexpr (is_floating_point_v<T>) return of_wide(a.widened() / b.widened());                            \
      vec r;                                                                                                      \
      for (int i = 0; i < N; ++i) r[i] = static_cast<T>(a[i] / b[i]);                                             \
      return r;                                                                                                   \
    }                                                                                                             \
    METAL_CPU_INLINE vec& operator/=(vec b) { return *this = *this / b; }                                         \
    METAL_CPU_SHIFT(<<)                                                                                           \
    METAL_CPU_SHIFT(>>)                                                                                           \
    METAL_CPU_COMPARISON(==)                                                                                      \
    METAL_CPU_COMPARISON(!=)                                                                                      \
    METAL_CPU_COMPARISON(<)                                                                                       \
    METAL_CPU_COMPARISON(<=)                                                                                      \
    METAL_CPU_COMPARISON(>)                                                                                       \
    METAL_CPU_COMPARISON(>=)                                                                                      \
    friend METAL_CPU_INLINE vec<bool, N> operator!(vec a) { return a == vec(T(0)); }                              \
    friend METAL_CPU_INLINE vec<bool, N> operator&&(vec a, vec b) { return (a != vec(T(0))) & (b != vec(T(0))); } \
    friend METAL_CPU_INLINE vec<bool, N> operator||(vec a, vec b) { return (a != vec(T(0))) | (b != vec(T(0))); } \
    friend METAL_CPU_INLINE vec operator+(vec a) { return a; }                                                    \
    friend METAL_CPU_INLINE vec operator-(vec a) { return of_wide(-a.widened()); }                                \
    friend METAL_CPU_INLINE vec operator~(vec a) { return of_wide(~a.widened()); }                                \
    METAL_CPU_INLINE vec& operator++() { return *this += vec(T(1)); }                                             \
    METAL_CPU_INLINE vec& operator--() { return *this -= vec(T(1)); }                                             \
                                                                                                                  \
   private:                                                                                                       \
    template <class S, enable_if_t<is_scalar_v<S>> = 0>                                                           \
    METAL_CPU_INLINE void put_part(int& at, S value) {                                                            \
      (*this)[at++] = static_cast<T>(value);                                                                      \
    }                                                                                                             \
    template <class U, int M>                                                                                     \
    METAL_CPU_INLINE void put_part(int& at, vec<U, M> value) {                                                    \
      static_assert(is_same_v<T, U>, "Metal converts no component type inside a constructor of parts.");          \
      for (int i = 0; i < M; ++i) (*this)[at++] = value[i];                                                       \
    }                                                                                                             \
  };
METAL_CPU_VECTOR(2)
METAL_CPU_VECTOR(3)
METAL_CPU_VECTOR(4)

/// Components with the size and alignment of three, or of one after another.
template <class T, int N>
struct packed_vec {
  T c[N];
  packed_vec() = default;
  METAL_CPU_INLINE packed_vec(vec<T, N> value) {
    for (int i = 0; i < N; ++i) c[i] = value[i];
  }
  METAL_CPU_INLINE operator vec<T, N>() const {
    vec<T, N> value;
    for (int i = 0; i < N; ++i) value[i] = c[i];
    return value;
  }
  METAL_CPU_INLINE T& operator[](int i) { return c[i]; }
  METAL_CPU_INLINE const T& operator[](int i) const { return c[i]; }
};

template <class T, size_t N>
struct array {
  T c[N];
  METAL_CPU_INLINE T& operator[](size_t i) { return c[i]; }
  METAL_CPU_INLINE const T& operator[](size_t i) const { return c[i]; }
  static constexpr size_t size() { return N; }
};

/// The bits of a value as another type of the same size.
template <class To, class From>
METAL_CPU_INLINE To as_type(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}

}  // namespace metal

using metal::as_type;

#define METAL_CPU_NAMES(T)                       \
  using T##2 = metal::vec<T, 2>;                 \
  using T##3 = metal::vec<T, 3>;                 \
  using T##4 = metal::vec<T, 4>;                 \
  using packed_##T##2 = metal::packed_vec<T, 2>; \
  using packed_##T##3 = metal::packed_vec<T, 3>; \
  using packed_##T##4 = metal::packed_vec<T, 4>;
METAL_CPU_NAMES(bool)
METAL_CPU_NAMES(char)
METAL_CPU_NAMES(uchar)
METAL_CPU_NAMES(short)
METAL_CPU_NAMES(ushort)
METAL_CPU_NAMES(int)
METAL_CPU_NAMES(uint)
METAL_CPU_NAMES(long)
METAL_CPU_NAMES(ulong)
METAL_CPU_NAMES(half)
METAL_CPU_NAMES(float)
