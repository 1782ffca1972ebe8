// Metal's own part of the emitter. MSL is C++14 with address spaces: vectors of bool are vectors of bool, constructors
// take the place of casts, and an invocation's place in the grid comes as an argument of the kernel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "shader/c_family/printer.h"
#include "shader/emit_metal.h"

namespace driftwood::shader::metal {

class Printer : public c_family::Printer {
 public:
  Printer(const Module& module, const MetalDialect& dialect);
  std::string print();

 private:
  // names.cpp, types.cpp
  std::string_view language() const override { return "Metal"; }
  bool is_taken_name(std::string_view name) const override;
  std::string_view space_qualifier(AddressSpace space) const override;
  Code vector_value(const std::string& type, const std::string& parts) const override;
  Code aggregate_value(const std::string& type, const std::string& braces) const override;
  std::string_view zero_braces() const override { return "{}"; }
  std::string reinterpreter(const std::string& type) const override { return "as_type<" + type + ">"; }
  std::string least_int() const override { return "int(0x80000000u)"; }
  bool has_masks() const override { return false; }
  bool indexes_vectors() const override { return true; }
  std::string in_braces(const Expression& expression) override;
  bool masks_shift(const Expression& amount) const override;
  std::string atomic_name(Scalar scalar) const override;
  std::string struct_definition(const std::string& name, const std::string& members) const override;
  std::string resource_declaration(const Resource& resource) const override;
  void require_no_wide_vectors() const;

  // conversions.cpp
  Code convert_code(const Code& code, const TypePtr& from, const TypePtr& to) override;
  Code bitcast(const Code& code, const TypePtr& from, const TypePtr& to) override;
  /// Floats to integers, those out of range to the nearest there is; NaN gives 0.
  std::string saturating_conversion(const TypePtr& from, const TypePtr& to);

  // builtins.cpp
  Code numeric_builtin(const Expression& expression, const BuiltinCall& node) override;
  // bits.cpp
  Code bit_builtin(const Expression& expression, const BuiltinCall& node) override;
  Code packing_builtin(const Expression& expression, const BuiltinCall& node) override;
  Code dot_accumulate(const BuiltinCall& dot, const std::string& addend) override;
  // synchronization.cpp, subgroups.cpp, matrices.cpp
  Code synchronization_builtin(const Expression& expression, const BuiltinCall& node) override;
  Code subgroup_builtin(const Expression& expression, const BuiltinCall& node) override;
  Code matrix_builtin(const Expression& expression, const BuiltinCall& node) override;
  std::string matrix_name(const MatrixType& matrix) const override;
  std::string zero_matrix(const TypePtr& type) override;
  std::string require_matrix_type(Scalar scalar);
  Code load_matrix(const BuiltinCall& node, Scalar scalar);
  Code store_matrix(const BuiltinCall& node);

  // objects.cpp
  Code object_load(const Expression& expression, const ObjectLoad& node) override;
  std::string object_store(const ObjectStore& node) override;
  std::string coordinates(const Resource& object, const std::vector<ExpressionPtr>& list);
  Code narrowed(const Code& stored, const TypePtr& from, const Resource& object);

  // functions.cpp
  std::string workgroup_barrier() const override { return "threadgroup_barrier(mem_flags::mem_threadgroup)"; }
  std::string workgroup_index() const override { return index_name_; }
  std::string store_zero(const std::string& place, const TypePtr& type) const override;
  void entry_point(const Function& function);
  std::vector<std::string> kernel_parameters();

  const MetalDialect dialect_;
  std::string index_name_;  // of the argument that numbers the invocations of a workgroup
};

}  // namespace driftwood::shader::metal
