// What emitters of languages of C's family share: OpenCL C and the Metal Shading Language. A Printer holds what the
// parts share while a module is printed; a language derives from it and spells what differs.
//
// Arrays: C arrays are no values, WGSL's are. An array type that is anywhere copied, passed or returned whole is
// printed as a struct with one member `at`; all others are plain C arrays. Module scope: workgroup and private
// variables are declared in the kernel, and handed to the functions that use them, as are the resources.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "shader/captures.h"
#include "shader/emit_common.h"
#include "shader/integer_range.h"
#include "shader/ir.h"
#include "shader/ir_build.h"

namespace driftwood::shader::c_family {

/// Functions printed before the kernel's own, each once, in order of first need.
class Prelude {
 public:
  /// Adds the function unless it is there; returns its name.
  std::string require(std::string name, std::string_view text);
  /// Adds a table in the address space of constants; returns its name.
  std::string table(std::string_view space, std::string_view element_type, std::string_view dimensions,
                    std::string_view values);
  bool empty() const { return functions_.empty() && tables_.empty(); }
  std::string text() const;

 private:
  std::set<std::string> names_;
  std::vector<std::string> functions_;
  std::map<std::string, std::string> table_names_;
  std::vector<std::string> tables_;
};

/// The type with another scalar, as wide.
TypePtr with_scalar(const TypePtr& type, Scalar scalar);
/// "uint4" for a vector of four, "uint" for a scalar.
std::string unsigned_type_name(const TypePtr& type);

class Printer {
 public:
  virtual ~Printer() = default;
  std::string kernel_name() const { return name(module_.entry_point->name); }

 protected:
  explicit Printer(const Module& module);

  // ---- what a language spells its own way ----

  virtual std::string_view language() const = 0;  // for messages
  /// Whether the language gives the name a meaning of its own: keywords, types, functions, macros.
  virtual bool is_taken_name(std::string_view name) const = 0;
  /// "__local " and its like; what stands before pointers and variables of the space.
  virtual std::string_view space_qualifier(AddressSpace space) const = 0;
  /// "(float4)(1.0f, x)", "float4(1.0f, x)".
  virtual Code vector_value(const std::string& type, const std::string& parts) const = 0;
  /// A structure or wrapped array from its parts in braces.
  virtual Code aggregate_value(const std::string& type, const std::string& braces) const = 0;
  virtual std::string_view zero_braces() const = 0;
  /// The function that gives a value's bits another type: "as_int4".
  virtual std::string reinterpreter(const std::string& type) const = 0;
  virtual std::string least_int() const = 0;
  /// Whether a vector of bool is a mask, a vector of int with 0 and -1.
  virtual bool has_masks() const = 0;
  /// Whether `v[i]` is a component of a vector in registers.
  virtual bool indexes_vectors() const = 0;
  /// Whether the amount of a shift is to be taken modulo the width by the printed code.
  virtual bool masks_shift(const Expression&) const { return false; }
  /// A scalar or vector among others in braces.
  virtual std::string in_braces(const Expression& expression) { return argument(expression); }
  virtual std::string atomic_name(Scalar scalar) const = 0;
  virtual std::string matrix_name(const MatrixType& matrix) const = 0;
  virtual std::string zero_matrix(const TypePtr& type) = 0;
  virtual std::string struct_definition(const std::string& name, const std::string& members) const = 0;
  static bool is_image(const Resource& resource);
  virtual std::string resource_declaration(const Resource& resource) const = 0;
  virtual std::string workgroup_barrier() const = 0;
  /// The index of an invocation in its workgroup, as a sum.
  virtual std::string workgroup_index() const = 0;
  /// The statement (without semicolon) that writes zero to a place in workgroup memory.
  virtual std::string store_zero(const std::string& place, const TypePtr& type) const;
  virtual void before_function() {}

  /// Element `index` of an array in a space of memory; `array` binds as a postfix expression does.
  virtual Code element(const std::string& array, const Expression& index, AddressSpace space);
  virtual Code compare(const Expression& expression, const Binary& node);
  virtual Code float_remainder(const Expression& expression, const Binary& node);
  virtual Code convert_code(const Code& code, const TypePtr& from, const TypePtr& to) = 0;
  virtual Code bitcast(const Code& code, const TypePtr& from, const TypePtr& to) = 0;
  /// The same of an expression, where what it is made of may help.
  virtual Code bitcast_value(const Expression& expression, const Bitcast& node);
  /// A call that does a sum and the dot product in it at once; null where there is none.
  virtual const BuiltinCall* accumulating_dot(const Expression&) const { return nullptr; }
  virtual Code dot_accumulate(const BuiltinCall& dot, const std::string& addend) = 0;

