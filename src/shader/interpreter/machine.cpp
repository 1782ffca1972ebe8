#include "shader/interpreter/machine.h"

#include <algorithm>
#include <cstring>

#include "shader/diagnostics.h"

namespace driftwood::shader::interpreter {
namespace {

/// Lanes are padded to whole vectors of the widest machines.
constexpr std::uint32_t lane_unit = 16;

std::string triple(std::array<std::uint32_t, 3> v) {
  return "(" + std::to_string(v[0]) + ", " + std::to_string(v[1]) + ", " + std::to_string(v[2]) + ")";
}

}  // namespace

Machine::Machine(const Executable& executable, std::vector<MachineMemory> memories)
    : executable_(&executable),
      memories_(std::move(memories)),
      workgroup_memory_(executable.workgroup_bytes_),
      workgroup_written_(executable.options_.check_unwritten && !executable.options_.allow_workgroup_zeroes
                             ? executable.workgroup_bytes_
                             : 0),
      workgroup_cells_(executable.options_.check_races ? executable.workgroup_bytes_ / 4 : 0),
      lanes_(executable.workgroup_size_[0] * executable.workgroup_size_[1] * executable.workgroup_size_[2]),
      stride_((lanes_ + lane_unit - 1) / lane_unit * lane_unit),
      registers_(static_cast<std::size_t>(executable.register_count_) * stride_) {
  const auto first = executable.register_count_ - static_cast<Register>(executable.constants_.size());
  for (std::size_t k = 0; k < executable.constants_.size(); ++k) {
    std::fill_n(reg(first + static_cast<Register>(k)), stride_, executable.constants_[k]);
  }
  memories_.push_back({.data = reinterpret_cast<std::byte*>(workgroup_memory_.data()),
                       .size = workgroup_memory_.size(),
                       .written = workgroup_written_.empty() ? nullptr : workgroup_written_.data(),
                       .cells = workgroup_cells_.empty() ? nullptr : workgroup_cells_.data(),
                       .shift = 2,
                       .origin = 0,
                       .is_workgroup = true});
}

void Machine::mask_changed() {
  const std::uint32_t* lane_mask = mask();
  std::uint32_t active = 0;
  for (std::size_t l = 0; l < stride_; ++l) active += lane_mask[l] & 1;
  none = active == 0;
  if (none) {
    begin = end = 0;
    full = false;
    return;
  }
  begin = 0;
  end = lanes_;
  while (lane_mask[begin] == 0) ++begin;
  while (lane_mask[end - 1] == 0) --end;
  full = active == end - begin;
}

void Machine::run_workgroup(std::array<std::uint32_t, 3> workgroup, std::array<std::uint32_t, 3> workgroups) {
  workgroup_ = workgroup;
  ++storage_clock.now;
  storage_clock.workgroup = storage_clock.now;
  // Workgroup memory begins anew in every workgroup: what came before is another dispatch to it.
  ++workgroup_clock.now;
  workgroup_clock.workgroup = workgroup_clock.dispatch = workgroup_clock.now;
  std::fill(workgroup_memory_.begin(), workgroup_memory_.end(), std::uint8_t{0});
  std::fill(workgroup_written_.begin(), workgroup_written_.end(), std::uint8_t{0});
  std::fill_n(mask(), lanes_, 0xFFFFFFFFU);
  mask_changed();
  set_builtins(workgroups);
  loop_iterations = 0;
  next = 0;
  const Instruction* code = executable_->code_.data();
  const std::size_t size = executable_->code_.size();
  while (next < size) {
    const Instruction& instruction = code[next++];
    instruction.run(*this, instruction);
  }
}

void Machine::set_builtins(std::array<std::uint32_t, 3> workgroups) {
  const auto size = executable_->workgroup_size_;
  for (const auto& builtin : executable_->builtins_) {
    for (std::uint32_t l = 0; l < lanes_; ++l) {
      const std::array<std::uint32_t, 3> local = {l % size[0], l / size[0] % size[1], l / size[0] / size[1]};
      const auto set = [&](const std::array<std::uint32_t, 3>& v) {
        for (Register k = 0; k < 3; ++k) reg(builtin.first + k)[l] = v[k];
      };
      switch (builtin.input) {
        case BuiltinInput::None: break;
        case BuiltinInput::LocalInvocationId: set(local); break;
        case BuiltinInput::LocalInvocationIndex: reg(builtin.first)[l] = l; break;
        case BuiltinInput::GlobalInvocationId:
          set({workgroup_[0] * size[0] + local[0], workgroup_[1] * size[1] + local[1],
               workgroup_[2] * size[2] + local[2]});
          break;
        case BuiltinInput::WorkgroupId: set(workgroup_); break;
        case BuiltinInput::NumWorkgroups: set(workgroups); break;
        case BuiltinInput::SubgroupInvocationId: reg(builtin.first)[l] = l % subgroup_size(); break;
        case BuiltinInput::SubgroupSize: reg(builtin.first)[l] = subgroup_size(); break;
        case BuiltinInput::SubgroupId: reg(builtin.first)[l] = l / subgroup_size(); break;
        case BuiltinInput::NumSubgroups:
          reg(builtin.first)[l] = (lanes_ + subgroup_size() - 1) / subgroup_size();
          break;
      }
    }
  }
}

std::string Machine::invocation_name(std::uint32_t lane) const {
  const auto size = executable_->workgroup_size_;
  return triple({lane % size[0], lane / size[0] % size[1], lane / size[0] / size[1]});
}

void Machine::fail(SanitizerKind kind, SourceRange range, const std::string& message, std::uint32_t lane) {
  const auto size = executable_->workgroup_size_;
  const std::string where =
      message + " Seen in workgroup " + triple(workgroup_) + ", invocation " + invocation_name(lane) + ".";
  throw SanitizerError(kind,
                       format_diagnostic(executable_->sources_, range, "error: " + std::string(to_string(kind)), where),
                       workgroup_, {lane % size[0], lane / size[0] % size[1], lane / size[0] / size[1]});
}

}  // namespace driftwood::shader::interpreter
