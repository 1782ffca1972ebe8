// Loads, stores and atomics of bound memory and workgroup memory. Addresses were checked when they were made.
#include <algorithm>
#include <array>
#include <cstring>

#include "base/half.h"
#include "shader/interpreter/access_check.h"
#include "shader/interpreter/handlers.h"
#include "shader/interpreter/lanes.h"

namespace driftwood::shader::interpreter {
namespace {

using u32 = std::uint32_t;
using i32 = std::int32_t;

template <Element E>
inline u32 fetch(const std::byte* at) {
  if constexpr (E == Element::Word) {
    u32 word;
    std::memcpy(&word, at, 4);
    return word;
  } else if constexpr (E == Element::Half) {
    std::uint16_t bits;
    std::memcpy(&bits, at, 2);
    return to_word(half_to_float(bits));
  } else if constexpr (E == Element::Byte) {
    return to_word(i32{static_cast<std::int8_t>(*at)});
  } else {
    return static_cast<u32>(*at);
  }
}

template <Element E>
inline void put(std::byte* at, u32 word) {
  if constexpr (E == Element::Word) {
    std::memcpy(at, &word, 4);
  } else if constexpr (E == Element::Half) {
    const std::uint16_t bits = float_to_half(from_word<float>(word));
    std::memcpy(at, &bits, 2);
  } else {
    *at = static_cast<std::byte>(word & 0xFF);
  }
}

template <Element E>
void load_as(Machine& m, const Instruction& i, const AccessInfo& info, const MachineMemory& memory) {
  const std::byte* base = memory.data + info.base;
  for (u32 k = 0; k < info.count; ++k) {
    const std::byte* component = base + k * element_size(E);
    u32* r = m.reg(i.r + k);
    if (i.a == no_register) {
      std::fill(r + m.begin, r + m.end, fetch<E>(component));
      continue;
    }
    const u32* offset = m.reg(i.a);
    for_active(m, [&](u32 l) { r[l] = fetch<E>(component + offset[l]); });
  }
}

template <Element E>
void store_as(Machine& m, const Instruction& i, const AccessInfo& info, const MachineMemory& memory) {
  const u32* offset = i.a == no_register ? nullptr : m.reg(i.a);
  const Register* sources = m.operands(i.b);
  for (u32 k = 0; k < info.count; ++k) {
    const u32* value = m.reg(sources[k]);
    std::byte* component = memory.data + info.base + k * element_size(E);
    for_active(m, [&](u32 l) { put<E>(component + (offset ? offset[l] : 0), value[l]); });
  }
}

/// The old value goes to r, F(old, b) to memory, lane by lane.
template <auto F, bool Reads, bool Writes>
void atomic(Machine& m, const Instruction& i) {
  const AccessInfo& info = m.access_info(i);
  MachineMemory& memory = m.memory(info.slot);
  const u32* offset = i.a == no_register ? nullptr : m.reg(i.a);
  const u32* operand = i.b == no_register ? nullptr : m.reg(i.b);
  for_active(m, [&](u32 l) {
    const std::uint64_t at = info.base + (offset ? offset[l] : 0);
    if (Reads && memory.written && !memory.is_workgroup) check_written(m, info, memory, at, 4, l);
    if (memory.cells) {
      check_race(m, info, memory, at, 4, l, Writes ? AccessMode::AtomicWrite : AccessMode::AtomicRead);
    }
    const u32 old = fetch<Element::Word>(memory.data + at);
    if (Writes) {
      put<Element::Word>(memory.data + at, F(old, operand[l]));
      if (memory.written) std::memset(memory.written + at, 1, 4);
    }
    if (i.r != no_register) m.reg(i.r)[l] = old;
  });
}

template <auto F>
Handler changing() {
  return atomic<F, true, true>;
}

}  // namespace

void load(Machine& m, const Instruction& i) {
  const AccessInfo& info = m.access_info(i);
  MachineMemory& memory = m.memory(info.slot);
  if (m.none) return;
  if (memory.written || memory.cells) {
    const u32* offset = i.a == no_register ? nullptr : m.reg(i.a);
    const std::uint64_t size = std::uint64_t{info.count} * element_size(info.element);
    for_active(m, [&](u32 l) {
      const std::uint64_t at = info.base + (offset ? offset[l] : 0);
      if (memory.written) check_written(m, info, memory, at, size, l);
      if (memory.cells) check_race(m, info, memory, at, size, l, AccessMode::Read);
    });
  }
  switch (info.element) {
    case Element::Word: return load_as<Element::Word>(m, i, info, memory);
    case Element::Half: return load_as<Element::Half>(m, i, info, memory);
    case Element::Byte: return load_as<Element::Byte>(m, i, info, memory);
    case Element::UnsignedByte: return load_as<Element::UnsignedByte>(m, i, info, memory);
  }
}

void store(Machine& m, const Instruction& i) {
  const AccessInfo& info = m.access_info(i);
  MachineMemory& memory = m.memory(info.slot);
  if (memory.written || memory.cells) {
    const u32* offset = i.a == no_register ? nullptr : m.reg(i.a);
    const std::uint64_t size = std::uint64_t{info.count} * element_size(info.element);
    for_active(m, [&](u32 l) {
      const std::uint64_t at = info.base + (offset ? offset[l] : 0);
      if (memory.cells) check_race(m, info, memory, at, size, l, AccessMode::Write);
      if (memory.written) std::memset(memory.written + at, 1, size);
    });
  }
  switch (info.element) {
    case Element::Word: return store_as<Element::Word>(m, i, info, memory);
    case Element::Half: return store_as<Element::Half>(m, i, info, memory);
    case Element::Byte:
    case Element::UnsignedByte: return store_as<Element::Byte>(m, i, info, memory);
  }
}

Handler atomic_handler(Builtin builtin, Scalar scalar) {
  const bool is_signed = scalar == Scalar::I32;
  switch (builtin) {
    case Builtin::AtomicLoad: return atomic<[](u32 old, u32) { return old; }, true, false>;
    case Builtin::AtomicStore: return atomic<[](u32, u32 x) { return x; }, false, true>;
    case Builtin::AtomicExchange: return changing<[](u32, u32 x) { return x; }>();
    case Builtin::AtomicAdd: return changing<[](u32 old, u32 x) { return old + x; }>();
    case Builtin::AtomicSub: return changing<[](u32 old, u32 x) { return old - x; }>();
    case Builtin::AtomicAnd: return changing<[](u32 old, u32 x) { return old & x; }>();
    case Builtin::AtomicOr: return changing<[](u32 old, u32 x) { return old | x; }>();
    case Builtin::AtomicXor: return changing<[](u32 old, u32 x) { return old ^ x; }>();
    case Builtin::AtomicMax:
      if (is_signed)
        return changing<[](u32 a, u32 b) { return to_word(std::max(from_word<i32>(a), from_word<i32>(b))); }>();
      return changing<[](u32 a, u32 b) { return std::max(a, b); }>();
    case Builtin::AtomicMin:
      if (is_signed)
        return changing<[](u32 a, u32 b) { return to_word(std::min(from_word<i32>(a), from_word<i32>(b))); }>();
      return changing<[](u32 a, u32 b) { return std::min(a, b); }>();
    default: return nullptr;
  }
}

}  // namespace driftwood::shader::interpreter