  virtual Code builtin(const Expression& expression, const BuiltinCall& node);
  /// Of what all languages spell alike; a language does its own before it asks here.
  virtual Code numeric_builtin(const Expression& expression, const BuiltinCall& node);
  virtual Code bit_builtin(const Expression& expression, const BuiltinCall& node) = 0;
  virtual Code packing_builtin(const Expression& expression, const BuiltinCall& node) = 0;
  virtual Code synchronization_builtin(const Expression& expression, const BuiltinCall& node) = 0;
  virtual Code subgroup_builtin(const Expression& expression, const BuiltinCall& node) = 0;
  virtual Code matrix_builtin(const Expression& expression, const BuiltinCall& node) = 0;
  /// Four words of packed weights that follow one another.
  virtual Code weights_words(const Expression& call) { return value(*build::words_one_by_one(call)); }
  /// Of a workgroup's pipeline; lowered before (optimize.h) for languages that have none.
  virtual Code pipeline_builtin(const Expression& expression, const BuiltinCall& node);
  /// The condition of a select of vectors that gives values of this type.
  virtual std::string select_mask(const TypePtr&, const Expression& condition) { return argument(condition); }

  virtual Code object_load(const Expression& expression, const ObjectLoad& node) = 0;
  virtual std::string object_store(const ObjectStore& node) = 0;

  /// Halves that exist in memory only, read and written by functions.
  virtual bool is_memory_half(const TypePtr&) const { return false; }
  virtual std::string half_load(const Expression& reference);
  virtual std::string half_store(const Expression& target, const Expression& value);

  // ---- what they share ----

  // types.cpp
  std::string name(const std::string& wanted) const;
  std::string fresh_name(std::string_view wanted) { return names_.make(wanted); }
  bool is_wrapped(const TypePtr& type) const;
  bool is_mask(const TypePtr& type) const;
  std::string type_name(const TypePtr& type) const;
  /// "float x[8]", "__local float (*p)[8]": a declaration without initializer.
  std::string declaration(const TypePtr& type, const std::string& declared) const;
  std::string pointer_declaration(std::string_view qualifiers, const TypePtr& pointee,
                                  const std::string& declared) const;
  std::string struct_text(const StructType& structure) const;
  std::string wrapper_text(const TypePtr& type) const;
  std::string array_wrapper_name(const TypePtr& type) const;
  std::string captured_declaration(const Variable& variable) const;
  std::vector<std::string> type_declarations() const;

  // expressions.cpp
  Code value(const Expression& expression);
  Code place(const Expression& reference);
  std::string argument(const Expression& expression);  // in a list: anything but a comma needs no parentheses
  Code value_of_node(const Expression& expression);
  Code index_value(const Expression& expression, const Index& node);
  Code component(const Expression& expression, const Expression& base, int component);
  Code swizzle(const Expression& expression, const Swizzle& node);
  Code address(const AddressOf& node);
  Code call(const std::string& function, const std::vector<ExpressionPtr>& arguments);
  Code function_call(const FunctionCall& node);
  Code construct(const Expression& expression, const Construct& node);
  /// "{1.0f, 2.0f}" for what a declaration may take; a value else.
  std::string initializer(const Expression& expression);
  Code table_of(const Expression& array_literal);
  std::string as_mask(const Expression& boolean);
  AddressSpace space_of(const Expression& reference) const;
  std::string element_pointer(const Expression& vector_reference);
  std::string array_length_name(const Resource& resource) const;
  /// An address, in which integer overflow is an error, so that plain arithmetic serves.
  std::string address_text(const Expression& expression);

  // literals.cpp
  Code scalar_literal(const ConstantScalar& value) const;
  Code literal(const TypePtr& type, const Literal& value) const;
  std::string literal_braces(const TypePtr& type, const Literal& value, std::size_t& next) const;
  Code literal_part(const TypePtr& type, const Literal& value, std::size_t& next) const;

  // arithmetic.cpp
  Code unary(const Expression& expression, const Unary& node);
  virtual Code binary(const Expression& expression, const Binary& node);
  bool needs_wrapping(const Expression& expression) const;
  Code wrapping(const Expression& expression);
  Code wrapped(const Expression& expression);
  Code wrapping_leaf(const Expression& expression, bool must_be_unsigned);
  Code divide(const Expression& expression, const Binary& node);
  Code convert(const Expression& expression, const Convert& node);
  IntegerRange range(const Expression& expression) const;
  /// An operand as wide as the result.
  std::string widened(const TypePtr& type, const Expression& operand);

  // builtins.cpp
  Code minimum_maximum(const Expression& expression, const BuiltinCall& node);
  Code clamp(const Expression& expression, const BuiltinCall& node);
  Code select(const Expression& expression, const BuiltinCall& node);
  Code dot(const Expression& expression, const BuiltinCall& node);

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
  /// A parameter list, broken where it is too long.
  void signature(const std::string& head, const std::vector<std::string>& parameters);
  void private_variables(const Function& function);
  void zero_workgroup_memory(const Function& function);

  struct ContinueTarget {
    const Loop* loop = nullptr;  // null: C's own continue
    std::string done;            // flag that ends the loop
  };

  const Module& module_;
  CaptureTable captures_;
  std::set<std::string> value_arrays_;
  std::set<std::string> module_names_;
  std::set<const Variable*> used_variables_;
  FreshNames names_;
  Prelude prelude_;
  SourceWriter out_;
  const Function* current_ = nullptr;
  bool in_address_ = false;  // integer overflow is an error there, so plain arithmetic serves
  std::vector<ContinueTarget> continue_targets_;
};

}  // namespace driftwood::shader::c_family
