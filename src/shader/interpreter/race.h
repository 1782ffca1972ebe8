// Who touched a word of memory last, in the manner of FastTrack (Flanagan and Freund, PLDI 2009), cut down to what a
// dispatch can order: invocations of one workgroup by barriers, and nothing across workgroups.
//
// Time is a counter that grows at every dispatch, workgroup and barrier, so a stamp alone tells whether an earlier
// access belongs to this dispatch, this workgroup, and the stretch since its last barrier; cells are never cleared.
#pragma once

#include <cstdint>

namespace driftwood::shader::interpreter {

struct RaceClock {
  std::uint64_t dispatch = 0;   // when this dispatch began
  std::uint64_t workgroup = 0;  // when this workgroup began
  std::uint64_t now = 0;        // the last barrier, or the workgroup's beginning
};

/// The other side of a race.
struct RaceConflict {
  bool found = false;
  bool other_wrote = false;
  bool other_workgroup = false;
  std::uint32_t lane = 0;  // many_lanes: several
};

class RaceCell {
 public:
  static constexpr std::uint32_t many_lanes = 0xFFFF;

  RaceConflict read(const RaceClock& clock, std::uint32_t lane, bool atomic) {
    const RaceConflict conflict = against(write_, clock, lane, atomic, true);
    read_ = updated(read_, clock, lane, atomic);
    return conflict;
  }

  RaceConflict write(const RaceClock& clock, std::uint32_t lane, bool atomic) {
    RaceConflict conflict = against(write_, clock, lane, atomic, true);
    if (!conflict.found) conflict = against(read_, clock, lane, atomic, false);
    write_ = updated(write_, clock, lane, atomic);
    return conflict;
  }

 private:
  // An access: stamp << 20 | flags << 16 | lane. "Foreign": another workgroup of this dispatch did it before, too.
  static constexpr std::uint64_t atomic_flag = 1u << 16, foreign_flag = 1u << 17, foreign_atomic_flag = 1u << 18;
  static constexpr std::uint64_t foreign_flags = foreign_flag | foreign_atomic_flag;
  static constexpr int stamp_shift = 20;

  static RaceConflict against(std::uint64_t access, const RaceClock& clock, std::uint32_t lane, bool atomic,
                              bool is_write) {
    const std::uint64_t stamp = access >> stamp_shift;
    if (stamp < clock.dispatch) return {};
    const bool both_atomic = atomic && (access & atomic_flag) != 0;
    const auto other = static_cast<std::uint32_t>(access & 0xFFFF);
    if (stamp < clock.workgroup) {
      if (both_atomic) return {};
      return {true, is_write, true, other};
    }
    if ((access & foreign_flag) != 0 || (!atomic && (access & foreign_atomic_flag) != 0)) {
      return {true, is_write, true, many_lanes};
    }
    if (stamp == clock.now && other != lane && !both_atomic) return {true, is_write, false, other};
    return {};
  }

  static std::uint64_t updated(std::uint64_t access, const RaceClock& clock, std::uint32_t lane, bool atomic) {
    const std::uint64_t stamp = access >> stamp_shift;
    if (stamp == clock.now) {
      if ((access & 0xFFFF) != lane) access |= many_lanes;
      return atomic ? access : access & ~atomic_flag;
    }
    std::uint64_t next = clock.now << stamp_shift | lane | (atomic ? atomic_flag : 0);
    if (stamp >= clock.dispatch) {
      next |= access & foreign_flags;
      if (stamp < clock.workgroup) next |= (access & atomic_flag) != 0 ? foreign_atomic_flag : foreign_flag;
    }
    return next;
  }

  std::uint64_t write_ = 0, read_ = 0;
};

}  // namespace driftwood::shader::interpreter
