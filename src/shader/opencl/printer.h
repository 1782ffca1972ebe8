// The OpenCL C emitter's parts. One Printer holds what they share while a module is printed.
//
// Arrays: C arrays are no values, WGSL's are. An array type that is anywhere copied, passed or returned whole is
// printed as a struct with one member `at`; all others are plain C arrays. Booleans: a scalar is bool; a vector of bool
// is OpenCL's mask, a vector of int with 0 and -1. Module scope: workgroup and private variables are declared in the
// kernel, and handed to the functions that use them, as are the resources.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "shader/captures.h"
#include "shader/emit_common.h"
#include "shader/emit_opencl.h"
#include "shader/integer_range.h"
#include "shader/ir.h"
#include "shader/ir_build.h"

namespace driftwood::shader::opencl {

/// Whether OpenCL C gives the name a meaning of its own: keywords, types, functions, macros.
bool is_taken_name(std::string_view name);

/// Functions printed before the kernel's own, each once, in order of first need.
class Prelude {
 public:
  /// Adds the function unless it is there; returns its name.
  std::string require(std::string name, std::string_view text);
  /// Adds a table in constant memory; returns its name.
  std::string table(std::string_view element_type, std::string_view dimensions, std::string_view values);
  bool empty() const { return functions_.empty() && tables_.empty(); }
  std::string text() const;

 private:
  std::set<std::string> names_;
  std::vector<std::string> functions_;
  std::map<std::string, std::string> table_names_;
  std::vector<std::string> tables_;
};

class Printer {
 public:
  Printer(const Module& module, const OpenClDialect& dialect);
  std::string print();
  std::string kernel_name() const { return name(module_.entry_point->name); }

 private:
  // types.cpp
  std::string name(const std::string& wanted) const;
  bool is_wrapped(const TypePtr& type) const;
  std::string type_name(const TypePtr& type) const;
  /// "float x[8]", "__local float (*p)[8]": a declaration without initializer.
  std::string declaration(const TypePtr& type, const std::string& declared) const;
  std::string pointer_declaration(std::string_view qualifiers, const TypePtr& pointee,
                                  const std::string& declared) const;
  std::string struct_text(const StructType& structure) const;
  std::string wrapper_text(const TypePtr& type) const;
  bool is_memory_half(const TypePtr& type) const;
  std::string array_wrapper_name(const TypePtr& type) const;
  bool holds_half_vectors(const Resource& resource) const;
  std::string resource_declaration(const Resource& resource) const;
  std::string captured_declaration(const Variable& variable) const;

  // expressions.cpp
  Code value(const Expression& expression);
  Code place(const Expression& reference);
  std::string argument(const Expression& expression);  // in a list: anything but a comma needs no parentheses
  Code value_of_node(const Expression& expression);
  Code index_value(const Expression& expression, const Index& node);
  Code component(const Expression& expression, const Expression& base, int component);
  Code swizzle(const Expression& expression, const Swizzle& node);
  Code address(const AddressOf& node);
  Code function_call(const FunctionCall& node);
  Code construct(const Expression& expression, const Construct& node);
  /// "{1.0f, 2.0f}" for what a declaration may take; a value else.
  std::string initializer(const Expression& expression);
  Code table_of(const Expression& array_literal);
  std::string as_mask(const Expression& boolean);
  AddressSpace space_of(const Expression& reference) const;
  std::string element_pointer(const Expression& vector_reference);

  // literals.cpp
  Code scalar_literal(const ConstantScalar& value) const;
  Code literal(const TypePtr& type, const Literal& value) const;
  std::string literal_braces(const TypePtr& type, const Literal& value, std::size_t& next) const;
  Code literal_part(const TypePtr& type, const Literal& value, std::size_t& next) const;

  // arithmetic.cpp
  Code unary(const Expression& expression, const Unary& node);
  Code binary(const Expression& expression, const Binary& node);
  bool needs_wrapping(const Expression& expression) const;
  Code wrapping(const Expression& expression);
  Code wrapped(const Expression& expression);
  Code wrapping_leaf(const Expression& expression, bool must_be_unsigned);
  Code divide(const Expression& expression, const Binary& node);
  Code compare(const Expression& expression, const Binary& node);
  Code convert(const Expression& expression, const Convert& node);
  Code convert_code(const Code& code, const TypePtr& from, const TypePtr& to);
  Code bitcast(const Code& code, const TypePtr& from, const TypePtr& to);
  IntegerRange range(const Expression& expression) const;

