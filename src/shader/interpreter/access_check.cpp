#include "shader/interpreter/access_check.h"

#include <string>

namespace driftwood::shader::interpreter {
namespace {

/// Workgroup memory is counted in words, since its layout in bytes is the interpreter's own.
std::string place(const MachineMemory& memory, const AccessInfo& info, std::uint64_t at) {
  if (memory.is_workgroup)
    return "word " + std::to_string((at - info.base % 4) / 4) + " of workgroup memory, in " + info.of;
  return "byte " + std::to_string(at) + " of " + std::to_string(memory.size) + " of " + info.of;
}

}  // namespace

void fail_unwritten(Machine& m, const AccessInfo& info, std::uint64_t at, std::uint32_t lane) {
  m.fail(SanitizerKind::UnwrittenRead, info.range,
         "The kernel reads " + place(m.memory(info.slot), info, at) + ", which nothing has written.", lane);
}

void fail_race(Machine& m, const AccessInfo& info, std::uint64_t at, std::uint32_t lane, AccessMode mode,
               const RaceConflict& conflict) {
  const MachineMemory& memory = m.memory(info.slot);
  std::string message = "Invocation " + m.invocation_name(lane);
  message += mode == AccessMode::Read         ? " reads "
             : mode == AccessMode::Write      ? " writes "
             : mode == AccessMode::AtomicRead ? " atomically reads "
                                              : " atomically changes ";
  message += place(memory, info, at) + ", which ";
  if (conflict.other_workgroup) {
    message += "another workgroup";
  } else if (conflict.lane == RaceCell::many_lanes) {
    message += "other invocations";
  } else {
    message += "invocation " + m.invocation_name(conflict.lane);
  }
  message += conflict.other_wrote ? " wrote" : " read";
  if (conflict.other_workgroup) {
    message += " in the same dispatch; nothing orders workgroups.";
  } else {
    message += memory.is_workgroup ? " with no workgroupBarrier between." : " with no storageBarrier between.";
  }
  m.fail(SanitizerKind::DataRace, info.range, message, lane);
}

}  // namespace driftwood::shader::interpreter
