// Subgroup operations: a subgroup is a run of subgroup_size invocations in order of local_invocation_index, and only
// its active invocations take part. A shuffle from an invocation that is inactive or outside gives the caller's own
// value, as many devices do; WGSL leaves it open.
#include <algorithm>

#include "base/half.h"
#include "shader/interpreter/handlers.h"
#include "shader/interpreter/lanes.h"

namespace driftwood::shader::interpreter {
namespace {

using u32 = std::uint32_t;
using i32 = std::int32_t;

/// Runs f(first, last) for each subgroup that has lanes in the active range.
template <class F>
void for_subgroups(Machine& m, F f) {
  const u32 size = m.subgroup_size();
  for (u32 first = m.begin / size * size; first < m.end; first += size) f(first, std::min(first + size, m.lanes()));
}

/// Combines the active lanes in order.
template <class T, auto F>
void reduce(Machine& m, const Instruction& i) {
  const u32* a = m.reg(i.a);
  const u32* mask = m.mask();
  u32* r = m.reg(i.r);
  for_subgroups(m, [&](u32 first, u32 last) {
    bool any = false;
    T sum{};
    for (u32 l = first; l < last; ++l) {
      if (mask[l] == 0) continue;
      sum = any ? F(sum, from_word<T>(a[l])) : from_word<T>(a[l]);
      any = true;
    }
    if (any) std::fill(r + first, r + last, to_word(sum));
  });
}

template <class T, auto F, bool Inclusive>
void scan(Machine& m, const Instruction& i) {
  const u32* a = m.reg(i.a);
  const u32* mask = m.mask();
  u32* r = m.reg(i.r);
  for_subgroups(m, [&](u32 first, u32 last) {
    T sum{};
    for (u32 l = first; l < last; ++l) {
      if (mask[l] == 0) continue;
      const T before = sum;
      sum = F(sum, from_word<T>(a[l]));
      r[l] = to_word(Inclusive ? sum : before);
    }
  });
}

/// r = a of the lane that Source(own lane in the subgroup, b) names.
template <auto Source>
void shuffle(Machine& m, const Instruction& i) {
  const u32* a = m.reg(i.a);
  const u32* b = i.b == no_register ? nullptr : m.reg(i.b);
  const u32* mask = m.mask();
  u32* r = m.reg(i.r);
  for_subgroups(m, [&](u32 first, u32 last) {
    for (u32 l = first; l < last; ++l) {
      if (mask[l] == 0) continue;
      const u32 source = Source(l - first, b ? b[l] : 0);
      r[l] = source < last - first && mask[first + source] != 0 ? a[first + source] : a[l];
    }
  });
}

void broadcast_first(Machine& m, const Instruction& i) {
  reduce<u32, [](u32 first, u32) { return first; }>(m, i);
}

void elect(Machine& m, const Instruction& i) {
  const u32* mask = m.mask();
  u32* r = m.reg(i.r);
  for_subgroups(m, [&](u32 first, u32 last) {
    bool found = false;
    for (u32 l = first; l < last; ++l) {
      r[l] = to_word(mask[l] != 0 && !found);
      found = found || mask[l] != 0;
    }
  });
}

inline float half_sum(float a, float b) { return half_to_float(float_to_half(a + b)); }
inline float half_product(float a, float b) { return half_to_float(float_to_half(a * b)); }

template <class T>
Handler arithmetic_handler(Builtin builtin) {
  switch (builtin) {
    case Builtin::SubgroupAdd: return reduce<T, [](T a, T b) { return a + b; }>;
    case Builtin::SubgroupMul: return reduce<T, [](T a, T b) { return a * b; }>;
    case Builtin::SubgroupMax: return reduce<T, [](T a, T b) { return a < b ? b : a; }>;
    case Builtin::SubgroupMin: return reduce<T, [](T a, T b) { return b < a ? b : a; }>;
    case Builtin::SubgroupExclusiveAdd: return scan<T, [](T a, T b) { return a + b; }, false>;
    case Builtin::SubgroupInclusiveAdd: return scan<T, [](T a, T b) { return a + b; }, true>;
    default: return nullptr;
  }
}

Handler half_handler(Builtin builtin) {
  switch (builtin) {
    case Builtin::SubgroupAdd: return reduce<float, [](float a, float b) { return half_sum(a, b); }>;
    case Builtin::SubgroupMul: return reduce<float, [](float a, float b) { return half_product(a, b); }>;
    case Builtin::SubgroupExclusiveAdd: return scan<float, [](float a, float b) { return half_sum(a, b); }, false>;
    case Builtin::SubgroupInclusiveAdd: return scan<float, [](float a, float b) { return half_sum(a, b); }, true>;
    default: return arithmetic_handler<float>(builtin);
  }
}

}  // namespace

Handler subgroup_handler(Builtin builtin, Scalar scalar) {
  switch (builtin) {
    case Builtin::SubgroupAll: return reduce<u32, [](u32 a, u32 b) { return a & b; }>;
    case Builtin::SubgroupAny: return reduce<u32, [](u32 a, u32 b) { return a | b; }>;
    case Builtin::SubgroupElect: return elect;
    case Builtin::SubgroupBroadcastFirst: return broadcast_first;
    case Builtin::SubgroupBroadcast:
    case Builtin::SubgroupShuffle: return shuffle<[](u32, u32 id) { return id; }>;
    case Builtin::SubgroupShuffleXor: return shuffle<[](u32 own, u32 mask) { return own ^ mask; }>;
    case Builtin::SubgroupShuffleUp: return shuffle<[](u32 own, u32 delta) { return own - delta; }>;
    case Builtin::SubgroupShuffleDown: return shuffle<[](u32 own, u32 delta) { return own + delta; }>;
    default: break;
  }
  if (scalar == Scalar::F16) return half_handler(builtin);
  if (scalar == Scalar::F32) return arithmetic_handler<float>(builtin);
  // Sums and products of signed words wrap like unsigned ones; comparisons do not.
  const bool ordered = builtin == Builtin::SubgroupMax || builtin == Builtin::SubgroupMin;
  return ordered && scalar == Scalar::I32 ? arithmetic_handler<i32>(builtin) : arithmetic_handler<u32>(builtin);
}

}  // namespace driftwood::shader::interpreter
