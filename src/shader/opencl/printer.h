// OpenCL C's own part of the emitter. Booleans: a scalar is bool; a vector of bool is OpenCL's mask, a vector of int
// with 0 and -1.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shader/c_family/printer.h"
#include "shader/emit_opencl.h"

namespace driftwood::shader::opencl {

class Printer : public c_family::Printer {
 public:
  Printer(const Module& module, const OpenClDialect& dialect);
  std::string print();
  // body.cpp
  static bool has_body(const Module& module, const OpenClDialect& dialect);
  OpenClBody print_body();

 private:
  // names.cpp, types.cpp
  std::string_view language() const override { return "OpenCL C"; }
  bool is_taken_name(std::string_view name) const override;
  std::string_view space_qualifier(AddressSpace space) const override;
  Code vector_value(const std::string& type, const std::string& parts) const override;
  Code aggregate_value(const std::string& type, const std::string& braces) const override;
  std::string_view zero_braces() const override { return "{0}"; }
  std::string reinterpreter(const std::string& type) const override { return "as_" + type; }
  std::string least_int() const override { return "INT_MIN"; }
  bool has_masks() const override { return true; }
  bool indexes_vectors() const override { return false; }
  std::string atomic_name(Scalar scalar) const override;
  std::string matrix_name(const MatrixType& matrix) const override;
  std::string zero_matrix(const TypePtr& type) override;
  std::string struct_definition(const std::string& name, const std::string& members) const override;
  std::string resource_declaration(const Resource& resource) const override;
  /// "__global const ".
  std::string buffer_qualifiers(const Resource& resource) const;
  /// A resource that is no image as a pointer called `declared`, or the pointer's type.
  std::string buffer_pointer(const Resource& resource, const std::string& declared) const;
  bool holds_half_vectors(const Resource& resource) const;
  bool is_memory_half(const TypePtr& type) const override;

  // linear_index.cpp
  Code element(const std::string& array, const Expression& index, AddressSpace space) override;
  Code weights_words(const Expression& call) override;
  struct LinearForm;
  bool makes_linear(const Expression& index, LinearForm& form);
  bool add_linear(const Expression& expression, std::uint32_t factor, LinearForm& form);
  void find_lets();

  // arithmetic.cpp
  Code binary(const Expression& expression, const Binary& node) override;
  Code compare(const Expression& expression, const Binary& node) override;
  Code float_remainder(const Expression& expression, const Binary& node) override;
  Code convert_code(const Code& code, const TypePtr& from, const TypePtr& to) override;
  Code bitcast(const Code& code, const TypePtr& from, const TypePtr& to) override;
  Code bitcast_value(const Expression& expression, const Bitcast& node) override;

  // builtins.cpp
  Code builtin(const Expression& expression, const BuiltinCall& node) override;
  Code numeric_builtin(const Expression& expression, const BuiltinCall& node) override;
  std::string select_mask(const TypePtr& type, const Expression& condition) override;
  // halves.cpp: what the dialect lacks for halves, done in float.
  bool lacks_half(const TypePtr& type) const;
  Code half_builtin(const Expression& expression, const BuiltinCall& node);
  std::string quantize_helper(const TypePtr& type);
  Code half_conversion(const Code& code, const TypePtr& from, const TypePtr& to);
  Code half_bitcast(const Code& code, const TypePtr& from, const TypePtr& to);
  // builtins_bits.cpp
  Code bit_builtin(const Expression& expression, const BuiltinCall& node) override;
  Code packing_builtin(const Expression& expression, const BuiltinCall& node) override;
  std::string pack_helper();    // two floats to two halves in a word
  std::string unpack_helper();  // and back
  std::string pack_four_helper();
  std::string unpack_four_helper();
  std::string packed_dot_helper(bool is_signed);
  std::string mixed_dot_helper(int width);
  /// Whether a dot product is the one instruction that dialect_.wide_dot speaks of.
  bool is_wide_dot(const BuiltinCall& node) const;
  /// a + dot4I8Packed(b, c) as one call where the dialect has it.
  const BuiltinCall* accumulating_dot(const Expression& sum) const override;
  Code dot_accumulate(const BuiltinCall& dot, const std::string& addend) override;
  // synchronization.cpp, subgroups.cpp
  Code synchronization_builtin(const Expression& expression, const BuiltinCall& node) override;
  Code subgroup_builtin(const Expression& expression, const BuiltinCall& node) override;
  std::string direct_subgroup_function(Builtin builtin) const;
  std::string composed(Builtin builtin, const std::string& type) const;
  std::string subgroup_helper(Builtin builtin, const TypePtr& type);
  std::uint32_t ptx_subgroup_size() const;
  // matrices.cpp
  Code matrix_builtin(const Expression& expression, const BuiltinCall& node) override;
  Code load_operand(const BuiltinCall& node, MatrixRole role);
  Code load_result(const BuiltinCall& node);
  Code store_result(const BuiltinCall& node);

  // pipeline.cpp
  Code pipeline_builtin(const Expression& expression, const BuiltinCall& node) override;
  std::string barrier_of_pipeline();
  Code multiply_workgroup(const BuiltinCall& node);
  std::string stage_helper(Builtin builtin, std::uint32_t stages);
  // packed_halves.cpp
  std::optional<Code> packed_halves(const Expression& expression);

  // objects.cpp
  Code object_load(const Expression& expression, const ObjectLoad& node) override;
  std::string object_store(const ObjectStore& node) override;
  std::string coordinates(const Resource& object, const std::vector<ExpressionPtr>& list);
  std::string half_load(const Expression& reference) override;
  std::string half_store(const Expression& target, const Expression& value) override;

  // functions.cpp
  void before_function() override;
  std::string workgroup_barrier() const override { return "barrier(CLK_LOCAL_MEM_FENCE)"; }
  std::string workgroup_index() const override;
  void entry_point(const Function& function);
  std::vector<std::string> kernel_head(const Function& function);
  void separate_entry_point(const Function& function);
  std::string builtin_input(const Variable& parameter) const;
  std::string assembled() const;
  // body.cpp
  bool waits_for_nothing(const Statement& statement);
  void body_memory(const Function& function, OpenClBody& body);

  const OpenClDialect dialect_;
  bool is_body_ = false;                               // what is printed is a body, not a kernel
  std::map<const Variable*, const Expression*> lets_;  // what an index may look through
  bool uses_wide_dot_;                                 // dialect_.wide_dot, where the module can and does
};

}  // namespace driftwood::shader::opencl
