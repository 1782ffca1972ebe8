#include "shader/interpreter/interpreter.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "shader/interpreter/machine.h"

namespace driftwood::shader {
namespace {

using interpreter::MachineMemory;

void check_bindings(const Executable& executable, std::span<const BoundMemory> bindings) {
  const auto& resources = executable.resources();
  if (bindings.size() != resources.size()) {
    throw InvalidInput("The kernel '" + executable.name() + "' takes " + std::to_string(resources.size()) +
                       " bindings and is given " + std::to_string(bindings.size()) + ".");
  }
  for (std::size_t k = 0; k < bindings.size(); ++k) {
    const BoundMemory& bound = bindings[k];
    const std::string where = "'" + resources[k].name + "' of the kernel '" + executable.name() + "'";
    if (!bound.memory) throw InvalidInput("Nothing is bound to " + where + ".");
    if (bound.offset % 4 != 0) {
      throw InvalidInput("The offset " + std::to_string(bound.offset) + " of " + where + " is no multiple of 4.");
    }
    if (bound.offset > bound.memory->size() || bound.size > bound.memory->size() - bound.offset) {
      throw InvalidInput("The range of " + std::to_string(bound.size) + " bytes at " + std::to_string(bound.offset) +
                         " bound to " + where + " passes the end of a memory of " +
                         std::to_string(bound.memory->size()) + " bytes.");
    }
    if (bound.size < resources[k].min_bytes) {
      throw InvalidInput("The " + std::to_string(bound.size) + " bytes bound to " + where + " are less than the " +
                         std::to_string(resources[k].min_bytes) + " it needs.");
    }
  }
}

/// Memory that something in this dispatch may write is watched for races, through whatever it is read.
std::vector<MachineMemory> machine_memories(const Executable& executable, std::span<const BoundMemory> bindings) {
  const auto& resources = executable.resources();
  const InterpreterOptions& options = executable.options();
  std::vector<MachineMemory> memories;
  for (const BoundMemory& bound : bindings) {
    bool is_written = false;
    bool has_halves = false;
    for (std::size_t k = 0; k < bindings.size(); ++k) {
      if (bindings[k].memory != bound.memory) continue;
      is_written |= resources[k].access != Access::Read;
      has_halves |= resources[k].has_halves;
    }
    MachineMemory memory;
    memory.data = bound.memory->data() + bound.offset;
    memory.size = std::min<std::uint64_t>(bound.size, 0xFFFFFFFFU);
    memory.origin = bound.offset;
    if (options.check_unwritten && bound.memory->written()) memory.written = bound.memory->written() + bound.offset;
    if (options.check_races && is_written) {
      memory.cells = bound.memory->race_cells(has_halves ? 1 : 2);
      memory.shift = bound.memory->race_shift();
    }
    memories.push_back(memory);
  }
  return memories;
}

}  // namespace

void Interpreter::run(const Executable& executable, std::span<const BoundMemory> bindings,
                      std::array<std::uint32_t, 3> workgroups) {
  check_bindings(executable, bindings);
  interpreter::Machine machine(executable, machine_memories(executable, bindings));
  machine.storage_clock.now = machine.workgroup_clock.now = ++time_;
  machine.storage_clock.dispatch = time_;
  try {
    for (std::uint32_t z = 0; z < workgroups[2]; ++z) {
      for (std::uint32_t y = 0; y < workgroups[1]; ++y) {
        for (std::uint32_t x = 0; x < workgroups[0]; ++x) machine.run_workgroup({x, y, z}, workgroups);
      }
    }
  } catch (...) {
    time_ = machine.storage_clock.now;
    throw;
  }
  time_ = machine.storage_clock.now;
}

}  // namespace driftwood::shader
