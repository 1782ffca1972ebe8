// What instructions work on: the registers of one workgroup, its active invocations and the bound memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shader/interpreter/checked_memory.h"
#include "shader/interpreter/executable.h"
#include "shader/interpreter/instruction.h"
#include "shader/interpreter/race.h"
#include "shader/interpreter/sanitizer_error.h"

namespace driftwood::shader::interpreter {

/// Bound memory as instructions see it.
struct MachineMemory {
  std::byte* data = nullptr;
  std::uint64_t size = 0;
  std::uint8_t* written = nullptr;  // null: not checked
  RaceCell* cells = nullptr;        // null: not checked; of bytes [k << shift, (k + 1) << shift) from `origin`
  int shift = 2;
  std::uint64_t origin = 0;
  bool is_workgroup = false;
};

class Machine {
 public:
  Machine(const Executable& executable, std::vector<MachineMemory> memories);

  /// Runs one workgroup from start to end.
  void run_workgroup(std::array<std::uint32_t, 3> workgroup, std::array<std::uint32_t, 3> workgroups);

  // ---- for instructions ----

  std::uint32_t* reg(Register r) { return registers_.data() + static_cast<std::size_t>(r) * stride_; }
  std::uint32_t* mask() { return registers_.data(); }

  /// After the mask changed: finds the range of active invocations again.
  void mask_changed();

  /// Throws the SanitizerError that names `range` and the invocation `lane`.
  [[noreturn]] void fail(SanitizerKind kind, SourceRange range, const std::string& message, std::uint32_t lane);
  std::string invocation_name(std::uint32_t lane) const;

  const Executable& executable() const { return *executable_; }
  const IndexInfo& index_info(const Instruction& i) const { return executable_->indices_[i.info]; }
  const AccessInfo& access_info(const Instruction& i) const { return executable_->accesses_[i.info]; }
  const MatrixInfo& matrix_info(const Instruction& i) const { return executable_->matrices_[i.info]; }
  SourceRange range(std::uint32_t at) const { return executable_->ranges_[at]; }
  const Register* operands(std::uint32_t at) const { return executable_->operands_.data() + at; }
  MachineMemory& memory(std::uint32_t slot) { return memories_[slot]; }
  RaceClock& clock(const MachineMemory& memory) { return memory.is_workgroup ? workgroup_clock : storage_clock; }
  std::uint32_t subgroup_size() const { return executable_->options_.subgroup_size; }
  const InterpreterOptions& options() const { return executable_->options_; }
  std::uint32_t lanes() const { return lanes_; }
  std::uint32_t padded_lanes() const { return static_cast<std::uint32_t>(stride_); }

  // Instructions work on lanes [begin, end), which hold all active ones.
  std::uint32_t begin = 0, end = 0;
  bool full = false;  // every lane in [begin, end) is active
  bool none = true;   // no lane is active
  std::size_t next = 0;
  std::uint64_t loop_iterations = 0;
  RaceClock storage_clock, workgroup_clock;

 private:
  void set_builtins(std::array<std::uint32_t, 3> workgroups);

  const Executable* executable_;
  std::vector<MachineMemory> memories_;
  std::vector<std::uint8_t> workgroup_memory_, workgroup_written_;
  std::vector<RaceCell> workgroup_cells_;
  std::uint32_t lanes_;
  std::size_t stride_;
  std::vector<std::uint32_t> registers_;
  std::array<std::uint32_t, 3> workgroup_ = {0, 0, 0};
};

/// Runs `f(lane)` for every active lane.
template <class F>
inline void for_active(Machine& m, F f) {
  if (m.full) {
    for (std::uint32_t l = m.begin; l < m.end; ++l) f(l);
  } else {
    const std::uint32_t* mask = m.mask();
    for (std::uint32_t l = m.begin; l < m.end; ++l) {
      if (mask[l] != 0) f(l);
    }
  }
}

}  // namespace driftwood::shader::interpreter
