// Checks of one access to memory: was it written, and does it race.
#pragma once

#include <cstdint>
#include <cstring>

#include "shader/interpreter/machine.h"

namespace driftwood::shader::interpreter {

enum class AccessMode : std::uint8_t { Read, Write, AtomicRead, AtomicWrite };

[[noreturn]] void fail_unwritten(Machine& m, const AccessInfo& info, std::uint64_t at, std::uint32_t lane);
[[noreturn]] void fail_race(Machine& m, const AccessInfo& info, std::uint64_t at, std::uint32_t lane, AccessMode mode,
                            const RaceConflict& conflict);

inline void check_written(Machine& m, const AccessInfo& info, const MachineMemory& memory, std::uint64_t at,
                          std::uint64_t size, std::uint32_t lane) {
  const std::uint8_t* written = memory.written + at;
  std::uint64_t k = 0;
  for (; k + 4 <= size; k += 4) {
    std::uint32_t word;
    std::memcpy(&word, written + k, 4);
    if (word != 0x01010101U) fail_unwritten(m, info, at + k, lane);
  }
  for (; k < size; ++k) {
    if (written[k] == 0) fail_unwritten(m, info, at + k, lane);
  }
}

inline void check_race(Machine& m, const AccessInfo& info, MachineMemory& memory, std::uint64_t at, std::uint64_t size,
                       std::uint32_t lane, AccessMode mode) {
  const RaceClock& clock = m.clock(memory);
  const bool atomic = mode == AccessMode::AtomicRead || mode == AccessMode::AtomicWrite;
  const bool is_write = mode == AccessMode::Write || mode == AccessMode::AtomicWrite;
  const std::uint64_t first = (memory.origin + at) >> memory.shift;
  const std::uint64_t last = (memory.origin + at + size - 1) >> memory.shift;
  for (std::uint64_t cell = first; cell <= last; ++cell) {
    const RaceConflict conflict =
        is_write ? memory.cells[cell].write(clock, lane, atomic) : memory.cells[cell].read(clock, lane, atomic);
    if (conflict.found) fail_race(m, info, (cell << memory.shift) - memory.origin, lane, mode, conflict);
  }
}

}  // namespace driftwood::shader::interpreter
