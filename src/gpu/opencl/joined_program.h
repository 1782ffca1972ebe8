// Several kernels as one: a program whose workgroups stay, and go through a table of stages. A stage is a dispatch; its
// workgroups are spread over those that stay, and before the first thing that an earlier stage may have written is
// read, all workgroups of the stage before have arrived at a barrier in global memory. A kernel's first loads of
// weights come before that wait.
//
// Such a barrier needs every workgroup that is launched to be running: how many may be is found by running the program
// itself (JoinedRecording). Every wait gives up after a number of looks, and then the program says so in a word of
// memory, ends early, and does nothing when it is launched again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shader/emit_opencl.h"

namespace driftwood::gpu::opencl {

/// The words of a stage in the table.
struct StageLayout {
  static constexpr std::size_t body = 0, grid = 1, awaited = 4, workers = 5, groups = 6, arguments = 8;
  /// As `body`: no kernel, the first invocation of each workgroup waits.
  static constexpr std::uint32_t only_wait = 0xFFFFFFFF;
  std::size_t pointers = 0;  // of two words each, from `arguments`
  std::size_t lengths = 0;   // of a word each, behind the pointers
  std::size_t words() const { return (arguments + 2 * pointers + lengths + 3) / 4 * 4; }
  std::size_t length(std::size_t index) const { return arguments + 2 * pointers + index; }
};

struct JoinedProgram {
  std::string source;
  StageLayout layout;
  std::uint32_t workgroup_size = 1;  // of the kernel `run_stages`
};

/// Words between the counters of two stages, so that each has a line of memory.
inline constexpr std::size_t counter_words = 8;

/// How the workgroups of a body that are smaller than the program's run in it.
struct JoinedDialect {
  bool ptx = false;  // side by side, with barriers of their own; without, all bodies have workgroups of one size
};

/// Whether these bodies can be one program in this dialect.
bool can_join(std::span<const shader::OpenClBody* const> bodies, const JoinedDialect& dialect);

/// `__kernel void run_stages(table, stages, counters, spare counters, words of either, fault, looks)`: the counters are
/// zero, and the spare ones are made so; fault is one word, 0; a wait gives up after so many looks at a counter.
JoinedProgram join(std::span<const shader::OpenClBody* const> bodies, const JoinedDialect& dialect);

}  // namespace driftwood::gpu::opencl
