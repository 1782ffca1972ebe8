// Operators of the language on one component.
#include <cmath>

#include "shader/interpreter/handlers.h"
#include "shader/interpreter/lanes.h"

namespace driftwood::shader::interpreter {
namespace {

using u32 = std::uint32_t;
using i32 = std::int32_t;

Handler float_handler(BinaryOp op) {
  switch (op) {
    case BinaryOp::Add: return lanes2<float, [](float a, float b) { return a + b; }>;
    case BinaryOp::Subtract: return lanes2<float, [](float a, float b) { return a - b; }>;
    case BinaryOp::Multiply: return lanes2<float, [](float a, float b) { return a * b; }>;
    case BinaryOp::Divide: return lanes2<float, [](float a, float b) { return a / b; }>;
    case BinaryOp::Remainder: return lanes2<float, [](float a, float b) { return std::fmod(a, b); }>;
    case BinaryOp::Equal: return lanes2<float, [](float a, float b) { return a == b; }>;
    case BinaryOp::NotEqual: return lanes2<float, [](float a, float b) { return a != b; }>;
    case BinaryOp::Less: return lanes2<float, [](float a, float b) { return a < b; }>;
    case BinaryOp::LessEqual: return lanes2<float, [](float a, float b) { return a <= b; }>;
    case BinaryOp::Greater: return lanes2<float, [](float a, float b) { return (a > b); }>;
    case BinaryOp::GreaterEqual: return lanes2<float, [](float a, float b) { return a >= b; }>;
    default: return nullptr;
  }
}

/// What is the same for signed and unsigned words.
Handler word_handler(BinaryOp op) {
  switch (op) {
    case BinaryOp::Add: return lanes2<u32, [](u32 a, u32 b) { return a + b; }>;
    case BinaryOp::Subtract: return lanes2<u32, [](u32 a, u32 b) { return a - b; }>;
    case BinaryOp::Multiply: return lanes2<u32, [](u32 a, u32 b) { return a * b; }>;
    case BinaryOp::And:
    case BinaryOp::LogicalAnd: return lanes2<u32, [](u32 a, u32 b) { return a & b; }>;
    case BinaryOp::Or:
    case BinaryOp::LogicalOr: return lanes2<u32, [](u32 a, u32 b) { return a | b; }>;
    case BinaryOp::Xor: return lanes2<u32, [](u32 a, u32 b) { return a ^ b; }>;
    case BinaryOp::ShiftLeft: return lanes2<u32, [](u32 a, u32 b) { return a << (b & 31); }>;
    case BinaryOp::Equal: return lanes2<u32, [](u32 a, u32 b) { return a == b; }>;
    case BinaryOp::NotEqual: return lanes2<u32, [](u32 a, u32 b) { return a != b; }>;
    default: return nullptr;
  }
}

template <class T>
Handler ordered_handler(BinaryOp op) {
  switch (op) {
    case BinaryOp::Divide: return lanes2<T, [](T a, T b) { return divide(a, b); }>;
    case BinaryOp::Remainder: return lanes2<T, [](T a, T b) { return remainder_of(a, b); }>;
    case BinaryOp::ShiftRight: return lanes2<T, [](T a, u32 b) { return static_cast<T>((a >> (b & 31))); }, u32>;
    case BinaryOp::Less: return lanes2<T, [](T a, T b) { return a < b; }>;
    case BinaryOp::LessEqual: return lanes2<T, [](T a, T b) { return a <= b; }>;
    case BinaryOp::Greater: return lanes2<T, [](T a, T b) { return (a > b); }>;
    case BinaryOp::GreaterEqual: return lanes2<T, [](T a, T b) { return a >= b; }>;
    default: return word_handler(op);
  }
}

/// The first fault that reaches an address is the one to report, so taint that is there stays.
template <class T, auto Wraps>
void overflow(Machine& m, const Instruction& i) {
  const u32* a = m.reg(i.a);
  const u32* b = m.reg(i.b);
  u32* r = m.reg(i.r);
  const u32 mark = i.info + 1;
  if (i.c == no_register) {
    for (u32 l = m.begin; l < m.end; ++l) r[l] = Wraps(from_word<T>(a[l]), from_word<T>(b[l])) ? mark : 0;
  } else {
    const u32* c = m.reg(i.c);
    for (u32 l = m.begin; l < m.end; ++l) {
      r[l] = c[l] != 0 ? c[l] : Wraps(from_word<T>(a[l]), from_word<T>(b[l])) ? mark : 0;
    }
  }
}

template <class T>
Handler overflow_handler_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::Add:
      return overflow<T, [](T a, T b) {
        T result;
        return __builtin_add_overflow(a, b, &result);
      }>;
    case BinaryOp::Subtract:
      return overflow<T, [](T a, T b) {
        T result;
        return __builtin_sub_overflow(a, b, &result);
      }>;
    case BinaryOp::Multiply:
      return overflow<T, [](T a, T b) {
        T result;
        return __builtin_mul_overflow(a, b, &result);
      }>;
    case BinaryOp::ShiftLeft:
      return overflow<T, [](T a, T b) {
        const auto shift = static_cast<u32>(b) & 31;
        return static_cast<T>(static_cast<T>(static_cast<u32>(a) << shift) >> shift) != a;
      }>;
    default: return nullptr;
  }
}

}  // namespace

Handler unary_handler(UnaryOp op, Scalar scalar) {
  switch (op) {
    case UnaryOp::Negate:
      return is_float(scalar) ? Handler{lanes1<float, [](float a) { return -a; }>}
                              : Handler{lanes1<u32, [](u32 a) { return 0 - a; }>};
    case UnaryOp::Not:
    case UnaryOp::Complement: return lanes1<u32, [](u32 a) { return ~a; }>;
  }
  return nullptr;
}

Handler binary_handler(BinaryOp op, Scalar scalar) {
  if (is_float(scalar)) return float_handler(op);
  if (scalar == Scalar::Bool) return word_handler(op);
  return scalar == Scalar::U32 ? ordered_handler<u32>(op) : ordered_handler<i32>(op);
}

Handler overflow_handler(BinaryOp op, Scalar scalar) {
  return scalar == Scalar::U32 ? overflow_handler_of<u32>(op) : overflow_handler_of<i32>(op);
}

void merge_taint(Machine& m, const Instruction& i) {
  const u32* a = m.reg(i.a);
  const u32* b = m.reg(i.b);
  u32* r = m.reg(i.r);
  for (u32 l = m.begin; l < m.end; ++l) r[l] = a[l] != 0 ? a[l] : b[l];
}

}  // namespace driftwood::shader::interpreter
