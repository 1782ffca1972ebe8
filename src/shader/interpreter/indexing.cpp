// Indices and coordinates: checked, then turned into addresses. Arrays that live in registers.
#include <algorithm>

#include "shader/interpreter/handlers.h"
#include "shader/interpreter/machine.h"

namespace driftwood::shader::interpreter {
namespace {

using u32 = std::uint32_t;

u32 limit_of(Machine& m, const IndexInfo& info) {
  if (info.kind != IndexInfo::Kind::RuntimeArray) return info.limit;
  return static_cast<u32>((m.memory(info.slot).size - info.base) / info.stride);
}

[[noreturn]] void fail_index(Machine& m, const Instruction& i, const IndexInfo& info, u32 limit) {
  const u32* index = m.reg(i.a);
  const u32* taint = i.c == no_register ? nullptr : m.reg(i.c);
  const u32* mask = m.mask();
  u32 lane = m.begin;
  while (mask[lane] == 0 || (index[lane] < limit && (!taint || taint[lane] == 0))) ++lane;

  const std::string value =
      info.is_signed ? std::to_string(static_cast<std::int32_t>(index[lane])) : std::to_string(index[lane]);
  const std::string noun = info.kind == IndexInfo::Kind::Coordinate ? std::string("coordinate ") + info.axis : "index";
  if (taint && taint[lane] != 0) {
    m.fail(SanitizerKind::AddressOverflow, m.range(taint[lane] - 1),
           "This wraps around in 32 bits on its way into the " + noun + " " + value + " of " + info.of + ".", lane);
  }
  const bool negative = info.is_signed && static_cast<std::int32_t>(index[lane]) < 0;
  std::string message =
      (info.kind == IndexInfo::Kind::Coordinate ? "Coordinate " + std::string(1, info.axis) : "Index") + " " + value +
      " of " + info.of + (negative ? " is negative" : " is past the end") + "; it has ";
  message += std::to_string(limit);
  switch (info.kind) {
    case IndexInfo::Kind::Array:
    case IndexInfo::Kind::RuntimeArray: message += " elements."; break;
    case IndexInfo::Kind::Vector: message += " components."; break;
    case IndexInfo::Kind::Coordinate: message += " texels that way."; break;
  }
  m.fail(SanitizerKind::OutOfBounds, info.range, message, lane);
}

}  // namespace

void check_index(Machine& m, const Instruction& i) {
  const IndexInfo& info = m.index_info(i);
  const u32 limit = limit_of(m, info);
  const u32 stride = info.stride;
  const u32* index = m.reg(i.a);
  const u32* mask = m.mask();
  u32* r = m.reg(i.r);
  const bool check = m.options().check_bounds;
  u32 bad = 0;
  if (i.c != no_register) {
    const u32* taint = m.reg(i.c);
    for (u32 l = m.begin; l < m.end; ++l) bad |= taint[l] & mask[l];
  }
  if (check) {
    for (u32 l = m.begin; l < m.end; ++l) bad |= (index[l] >= limit ? 0xFFFFFFFFU : 0U) & mask[l];
  }
  if (bad != 0) fail_index(m, i, info, check ? limit : 0xFFFFFFFFU);
  if (i.b == no_register) {
#pragma GCC ivdep
    for (u32 l = m.begin; l < m.end; ++l) r[l] = std::min(index[l], limit - 1) * stride;
  } else {
    const u32* offset = m.reg(i.b);
#pragma GCC ivdep
    for (u32 l = m.begin; l < m.end; ++l) r[l] = offset[l] + std::min(index[l], limit - 1) * stride;
  }
}

void array_length(Machine& m, const Instruction& i) {
  std::fill(m.reg(i.r) + m.begin, m.reg(i.r) + m.end, limit_of(m, m.index_info(i)));
}

void gather(Machine& m, const Instruction& i) {
  const u32* offset = m.reg(i.a);
  u32* r = m.reg(i.r);
  // Offsets of inactive lanes were never checked.
  for_active(m, [&](u32 l) { r[l] = m.reg(i.b + offset[l])[l]; });
}

void scatter(Machine& m, const Instruction& i) {
  const u32* offset = m.reg(i.a);
  const u32* value = m.reg(i.b);
  for_active(m, [&](u32 l) { m.reg(i.r + offset[l])[l] = value[l]; });
}

}  // namespace driftwood::shader::interpreter
