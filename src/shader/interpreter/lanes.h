// Loops over lanes for instructions that are a function of their operands' words.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>

#include "shader/interpreter/machine.h"

namespace driftwood::shader::interpreter {

inline std::uint32_t to_word(bool value) { return value ? 0xFFFFFFFFU : 0U; }
inline std::uint32_t to_word(std::uint32_t value) { return value; }
inline std::uint32_t to_word(std::int32_t value) { return static_cast<std::uint32_t>(value); }
inline std::uint32_t to_word(float value) { return std::bit_cast<std::uint32_t>(value); }

template <class T>
inline T from_word(std::uint32_t word) {
  if constexpr (std::same_as<T, bool>) {
    return word != 0;
  } else {
    return std::bit_cast<T>(word);
  }
}

/// r = F(a), operands taken as T.
template <class T, auto F>
void lanes1(Machine& m, const Instruction& i) {
  const std::uint32_t* a = m.reg(i.a);
  std::uint32_t* r = m.reg(i.r);
#pragma GCC ivdep
  for (std::uint32_t l = m.begin; l < m.end; ++l) r[l] = to_word(F(from_word<T>(a[l])));
}

/// r = F(a, b).
template <class T, auto F, class U = T>
void lanes2(Machine& m, const Instruction& i) {
  const std::uint32_t* a = m.reg(i.a);
  const std::uint32_t* b = m.reg(i.b);
  std::uint32_t* r = m.reg(i.r);
#pragma GCC ivdep
  for (std::uint32_t l = m.begin; l < m.end; ++l) r[l] = to_word(F(from_word<T>(a[l]), from_word<U>(b[l])));
}

/// r = F(a, b, c).
template <class T, auto F, class U = T, class V = T>
void lanes3(Machine& m, const Instruction& i) {
  const std::uint32_t* a = m.reg(i.a);
  const std::uint32_t* b = m.reg(i.b);
  const std::uint32_t* c = m.reg(i.c);
  std::uint32_t* r = m.reg(i.r);
#pragma GCC ivdep
  for (std::uint32_t l = m.begin; l < m.end; ++l) {
    r[l] = to_word(F(from_word<T>(a[l]), from_word<U>(b[l]), from_word<V>(c[l])));
  }
}

/// WGSL's division: x / 0 = x, and the one signed quotient that does not fit is the dividend.
template <class T>
inline T divide(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::signed_integral<T>) {
    if (a == std::numeric_limits<T>::min() && b == -1) return a;
  }
  return a / b;
}

template <class T>
inline T remainder_of(T a, T b) {
  if (b == 0) return 0;
  if constexpr (std::signed_integral<T>) {
    if (b == -1) return 0;
  }
  return a % b;
}

}  // namespace driftwood::shader::interpreter
