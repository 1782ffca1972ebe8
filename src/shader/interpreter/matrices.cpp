// Matrices of subgroups: component (row, column) is number row * 16 + column and lies in register number / 32 of lane
// number % 32. Devices spread them in ways of their own; nothing in the language shows which.
#include <algorithm>
#include <array>

#include "base/half.h"
#include "shader/interpreter/access_check.h"
#include "shader/interpreter/handlers.h"
#include "shader/interpreter/lanes.h"

namespace driftwood::shader::interpreter {
namespace {

using u32 = std::uint32_t;
using Matrix = std::array<float, std::size_t{matrix_extent} * matrix_extent>;

/// The lane in its subgroup and the register that hold a component.
constexpr u32 lane_of(u32 number) { return number % matrix_subgroup_size; }
constexpr u32 register_of(u32 number) { return number / matrix_subgroup_size; }

/// Runs f(first lane) for each subgroup that is here, which must be here as a whole.
template <class F>
void for_whole_subgroups(Machine& m, const std::string& what, SourceRange range, F f) {
  const u32* mask = m.mask();
  for (u32 first = m.begin / matrix_subgroup_size * matrix_subgroup_size; first < m.end;
       first += matrix_subgroup_size) {
    const u32 last = std::min(first + matrix_subgroup_size, m.lanes());
    const auto active = static_cast<u32>(std::count_if(mask + first, mask + last, [](u32 x) { return x != 0; }));
    if (active == 0) continue;
    if (m.options().check_barriers && active < matrix_subgroup_size) {
      const auto here = static_cast<u32>(std::find_if(mask + first, mask + last, [](u32 x) { return x != 0; }) - mask);
      m.fail(SanitizerKind::DivergentMatrix, range,
             what + " is reached by " + std::to_string(active) + " of the " + std::to_string(matrix_subgroup_size) +
                 " invocations of a subgroup.",
             here);
    }
    f(first, last);
  }
}

/// The value that a register has in all lanes of the subgroup.
u32 uniform(Machine& m, const MatrixInfo& info, Register value, const char* what, u32 first, u32 last) {
  if (value == no_register) return 0;
  const u32* values = m.reg(value);
  const auto* other = std::find_if(values + first, values + last, [&](u32 x) { return x != values[first]; });
  if (m.options().check_barriers && other != values + last) {
    m.fail(SanitizerKind::DivergentMatrix, info.access.range,
           std::string("The ") + what + " of " + info.builtin + " differs within a subgroup: it is " +
               std::to_string(values[first]) + " and, here, " + std::to_string(*other) + ".",
           static_cast<u32>(other - values));
  }
  return values[first];
}

/// Where the components of one subgroup's matrix lie.
class Placement {
 public:
  Placement(Machine& m, const Instruction& i, u32 first, u32 last) : info_(m.matrix_info(i)) {
    const u32 offset = uniform(m, info_, i.a, "offset", first, last);
    const u32 stride = uniform(m, info_, i.b, "stride", first, last);
    address_ = info_.access.base + uniform(m, info_, i.c, "array", first, last);
    for (const auto& [value, what] : {std::pair(offset, "offset"), std::pair(stride, "stride")}) {
      if (value % matrix_alignment == 0 || !m.options().check_bounds) continue;
      m.fail(SanitizerKind::MisalignedMatrix, info_.access.range,
             std::string("The ") + what + " " + std::to_string(value) + " of " + info_.builtin + " is no multiple of " +
                 std::to_string(matrix_alignment) + ".",
             first);
    }
    const std::uint64_t end = offset + std::uint64_t{stride} * (matrix_extent - 1) + matrix_extent;
    if (end > info_.access.count) {
      if (m.options().check_bounds) {
        m.fail(SanitizerKind::OutOfBounds, info_.access.range,
               "The matrix at offset " + std::to_string(offset) + " with stride " + std::to_string(stride) +
                   " ends at component " + std::to_string(end) + " of " + info_.access.of + "; it has " +
                   std::to_string(info_.access.count) + ".",
               first);
      }
      clamped_ = true;
    }
    offset_ = clamped_ ? 0 : offset;
    stride_ = clamped_ ? 0 : stride;
  }