  // builtins.cpp, builtins_bits.cpp, atomics.cpp, subgroups.cpp
  Code builtin(const Expression& expression, const BuiltinCall& node);
  // halves.cpp: what the dialect lacks for halves, done in float.
  bool lacks_half(const TypePtr& type) const;
  Code half_builtin(const Expression& expression, const BuiltinCall& node);
  std::string quantize_helper(const TypePtr& type);
  Code half_conversion(const Code& code, const TypePtr& from, const TypePtr& to);
  Code half_bitcast(const Code& code, const TypePtr& from, const TypePtr& to);
  Code numeric_builtin(const Expression& expression, const BuiltinCall& node);
  Code minimum_maximum(const Expression& expression, const BuiltinCall& node);
  Code clamp(const Expression& expression, const BuiltinCall& node);
  Code select(const Expression& expression, const BuiltinCall& node);
  Code dot(const Expression& expression, const BuiltinCall& node);
  Code bit_builtin(const Expression& expression, const BuiltinCall& node);
  Code packing_builtin(const Expression& expression, const BuiltinCall& node);
  std::string pack_helper();    // two floats to two halves in a word
  std::string unpack_helper();  // and back
  std::string pack_four_helper();
  std::string unpack_four_helper();
  std::string packed_dot_helper(bool is_signed);
  std::string mixed_dot_helper(int width);
  /// Whether a dot product is the one instruction that dialect_.wide_dot speaks of.
  bool is_wide_dot(const BuiltinCall& node) const;
  /// a + dot4I8Packed(b, c) as one call where the dialect has it.
  const BuiltinCall* accumulating_dot(const Expression& sum) const;
  Code dot_accumulate(const BuiltinCall& dot, const std::string& addend);
  Code synchronization_builtin(const Expression& expression, const BuiltinCall& node);
  Code subgroup_builtin(const Expression& expression, const BuiltinCall& node);
  std::string subgroup_helper(Builtin builtin, const TypePtr& type);
  std::uint32_t ptx_subgroup_size() const;
  // matrices.cpp
  Code matrix_builtin(const Expression& expression, const BuiltinCall& node);
  Code load_operand(const BuiltinCall& node, MatrixRole role);
  Code load_result(const BuiltinCall& node);
  Code store_result(const BuiltinCall& node);
  std::string array_length_name(const Resource& resource) const;
  Code call(const std::string& function, const std::vector<ExpressionPtr>& arguments);

  // objects.cpp
  Code object_load(const Expression& expression, const ObjectLoad& node);
  std::string object_store(const ObjectStore& node);
  std::string coordinates(const Resource& object, const std::vector<ExpressionPtr>& list);
  std::string half_load(const Expression& reference);
  std::string half_store(const Expression& target, const Expression& value);

  // statements.cpp
  void block(const Block& statements);
  void statement(const Statement& statement);
  /// The statement on one line without semicolon, for `for` headers and updates.
  std::string simple_statement(const Statement& statement, bool plain_counter = false);
  std::string declare(const Declare& node);
  std::string assign(const Expression& target, const Expression& value);
  std::string compound_assign(BinaryOp op, const Expression& target, const Expression& step, bool plain_counter);
  bool is_same_place(const Expression& a, const Expression& b);
  void if_statement(const If& node, std::string_view prefix);
  void for_statement(const For& node);
  void loop_statement(const Loop& node);
  void switch_statement(const Switch& node);

  // functions.cpp
  void function(const Function& function);
  void entry_point(const Function& function);
  void separate_entry_point(const Function& function);
  void signature(const std::string& head, const std::vector<std::string>& parameters);
  void private_variables(const Function& function);
  std::string builtin_input(const Variable& parameter) const;
  void zero_workgroup_memory(const Function& function);
  std::vector<std::string> type_declarations() const;
  std::string fresh_name(std::string_view wanted);

  struct ContinueTarget {
    const Loop* loop = nullptr;  // null: C's own continue
    std::string done;            // flag that ends the loop
  };

  const Module& module_;
  const OpenClDialect dialect_;
  CaptureTable captures_;
  std::set<std::string> value_arrays_;
  std::set<std::string> module_names_;
  std::set<const Variable*> used_variables_;
  FreshNames names_;
  bool uses_wide_dot_;  // dialect_.wide_dot, where the module can and does
  Prelude prelude_;
  SourceWriter out_;
  const Function* current_ = nullptr;
  bool in_address_ = false;  // integer overflow is an error there, so plain arithmetic serves
  std::vector<ContinueTarget> continue_targets_;
};

}  // namespace driftwood::shader::opencl
