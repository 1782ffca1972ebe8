// Structured control flow by masks, and barriers.
#include <algorithm>

#include "shader/interpreter/handlers.h"
#include "shader/interpreter/machine.h"

namespace driftwood::shader::interpreter {
namespace {

using u32 = std::uint32_t;

/// A barrier that not every invocation has reached names one that has and one that has not.
void barrier(Machine& m, const Instruction& i, const char* name) {
  if (!m.options().check_barriers || m.none) return;
  const u32* mask = m.mask();
  const auto* missing = std::find(mask, mask + m.lanes(), 0U);
  if (missing == mask + m.lanes()) return;
  const auto active = static_cast<u32>(std::count_if(mask, mask + m.lanes(), [](u32 x) { return x != 0; }));
  m.fail(SanitizerKind::DivergentBarrier, m.range(i.info),
         std::string(name) + " is reached by " + std::to_string(active) + " of " + std::to_string(m.lanes()) +
             " invocations; invocation " + m.invocation_name(static_cast<u32>(missing - mask)) + " is elsewhere.",
         m.begin);
}

}  // namespace

void jump_if_none(Machine& m, const Instruction& i) {
  if (m.none) m.next = i.target;
}

void if_begin(Machine& m, const Instruction& i) {
  u32* mask = m.mask();
  const u32* condition = m.reg(i.a);
  u32* rest = m.reg(i.r);
#pragma GCC ivdep
  for (u32 l = 0; l < m.padded_lanes(); ++l) {
    rest[l] = mask[l] & ~condition[l];
    mask[l] &= condition[l];
  }
  m.mask_changed();
  jump_if_none(m, i);
}

void if_else(Machine& m, const Instruction& i) {
  std::copy_n(m.mask(), m.padded_lanes(), m.reg(i.r));
  mask_set(m, i);
  jump_if_none(m, i);
}

void mask_join(Machine& m, const Instruction& i) {
  u32* mask = m.mask();
  const u32* a = m.reg(i.a);
#pragma GCC ivdep
  for (u32 l = 0; l < m.padded_lanes(); ++l) mask[l] |= a[l];
  m.mask_changed();
}

void mask_set(Machine& m, const Instruction& i) {
  std::copy_n(m.reg(i.a), m.padded_lanes(), m.mask());
  m.mask_changed();
}

void mask_save(Machine& m, const Instruction& i) { std::copy_n(m.mask(), m.padded_lanes(), m.reg(i.r)); }

void mask_collect(Machine& m, const Instruction& i) {
  const u32* mask = m.mask();
  u32* r = m.reg(i.r);
#pragma GCC ivdep
  for (u32 l = 0; l < m.padded_lanes(); ++l) r[l] |= mask[l];
}

void mask_leave(Machine& m, const Instruction& i) {
  if (i.r != no_register) mask_collect(m, i);
  std::fill_n(m.mask(), m.padded_lanes(), 0U);
  m.mask_changed();
}

void mask_clear(Machine& m, const Instruction& i) { std::fill_n(m.reg(i.r), m.padded_lanes(), 0U); }

void loop_test(Machine& m, const Instruction& i) {
  if (i.a != no_register) {
    u32* mask = m.mask();
    const u32* condition = m.reg(i.a);
    u32* left = m.reg(i.r);
#pragma GCC ivdep
    for (u32 l = 0; l < m.padded_lanes(); ++l) {
      left[l] |= mask[l] & ~condition[l];
      mask[l] &= condition[l];
    }
    m.mask_changed();
  }
  jump_if_none(m, i);
}

void loop_back(Machine& m, const Instruction& i) {
  if (m.none) return;
  if (++m.loop_iterations > m.options().max_loop_iterations) {
    m.fail(SanitizerKind::RunawayLoop, m.range(i.info),
           "The workgroup runs through more than " + std::to_string(m.options().max_loop_iterations) +
               " loop iterations and is still in this loop.",
           m.begin);
  }
  m.next = i.target;
}

void case_begin(Machine& m, const Instruction& i) {
  u32* mask = m.mask();
  const u32* matching = m.reg(i.a);
  u32* rest = m.reg(i.b);
#pragma GCC ivdep
  for (u32 l = 0; l < m.padded_lanes(); ++l) {
    mask[l] = rest[l] & matching[l];
    rest[l] &= ~matching[l];
  }
  m.mask_changed();
  jump_if_none(m, i);
}

void workgroup_barrier(Machine& m, const Instruction& i) {
  barrier(m, i, "workgroupBarrier");
  ++m.workgroup_clock.now;
}

void storage_barrier(Machine& m, const Instruction& i) {
  barrier(m, i, "storageBarrier");
  ++m.storage_clock.now;
}

}  // namespace driftwood::shader::interpreter