  /// The component's place in the array, counted in components.
  u32 component(u32 number) const {
    const u32 row = number / matrix_extent, column = number % matrix_extent;
    const u32 at = info_.column_major ? offset_ + column * stride_ + row : offset_ + row * stride_ + column;
    return std::min(at, info_.access.count - 1);
  }
  /// Its word in workgroup memory, in bytes.
  std::uint64_t address(u32 number) const {
    const u32 at = component(number);
    return address_ + std::uint64_t{4} * (info_.packs_halves ? at / 2 : at);
  }

 private:
  const MatrixInfo& info_;
  u32 offset_ = 0, stride_ = 0;
  std::uint64_t address_ = 0;
  bool clamped_ = false;  // without bounds checks: a matrix outside is read from the beginning
};

void check(Machine& m, const MatrixInfo& info, std::uint64_t at, u32 lane, AccessMode mode) {
  MachineMemory& memory = m.memory(info.access.slot);
  if (memory.written && mode == AccessMode::Read) check_written(m, info.access, memory, at, 4, lane);
  if (memory.cells) check_race(m, info.access, memory, at, 4, lane, mode);
  if (memory.written && mode == AccessMode::Write) std::memset(memory.written + at, 1, 4);
}

Matrix gathered(Machine& m, const Register* registers, u32 first) {
  Matrix matrix;
  for (u32 k = 0; k < matrix.size(); ++k)
    matrix[k] = from_word<float>(m.reg(registers[register_of(k)])[first + lane_of(k)]);
  return matrix;
}

}  // namespace

void load_matrix(Machine& m, const Instruction& i) {
  const MatrixInfo& info = m.matrix_info(i);
  for_whole_subgroups(m, info.builtin, info.access.range, [&](u32 first, u32 last) {
    const Placement placement(m, i, first, last);
    const MachineMemory& memory = m.memory(info.access.slot);
    for (u32 k = 0; k < matrix_extent * matrix_extent; ++k) {
      const std::uint64_t at = placement.address(k);
      const u32 lane = first + lane_of(k);
      check(m, info, at, lane, AccessMode::Read);
      u32 word;
      std::memcpy(&word, memory.data + at, 4);
      if (info.packs_halves) {
        const auto bits = static_cast<std::uint16_t>(placement.component(k) % 2 == 0 ? word : word >> 16);
        word = to_word(half_to_float(bits));
      }
      m.reg(i.r + register_of(k))[lane] = word;
    }
  });
}

void store_matrix(Machine& m, const Instruction& i) {
  const MatrixInfo& info = m.matrix_info(i);
  const Register* sources = m.operands(i.target);
  for_whole_subgroups(m, info.builtin, info.access.range, [&](u32 first, u32 last) {
    const Placement placement(m, i, first, last);
    const MachineMemory& memory = m.memory(info.access.slot);
    for (u32 k = 0; k < matrix_extent * matrix_extent; ++k) {
      const std::uint64_t at = placement.address(k);
      const u32 lane = first + lane_of(k);
      check(m, info, at, lane, AccessMode::Write);
      std::memcpy(memory.data + at, m.reg(sources[register_of(k)]) + lane, 4);
    }
  });
}

void multiply_matrices(Machine& m, const Instruction& i) {
  const Register* operands = m.operands(i.target);
  for_whole_subgroups(m, "subgroupMatrixMultiplyAccumulate", m.range(i.info), [&](u32 first, u32) {
    const Matrix left = gathered(m, operands, first);
    const Matrix right = gathered(m, operands + matrix_components, first);
    Matrix sum = gathered(m, operands + 2 * std::size_t{matrix_components}, first);
    // The product of two halves is exact in f32.
    for (u32 row = 0; row < matrix_extent; ++row) {
      for (u32 k = 0; k < matrix_extent; ++k) {
        const float scale = left[row * matrix_extent + k];
        for (u32 column = 0; column < matrix_extent; ++column) {
          sum[row * matrix_extent + column] += scale * right[k * matrix_extent + column];
        }
      }
    }
    for (u32 k = 0; k < sum.size(); ++k) m.reg(i.r + register_of(k))[first + lane_of(k)] = to_word(sum[k]);
  });
}

}  // namespace driftwood::shader::interpreter
