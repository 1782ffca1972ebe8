// Barriers, atomics, and the functions of a simdgroup.
#pragma once

#include "metal_cpu/math.h"

namespace metal {

enum class mem_flags : uint { mem_none = 0, mem_device = 1, mem_threadgroup = 2, mem_texture = 4 };
constexpr mem_flags operator|(mem_flags a, mem_flags b) {
  return static_cast<mem_flags>(static_cast<uint>(a) | static_cast<uint>(b));
}
enum memory_order {
  memory_order_relaxed,
  memory_order_acquire,
  memory_order_release,
  memory_order_acq_rel,
  memory_order_seq_cst
};
enum thread_scope { thread_scope_thread, thread_scope_simdgroup, thread_scope_threadgroup, thread_scope_device };

inline void threadgroup_barrier(mem_flags, int line = __builtin_LINE()) { metal_cpu_runtime->barrier(line); }
inline void simdgroup_barrier(mem_flags, int line = __builtin_LINE()) {
  metal_cpu_runtime->exchange(nullptr, 0, "simdgroup_barrier", line);
}
METAL_CPU_INLINE void atomic_thread_fence(mem_flags, memory_order, thread_scope = thread_scope_device) {}

// ---- atomics: one invocation runs at a time ------------------------------------------------------------------

template <class T>
struct atomic {
  T value;
};

#define METAL_CPU_ATOMIC(name, expression)                                                        \
  template <class T>                                                                              \
  METAL_CPU_INLINE T atomic_##name##_explicit(atomic<T>* object, decltype(T()) b, memory_order) { \
    const T a = object->value;                                                                    \
    object->value = static_cast<T>(expression);                                                   \
    return a;                                                                                     \
  }
METAL_CPU_ATOMIC(exchange, b)
METAL_CPU_ATOMIC(fetch_add, a + b)
METAL_CPU_ATOMIC(fetch_sub, a - b)
METAL_CPU_ATOMIC(fetch_max, a < b ? b : a)
METAL_CPU_ATOMIC(fetch_min, b < a ? b : a)
METAL_CPU_ATOMIC(fetch_and, a& b)
METAL_CPU_ATOMIC(fetch_or, a | b)
METAL_CPU_ATOMIC(fetch_xor, a ^ b)
template <class T>
METAL_CPU_INLINE T atomic_load_explicit(const atomic<T>* object, memory_order) {
  return object->value;
}
template <class T>
METAL_CPU_INLINE void atomic_store_explicit(atomic<T>* object, decltype(T()) value, memory_order) {
  object->value = value;
}
template <class T>
METAL_CPU_INLINE bool atomic_compare_exchange_weak_explicit(atomic<T>* object, T* expected, decltype(T()) desired,
                                                            memory_order, memory_order) {
  if (object->value != *expected) return *expected = object->value, false;
  object->value = desired;
  return true;
}

// ---- simdgroups ---------------------------------------------------------------------------------------------

namespace detail {

/// What the lanes of the simdgroup show.
template <class T>
struct Shown {
  const unsigned char* slots;
  T operator[](uint lane) const {
    T value;
    __builtin_memcpy(&value, slots + lane * metal_cpu::slot_bytes, sizeof value);
    return value;
  }
};

template <class T>
METAL_CPU_INLINE Shown<T> show(T value, const char* operation, int line) {
  static_assert(sizeof value <= metal_cpu::slot_bytes);
  return {metal_cpu_runtime->exchange(&value, sizeof value, operation, line)};
}
METAL_CPU_INLINE uint lane() { return metal_cpu_runtime->invocation->lane; }
METAL_CPU_INLINE uint lanes() { return metal_cpu_runtime->invocation->lanes; }

/// The values of lanes 0 to `end` - 1 combined, `first` where there are none.
template <class T, class F>
METAL_CPU_INLINE T fold(Shown<T> shown, uint end, T first, F combine) {
  if (end == 0) return first;
  T result = shown[0];
  for (uint i = 1; i < end; ++i) result = combine(result, shown[i]);
  return result;
}

template <class T>
inline T of_lane(Shown<T> shown, uint lane, const char* operation, int line) {
  if (lane >= lanes()) metal_cpu_runtime->fail(operation, line);
  return shown[lane];
}

}  // namespace detail

