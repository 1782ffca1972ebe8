// The WGSL emitter's parts. One Printer holds what they share while a module is printed.
//
// The kernel language is WGSL with additions, so most of the tree is printed as it is. What is not: objects (the texels
// of tensors), halves where the device has no f16, names that WGSL has taken, and what a compiler of WGSL refuses to
// compute itself (an overflow or a division by zero of constants), which goes through a function to look unknown.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "shader/emit_common.h"
#include "shader/emit_wgsl.h"
#include "shader/ir.h"

namespace driftwood::shader::wgsl {

/// Whether WGSL gives the name a meaning: keywords, reserved words, types, functions, and the names of access modes,
/// address spaces and texel formats.
bool is_taken_name(std::string_view name);

class Printer {
 public:
  Printer(const Module& module, const WgslDialect& dialect, const WgslBindings& bindings);
  std::string print();
  std::string kernel_name() const { return name(module_.entry_point->name); }

 private:
  // types.cpp
  std::string name(const std::string& wanted) const;
  std::string fresh_name(std::string wanted) const;  // one that the module does not have
  std::string type_name(const TypePtr& type);
  std::string scalar_name(Scalar scalar);
  /// The type as a buffer holds it: halves may be words there.
  std::string memory_type_name(const TypePtr& type, const std::string& holder);
  bool is_memory_half(const TypePtr& type) const;
  std::string struct_text(const StructType& structure);

  // resources.cpp
  const Resource& bound(const Resource& resource) const;  // the one whose binding it uses
  void check_bindings() const;
  std::string element_text(const Resource& resource);
  std::string resource_text(const Resource& resource);

  // literals.cpp
  Code scalar_literal(const ConstantScalar& value);
  Code literal(const TypePtr& type, const Literal& value);
  Code literal_part(const TypePtr& type, const Literal& value, std::size_t& next);
  /// The value of a constant by a function, so that the compiler does not know it.
  std::string hidden(const TypePtr& type, const std::string& text);

  // expressions.cpp
  Code value(const Expression& expression);
  std::string argument(const Expression& expression);
  /// An argument that may be shown as the constant it is, or not.
  std::string argument(const Expression& expression, bool hides);
  std::string arguments(const std::vector<ExpressionPtr>& list);
  Code value_of_node(const Expression& expression);
  Code index(const Index& node);
  std::string unsigned_index(const Expression& index);
  Code member(const Member& node);
  Code swizzle(const Swizzle& node);
  Code address(const AddressOf& node);
  Code dereference(const Dereference& node);
  Code unary(const Unary& node);
  Code binary(const Binary& node);
  Code convert(const Expression& expression, const Convert& node);
  Code bitcast(const Expression& expression, const Bitcast& node);
  Code table(const Expression& array);

  // builtins.cpp
  Code builtin(const Expression& expression, const BuiltinCall& node);
  bool is_refused(const BuiltinCall& node, std::size_t argument) const;
  Code angle_builtin(const Expression& expression, const BuiltinCall& node);
  Code packing(const Expression& expression, const BuiltinCall& node);
  Code packed_dot(const BuiltinCall& node);
  Code call(const std::string& function, const std::vector<ExpressionPtr>& list);

  // matrices.cpp
  /// How an array is declared that matrices lie in.
  struct MatrixMemory {
    Scalar component = Scalar::F16;
    std::uint32_t components = 1;  // of an element as the kernel declares it
    std::uint32_t unit = 1;        // components of an element as it is printed
    bool is_as_declared = true;
  };
  void find_matrix_memory();
  /// Of an array that is printed as another than it was declared; null for all else.
  const MatrixMemory* retyped(const Expression& base) const;
  std::string matrix_memory_type(const Variable& variable);
  std::string matrix_memory_load(const Variable& variable);
  std::string matrix_memory_store(const Variable& variable);
  std::string matrix_type_name(const MatrixType& matrix);
  Code untyped_matrix_access(const BuiltinCall& node, const MatrixType& matrix, bool columns);
  Code matrix_builtin(const Expression& expression, const BuiltinCall& node);

  // objects.cpp
  Code object_load(const Expression& expression, const ObjectLoad& node);
  std::string object_store(const ObjectStore& node);
  std::string coordinates(const Resource& object, const std::vector<ExpressionPtr>& list);
  Code converted(const Code& code, const TypePtr& from, const TypePtr& to);
  /// Whether a texel of four halves is two words. Where the compiler can say vec4<f16> it is that.
  bool texels_are_words() const { return !dialect_.f16 || is_naga(); }
  bool is_naga() const { return dialect_.compiler == WgslDialect::Compiler::Naga; }
  std::string unpack_four();  // vec2<u32> to the four floats whose halves it holds
  std::string pack_four();    // and back
  std::string unpack_bytes(bool is_signed);
  std::string pack_bytes(bool is_signed, bool clamps);
  // halves.cpp: of buffers, without f16
  Code half_load(const Expression& reference);
  std::string half_store(const Expression& target, const Expression& value);

  // statements.cpp
  void block(const Block& statements);
  void statement(const Statement& statement);
  std::string simple_statement(const Statement& statement);
  std::string declare(const Declare& node);
  std::string compound_assign(BinaryOp op, const Expression& target, const Expression& step);
  bool is_same_place(const Expression& a, const Expression& b);
  bool in_retyped_array(const Expression& target) const;
  std::string retyped_store(const Expression& target, const std::string& stored);
  std::string call_statement(const Expression& call);
  void if_statement(const If& node, std::string_view prefix);
  /// Whether naga finds no proof that all invocations take the same branch, though both barriers and matrices ask it
  /// to.
  bool must_show_uniform(const If& node) const;
  void for_statement(const For& node);
  void loop_statement(const Loop& node);
  void switch_statement(const Switch& node);

  // module.cpp
  void function(const Function& function);
  std::string entry_parameters(const Function& function, std::vector<std::string>& first_lines);
  bool must_zero(const Variable& variable) const;
  std::string zero_store(const std::string& place, const TypePtr& type, int depth);
  void zero_workgroup_memory(const Function& function, const std::string& index, std::vector<std::string>& lines);
  std::vector<std::string> struct_declarations();
  std::string variable_declaration(const Variable& variable);
  static bool is_plain(const Expression& initializer);
  std::string directives() const;
  /// Adds a function before the kernel's own, once; gives its name.
  std::string require(const std::string& name, const std::string& text);

  const Module& module_;
  const WgslDialect dialect_;
  const WgslBindings bindings_;
  std::set<std::string> module_names_;
  std::set<const Variable*> used_variables_;
  std::map<const Variable*, MatrixMemory> matrix_memory_;
  std::set<std::string> helpers_;
  std::vector<std::string> prelude_;
  std::vector<std::pair<std::string, std::string>> tables_;  // text and name of constant arrays
  SourceWriter out_;
  const Function* current_ = nullptr;
  std::string local_index_;        // the entry point's index of an invocation, where it is needed
  std::string uniform_condition_;  // workgroup memory through which a condition is shown to be uniform
  bool hides_ = false;             // the next literal must not look like one
  bool uses_f16_ = false, uses_subgroups_ = false, uses_packed_dot_ = false, uses_matrices_ = false;
};

}  // namespace driftwood::shader::wgsl
