// Matrices of a simdgroup: each of the 32 lanes holds two neighbouring elements of a row of 8.
#pragma once

#include "metal_cpu/synchronization.h"

namespace metal {

template <class T, int Columns, int Rows>
struct simdgroup_matrix {
  static_assert(Columns == 8 && Rows == 8, "Metal has matrices of 8 x 8 alone.");
  vec<T, 2> elements;

  simdgroup_matrix() = default;
  /// A diagonal.
  explicit simdgroup_matrix(T value) : elements(T(0)) {
    if (column() <= row() && row() < column() + 2) elements[static_cast<int>(row() - column())] = value;
  }
  vec<T, 2>& thread_elements() { return elements; }
  static uint row() { return detail::lane() / 4; }
  static uint column() { return detail::lane() % 4 * 2; }
};

using simdgroup_float8x8 = simdgroup_matrix<float, 8, 8>;
using simdgroup_half8x8 = simdgroup_matrix<half, 8, 8>;

template <class T, int Columns, int Rows>
METAL_CPU_INLINE simdgroup_matrix<T, Columns, Rows> make_filled_simdgroup_matrix(T value) {
  simdgroup_matrix<T, Columns, Rows> matrix;
  matrix.elements = vec<T, 2>(value);
  return matrix;
}

namespace detail {

inline void check_whole_simdgroup(const char* operation, int line) {
  if (lanes() != metal_cpu::simd_width) metal_cpu_runtime->fail(operation, line);
}

/// The place of this lane's element `i`.
METAL_CPU_INLINE ulong element_at(ulong stride, ulong2 origin, bool transposed, int i) {
  const ulong row = simdgroup_matrix<float, 8, 8>::row(), column = simdgroup_matrix<float, 8, 8>::column() + ulong(i);
  return transposed ? (origin.x + column) * stride + origin.y + row : (origin.y + row) * stride + origin.x + column;
}

}  // namespace detail

template <class T>
inline void simdgroup_load(simdgroup_matrix<T, 8, 8>& matrix, const T* source, ulong elements_per_row = 8,
                           ulong2 origin = ulong2(0), bool transpose = false, int line = __builtin_LINE()) {
  detail::check_whole_simdgroup("simdgroup_load is called by a simdgroup of fewer than 32 lanes.", line);
  for (int i = 0; i < 2; ++i) {
    matrix.elements[i] = source[detail::element_at(elements_per_row, origin, transpose, i)];
  }
}

template <class T>
inline void simdgroup_store(simdgroup_matrix<T, 8, 8> matrix, T* target, ulong elements_per_row = 8,
                            ulong2 origin = ulong2(0), bool transpose = false, int line = __builtin_LINE()) {
  detail::check_whole_simdgroup("simdgroup_store is called by a simdgroup of fewer than 32 lanes.", line);
  for (int i = 0; i < 2; ++i) {
    target[detail::element_at(elements_per_row, origin, transpose, i)] = matrix.elements[i];
  }
}

/// d = a b + c, summed in float.
template <class D, class A, class B, class C>
inline void simdgroup_multiply_accumulate(simdgroup_matrix<D, 8, 8>& d, simdgroup_matrix<A, 8, 8> a,
                                          simdgroup_matrix<B, 8, 8> b, simdgroup_matrix<C, 8, 8> c,
                                          int line = __builtin_LINE()) {
  detail::check_whole_simdgroup("simdgroup_multiply_accumulate is called by a simdgroup of fewer than 32 lanes.", line);
  struct Pair {
    vec<A, 2> a;
    vec<B, 2> b;
  };
  const auto shown = detail::show(Pair{a.elements, b.elements}, "simdgroup_multiply_accumulate", line);
  const uint row = d.row(), column = d.column();
  float2 sum = float2(c.elements);
  for (uint k = 0; k < 8; ++k) {
    const float left = static_cast<float>(shown[row * 4 + k / 2].a[static_cast<int>(k % 2)]);
    sum += left * float2(shown[k * 4 + column / 2].b);
  }
  d.elements = vec<D, 2>(sum);
}

template <class D, class A, class B>
inline void simdgroup_multiply(simdgroup_matrix<D, 8, 8>& d, simdgroup_matrix<A, 8, 8> a, simdgroup_matrix<B, 8, 8> b,
                               int line = __builtin_LINE()) {
  simdgroup_multiply_accumulate(d, a, b, make_filled_simdgroup_matrix<D, 8, 8>(D(0)), line);
}

}  // namespace metal