#define METAL_CPU_REDUCTION(name, combined)                                               \
  template <class T>                                                                      \
  inline T simd_##name(T value, int line = __builtin_LINE()) {                            \
    return detail::fold(detail::show(value, "simd_" #name, line), detail::lanes(), value, \
                        [](T a, T b) { return static_cast<T>(combined); });               \
  }
METAL_CPU_REDUCTION(sum, a + b)
METAL_CPU_REDUCTION(product, a* b)
METAL_CPU_REDUCTION(max, max(a, b))
METAL_CPU_REDUCTION(min, min(a, b))
METAL_CPU_REDUCTION(and, a& b)
METAL_CPU_REDUCTION(or, a | b)
METAL_CPU_REDUCTION(xor, a ^ b)
inline bool simd_all(bool value, int line = __builtin_LINE()) {
  return detail::fold(detail::show(value, "simd_all", line), detail::lanes(), value,
                      [](bool a, bool b) { return a && b; });
}
inline bool simd_any(bool value, int line = __builtin_LINE()) {
  return detail::fold(detail::show(value, "simd_any", line), detail::lanes(), value,
                      [](bool a, bool b) { return a || b; });
}
#define METAL_CPU_PREFIX(name, count, first, combined)                                    \
  template <class T>                                                                      \
  inline T simd_prefix_##name(T value, int line = __builtin_LINE()) {                     \
    return detail::fold(detail::show(value, "simd_prefix_" #name, line), count, T(first), \
                        [](T a, T b) { return static_cast<T>(combined); });               \
  }
METAL_CPU_PREFIX(exclusive_sum, detail::lane(), 0, a + b)
METAL_CPU_PREFIX(inclusive_sum, detail::lane() + 1, 0, a + b)
METAL_CPU_PREFIX(exclusive_product, detail::lane(), 1, a* b)
METAL_CPU_PREFIX(inclusive_product, detail::lane() + 1, 1, a* b)

/// Lanes that the simdgroup lacks are undefined in Metal, and a fault here.
template <class T>
inline T simd_shuffle(T value, ushort lane, int line = __builtin_LINE()) {
  return detail::of_lane(detail::show(value, "simd_shuffle", line), lane,
                         "simd_shuffle reads a lane that the simdgroup lacks.", line);
}
template <class T>
inline T simd_broadcast(T value, ushort lane, int line = __builtin_LINE()) {
  return detail::of_lane(detail::show(value, "simd_broadcast", line), lane,
                         "simd_broadcast reads a lane that the simdgroup lacks.", line);
}
template <class T>
inline T simd_broadcast_first(T value, int line = __builtin_LINE()) {
  return detail::show(value, "simd_broadcast_first", line)[0];
}
template <class T>
inline T simd_shuffle_xor(T value, ushort mask, int line = __builtin_LINE()) {
  const auto shown = detail::show(value, "simd_shuffle_xor", line);
  return detail::of_lane(shown, detail::lane() ^ mask, "simd_shuffle_xor reads a lane that the simdgroup lacks.", line);
}
/// Lanes past an end keep their value.
template <class T>
inline T simd_shuffle_up(T value, ushort delta, int line = __builtin_LINE()) {
  const auto shown = detail::show(value, "simd_shuffle_up", line);
  return detail::lane() < delta ? value : shown[detail::lane() - delta];
}
template <class T>
inline T simd_shuffle_down(T value, ushort delta, int line = __builtin_LINE()) {
  const auto shown = detail::show(value, "simd_shuffle_down", line);
  return detail::lane() + delta >= detail::lanes() ? value : shown[detail::lane() + delta];
}
METAL_CPU_INLINE bool simd_is_first() { return detail::lane() == 0; }

}  // namespace metal

using atomic_int = metal::atomic<int>;
using atomic_uint = metal::atomic<uint>;
using atomic_bool = metal::atomic<bool>;
using atomic_float = metal::atomic<float>;
namespace metal {
using ::atomic_bool, ::atomic_float, ::atomic_int, ::atomic_uint;
}
