// A kernel lowered for the interpreter. It stands alone: the module it came from may go.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "shader/interpreter/instruction.h"
#include "shader/interpreter/options.h"
#include "shader/ir.h"

namespace driftwood::shader {

/// What must be bound to a resource of a program.
struct ExecutableResource {
  std::string name;
  Access access = Access::Read;
  bool is_object = false;
  StorageKind storage = StorageKind::Buffer;        // objects
  DataType texel = DataType::F32;                   // objects
  std::array<std::uint32_t, 3> extent = {1, 1, 1};  // objects, in texels
  std::uint64_t min_bytes = 0;                      // the least that must be bound
  bool has_halves = false;                          // single f16 values lie in it, two to a word
};

class Executable {
 public:
  /// Throws InternalError where the module is not virtualised, Unsupported where it is larger than the interpreter
  /// takes.
  Executable(const Module& module, const InterpreterOptions& options);

  const std::string& name() const { return name_; }
  const std::vector<ExecutableResource>& resources() const { return resources_; }
  std::array<std::uint32_t, 3> workgroup_size() const { return workgroup_size_; }
  const InterpreterOptions& options() const { return options_; }

 private:
  friend class interpreter::Machine;
  friend class Interpreter;
  friend class interpreter::Lowering;

  struct BuiltinRegister {
    BuiltinInput input;
    interpreter::Register first;
  };

  std::string name_;
  SourceFiles sources_;
  InterpreterOptions options_;
  std::vector<ExecutableResource> resources_;
  std::array<std::uint32_t, 3> workgroup_size_ = {1, 1, 1};
  std::uint32_t workgroup_bytes_ = 0;  // as the interpreter lays it out: a word for each scalar
  std::vector<interpreter::Instruction> code_;
  std::vector<interpreter::IndexInfo> indices_;
  std::vector<interpreter::AccessInfo> accesses_;
  std::vector<interpreter::MatrixInfo> matrices_;
  std::vector<SourceRange> ranges_;
  std::vector<interpreter::Register> operands_;  // lists that instructions refer to
  std::vector<BuiltinRegister> builtins_;
  std::vector<std::uint32_t> constants_;  // the last registers
  std::uint32_t register_count_ = 0;      // constants included
};

}  // namespace driftwood::shader
