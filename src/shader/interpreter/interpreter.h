// Runs kernels over memory: the reference that every device is held to, and a sanitizer.
//
//   Executable executable(module, {});                       // a checked, virtualised module
//   Interpreter interpreter;
//   interpreter.run(executable, bindings, {4, 1, 1});     // throws SanitizerError where the kernel is at fault
//
// One workgroup runs after the other, in order of x, y, z; its invocations run in lockstep, one operation at a time
// for all of them, so that what a barrier orders is exact and a race is seen whether or not it does harm this time.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "shader/interpreter/checked_memory.h"
#include "shader/interpreter/executable.h"
#include "shader/interpreter/sanitizer_error.h"

namespace driftwood::shader {

class Interpreter {
 public:
  /// `bindings` has one memory for each resource of the kernel. Throws InvalidInput where they do not fit the
  /// kernel, SanitizerError where the kernel is at fault. Memory that one interpreter's dispatches have raced on must
  /// stay with it: the race check counts time by it.
  void run(const Executable& executable, std::span<const BoundMemory> bindings,
           std::array<std::uint32_t, 3> workgroups);

 private:
  std::uint64_t time_ = 0;
};

}  // namespace driftwood::shader
