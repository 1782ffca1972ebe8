// Built-ins on the bits of integers, packing, and dot products of packed bytes.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/half.h"
#include "shader/interpreter/handlers.h"
#include "shader/interpreter/lanes.h"

namespace driftwood::shader::interpreter {
namespace {

using u32 = std::uint32_t;
using i32 = std::int32_t;

constexpr u32 all_ones = 0xFFFFFFFFU;

inline u32 highest_bit(u32 x) { return x == 0 ? all_ones : 31U - static_cast<u32>(std::countl_zero(x)); }
inline u32 lowest_bit(u32 x) { return x == 0 ? all_ones : static_cast<u32>(std::countr_zero(x)); }

inline u32 reversed(u32 x) {
  x = ((x >> 1) & 0x55555555U) | ((x & 0x55555555U) << 1);
  x = ((x >> 2) & 0x33333333U) | ((x & 0x33333333U) << 2);
  x = ((x >> 4) & 0x0F0F0F0FU) | ((x & 0x0F0F0F0FU) << 4);
  x = ((x >> 8) & 0x00FF00FFU) | ((x & 0x00FF00FFU) << 8);
  return (x >> 16) | (x << 16);
}

/// T decides whether the highest extracted bit is a sign.
template <class T>
inline T extracted(T value, u32 offset, u32 count) {
  const u32 o = std::min(offset, 32U);
  const u32 c = std::min(count, 32U - o);
  if (c == 0) return 0;
  return static_cast<T>(static_cast<T>(static_cast<u32>(value) << (32 - c - o)) >> (32 - c));
}

/// r = a with the lowest bits of b at [offset, offset + count); offset and count are operands[info] and the next.
void insert_bits(Machine& m, const Instruction& i) {
  const u32* value = m.reg(i.a);
  const u32* bits = m.reg(i.b);
  const u32* offset = m.reg(m.operands(i.info)[0]);
  const u32* count = m.reg(m.operands(i.info)[1]);
  u32* r = m.reg(i.r);
  for (u32 l = m.begin; l < m.end; ++l) {
    const u32 o = std::min(offset[l], 32U);
    const u32 c = std::min(count[l], 32U - o);
    const u32 mask = c == 0 ? 0 : (all_ones >> (32 - c)) << o;
    r[l] = (value[l] & ~mask) | (c == 0 ? 0 : (bits[l] << o) & mask);
  }
}

inline u32 byte_of(u32 word, int k) { return (word >> (8 * k)) & 0xFF; }
inline i32 signed_byte_of(u32 word, int k) { return static_cast<std::int8_t>(byte_of(word, k)); }

template <auto F>
void pack_bytes(Machine& m, const Instruction& i) {
  const Register* sources = m.operands(i.info);
  const std::array<const u32*, 4> x = {m.reg(sources[0]), m.reg(sources[1]), m.reg(sources[2]), m.reg(sources[3])};
  u32* r = m.reg(i.r);
  for (u32 l = m.begin; l < m.end; ++l) {
    r[l] = (F(x[0][l]) & 0xFF) | (F(x[1][l]) & 0xFF) << 8 | (F(x[2][l]) & 0xFF) << 16 | (F(x[3][l]) & 0xFF) << 24;
  }
}

template <auto F>
void unpack_bytes(Machine& m, const Instruction& i) {
  const u32* a = m.reg(i.a);
  for (int k = 0; k < 4; ++k) {
    u32* r = m.reg(i.r + static_cast<Register>(k));
    for (u32 l = m.begin; l < m.end; ++l) r[l] = to_word(F(a[l], k));
  }
}

inline float held(float x, float low, float high) { return x != x ? 0.0F : std::min(std::max(x, low), high); }

inline u32 snorm(u32 word) {
  return static_cast<u32>(static_cast<i32>(std::floor(0.5F + 127.0F * held(from_word<float>(word), -1.0F, 1.0F))));
}
inline u32 unorm(u32 word) {
  return static_cast<u32>(std::floor(0.5F + 255.0F * held(from_word<float>(word), 0.0F, 1.0F)));
}

}  // namespace

Handler integer_handler(Builtin builtin, Scalar scalar) {
  const bool is_signed = scalar == Scalar::I32;
  switch (builtin) {
    case Builtin::CountLeadingZeros: return lanes1<u32, [](u32 x) { return static_cast<u32>(std::countl_zero(x)); }>;
    case Builtin::CountTrailingZeros: return lanes1<u32, [](u32 x) { return static_cast<u32>(std::countr_zero(x)); }>;
    case Builtin::CountOneBits: return lanes1<u32, [](u32 x) { return static_cast<u32>(std::popcount(x)); }>;
    case Builtin::FirstLeadingBit:
      if (is_signed) return lanes1<u32, [](u32 x) { return highest_bit((x >> 31) != 0 ? ~x : x); }>;
      return lanes1<u32, [](u32 x) { return highest_bit(x); }>;
    case Builtin::FirstTrailingBit: return lanes1<u32, [](u32 x) { return lowest_bit(x); }>;
    case Builtin::ReverseBits: return lanes1<u32, [](u32 x) { return reversed(x); }>;
    case Builtin::ExtractBits:
      if (is_signed) return lanes3<i32, [](i32 x, u32 o, u32 c) { return extracted(x, o, c); }, u32, u32>;
      return lanes3<u32, [](u32 x, u32 o, u32 c) { return extracted(x, o, c); }>;
    case Builtin::InsertBits: return insert_bits;
    case Builtin::Dot4I8Packed:
      return lanes2<u32, [](u32 a, u32 b) {
        i32 sum = 0;
        for (int k = 0; k < 4; ++k) sum += signed_byte_of(a, k) * signed_byte_of(b, k);
        return sum;
      }>;
    case Builtin::Dot4U8I8Packed:
      return lanes2<u32, [](u32 a, u32 b) {
        i32 sum = 0;
        for (int k = 0; k < 4; ++k) sum += static_cast<i32>(byte_of(a, k)) * signed_byte_of(b, k);
        return sum;
      }>;
    case Builtin::Dot4U8Packed:
      return lanes2<u32, [](u32 a, u32 b) {
        u32 sum = 0;
        for (int k = 0; k < 4; ++k) sum += byte_of(a, k) * byte_of(b, k);
        return sum;
      }>;
    default: return nullptr;
  }
}

Handler pack_handler(Builtin builtin) {
  switch (builtin) {
    case Builtin::Pack4xI8:
    case Builtin::Pack4xU8: return pack_bytes<[](u32 x) { return x; }>;
    case Builtin::Pack4xI8Clamp:
      return pack_bytes<[](u32 x) { return static_cast<u32>(std::clamp(static_cast<i32>(x), -128, 127)); }>;
    case Builtin::Pack4xU8Clamp: return pack_bytes<[](u32 x) { return std::min(x, 255U); }>;
    case Builtin::Pack4x8Snorm: return pack_bytes<[](u32 x) { return snorm(x); }>;
    case Builtin::Pack4x8Unorm: return pack_bytes<[](u32 x) { return unorm(x); }>;
    case Builtin::Unpack4xI8: return unpack_bytes<[](u32 x, int k) { return signed_byte_of(x, k); }>;
    case Builtin::Unpack4xU8: return unpack_bytes<[](u32 x, int k) { return byte_of(x, k); }>;
    case Builtin::Unpack4x8Snorm:
      return unpack_bytes<[](u32 x, int k) {
        return std::max(static_cast<float>(signed_byte_of(x, k)) / 127.0F, -1.0F);
      }>;
    case Builtin::Unpack4x8Unorm:
      return unpack_bytes<[](u32 x, int k) { return static_cast<float>(byte_of(x, k)) / 255.0F; }>;
    default: return nullptr;
  }
}

}  // namespace driftwood::shader::interpreter
