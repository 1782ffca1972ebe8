// The checker's state and its parts, which are defined beside each other by concept:
//
//   declarations.cpp  module scope: const, override, var, struct, alias; what the specialisation binds
//   functions.cpp     functions, their instances, entry points
//   statements.cpp    statements; control_flow.cpp what may follow them
//   expressions.cpp   names, operators, indices, members; operators.cpp
//   constructors.cpp  type constructors and conversions
//   calls.cpp         calls of functions and of built-ins with signatures
//   memory_builtins.cpp, matrix_builtins.cpp, pipeline_builtins.cpp, tensor_builtins.cpp  built-ins with rules of their
//   own type_names.cpp    types as they are written assemble.cpp      what the entry point reaches, with names that are
//   unique
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "shader/checking/scope.h"
#include "shader/compile.h"
#include "shader/ir.h"
#include "shader/linker.h"

namespace driftwood::shader::checking {

class Checker {
 public:
  Checker(Program& program, const Specialization& specialization)
      : program_(program), specialization_(specialization) {}

  Module run(std::string_view entry_point);

 private:
  // ---- declarations.cpp
  void check_specialization_names();
  void check_file(const LinkedFile& file);
  Entity resolve(const Symbol& symbol, SourceRange user);
  Entity resolve_new(const Symbol& symbol);
  Entity declare_constant(const syntax::Variable& variable);
  Entity declare_override(const syntax::Declaration& declaration, const syntax::Variable& variable);
  Entity declare_module_variable(const syntax::Declaration& declaration, const syntax::Variable& variable);
  Entity declare_handle(const syntax::Declaration& declaration, const syntax::Variable& variable);
  Entity declare_buffer(const syntax::Declaration& declaration, const syntax::Variable& variable, AddressSpace space,
                        Access access);
  Entity declare_alias(const syntax::Alias& alias);
  Entity declare_struct(const syntax::Struct& structure);
  Entity declare_function(const Symbol& symbol);
  void check_const_assert(const syntax::ConstAssert& assertion, SourceRange range);
  void allow_attributes(const syntax::Attributes& attributes, std::initializer_list<std::string_view> allowed,
                        std::string_view what);
  TypePtr declared_type(const syntax::Variable& variable, ExpressionPtr& initializer);
  ExpressionPtr initial_value(const syntax::Variable& variable);
  std::optional<Access> access_of(const syntax::Expression& qualifier);

  // ---- functions.cpp
  Function& instantiate(SourceFunction& function, const std::vector<Resource*>& handles, SourceRange user);
  void check_signature(SourceFunction& source, Function& function, const std::vector<Resource*>& handles);
  void check_entry_point(const SourceFunction& source, Function& function);
  void check_entry_parameter(const syntax::Function::Parameter& parameter, Variable& variable);
  void check_fusion_signature(const syntax::Declaration& point, const LinkedFile& home);
  SourceFunction& find_entry_point(std::string_view name);

  // ---- statements.cpp
  void check_block(const syntax::Block& source, Block& out);
  void check_statements(const syntax::Block& source, Block& out);
  void check_statement(const syntax::Statement& statement, Block& out);
  void statement(const syntax::Variable& variable, const syntax::Statement& whole, Block& out);
  void statement(const syntax::Assignment& assignment, const syntax::Statement& whole, Block& out);
  void statement(const syntax::Increment& increment, const syntax::Statement& whole, Block& out);
  void statement(const syntax::CallStatement& call, const syntax::Statement& whole, Block& out);
  void statement(const syntax::If& branch, const syntax::Statement& whole, Block& out);
  void statement(const syntax::For& loop, const syntax::Statement& whole, Block& out);
  void statement(const syntax::Loop& loop, const syntax::Statement& whole, Block& out);
  void statement(const syntax::Switch& choice, const syntax::Statement& whole, Block& out);
  void statement(const syntax::Break& leave, const syntax::Statement& whole, Block& out);
  void statement(const syntax::Continue& next, const syntax::Statement& whole, Block& out);
  void statement(const syntax::Return& leave, const syntax::Statement& whole, Block& out);
  void statement(const syntax::Compound& block, const syntax::Statement& whole, Block& out);
  void statement(const syntax::ConstAssert& assertion, const syntax::Statement& whole, Block& out);
  void compound_assign(BinaryOp op, ExpressionPtr target, ExpressionPtr value, SourceRange range, Block& out);
  ExpressionPtr condition(const syntax::Expression& source, std::string_view what);
  StatementPtr single_statement(const syntax::Statement& source);
  void declare_local(const std::string& name, Entity entity, SourceRange range);
  void check_loop_body(const syntax::Block& source, Block& out);
  void check_dead(const syntax::Block& source);

  // ---- expressions.cpp, operators.cpp
  ExpressionPtr expression(const syntax::Expression& source);
  ExpressionPtr value(const syntax::Expression& source);
  ExpressionPtr concrete_value(const syntax::Expression& source);
  ExpressionPtr target(const syntax::Expression& source);
  ExpressionPtr as_value(ExpressionPtr checked);
  ExpressionPtr node(const syntax::Name& name, SourceRange range);
  ExpressionPtr node(const syntax::Number& number, SourceRange range);
  ExpressionPtr node(const syntax::Boolean& boolean, SourceRange range);
  ExpressionPtr node(const syntax::Unary& unary, SourceRange range);
  ExpressionPtr node(const syntax::Binary& binary, SourceRange range);
  ExpressionPtr node(const syntax::Call& call, SourceRange range);
  ExpressionPtr node(const syntax::Index& index, SourceRange range);
  ExpressionPtr node(const syntax::Member& member, SourceRange range);
  ExpressionPtr address_of(const syntax::Expression& operand, SourceRange range);
  ExpressionPtr dereference(ExpressionPtr pointer, SourceRange range);
  ExpressionPtr swizzle(ExpressionPtr base, const syntax::Member& member, SourceRange range);
  ExpressionPtr logical(const syntax::Binary& binary, SourceRange range);
  ExpressionPtr make_binary(BinaryOp op, ExpressionPtr left, ExpressionPtr right, SourceRange range);
  ExpressionPtr make_shift(BinaryOp op, ExpressionPtr left, ExpressionPtr right, SourceRange range);
  ExpressionPtr folded_binary(BinaryOp op, const Expression& left, const Expression& right, TypePtr type,
                              SourceRange range);
  [[noreturn]] void fail_operands(BinaryOp op, const Expression& left, const Expression& right, SourceRange range);
  PointerType place_of(const Expression& reference);

  /// `checked` as a value of `type` by automatic conversion; `what` names the place for the error.
  ExpressionPtr convert(ExpressionPtr checked, const TypePtr& type, std::string_view what);
  ExpressionPtr make_concrete(ExpressionPtr checked);
  ExpressionPtr literal(TypePtr type, std::vector<ConstantScalar> components, SourceRange range);
  /// The value of a const-expression of type i32 or u32 (or abstract), e.g. a size.
  std::int64_t constant_integer(const syntax::Expression& source, std::string_view what);
  /// Fails, or in dead code only notes that the value cannot be and goes on with zeroes of the type.
  ExpressionPtr impossible_value(const std::string& message, TypePtr type, SourceRange range);

  // ---- constructors.cpp
  ExpressionPtr construct(const TypePtr& type, const syntax::Call& call, SourceRange range);
  ExpressionPtr construct_scalar(const TypePtr& type, ExpressionPtr argument, SourceRange range);
  ExpressionPtr construct_vector(const TypePtr& type, std::vector<ExpressionPtr> arguments, SourceRange range);
  ExpressionPtr construct_whole(const TypePtr& type, const std::vector<TypePtr>& parts,
                                std::vector<ExpressionPtr> arguments, SourceRange range);
  ExpressionPtr infer_vector(int width, std::vector<ExpressionPtr> arguments, SourceRange range);
  ExpressionPtr infer_array(std::vector<ExpressionPtr> arguments, SourceRange range);
  ExpressionPtr zero_value(const TypePtr& type, SourceRange range);
  ExpressionPtr bitcast(const syntax::Name& callee, const syntax::Call& call, SourceRange range);
  ExpressionPtr make_construct(const TypePtr& type, std::vector<ExpressionPtr> arguments, SourceRange range);
  std::vector<ExpressionPtr> values(const std::vector<syntax::ExpressionPtr>& sources);

  // ---- calls.cpp
  ExpressionPtr call_function(SourceFunction& function, const syntax::Call& call, SourceRange range);
  ExpressionPtr call_builtin(Builtin builtin, const syntax::Call& call, SourceRange range);
  ExpressionPtr call_with_signature(Builtin builtin, const syntax::Call& call, SourceRange range);
  bool must_be_used(const syntax::Call& call);

  // ---- memory_builtins.cpp
  ExpressionPtr call_atomic(Builtin builtin, const syntax::Call& call, SourceRange range);
  ExpressionPtr call_array_length(const syntax::Call& call, SourceRange range);
  ExpressionPtr call_uniform_load(const syntax::Call& call, SourceRange range);
  void expect_arguments(const syntax::Call& call, std::size_t count, SourceRange range);

  // ---- matrix_builtins.cpp
  ExpressionPtr call_matrix(Builtin builtin, const syntax::Call& call, SourceRange range);
  ExpressionPtr load_matrix(const syntax::Call& call, SourceRange range);
  ExpressionPtr store_matrix(const syntax::Call& call, SourceRange range);
  ExpressionPtr multiply_matrices(const syntax::Call& call, SourceRange range);
  ExpressionPtr matrix_memory(const syntax::Expression& source, const TypePtr& matrix);
  ExpressionPtr is_column_major(const syntax::Expression& source);

  // ---- pipeline_builtins.cpp
  ExpressionPtr call_pipeline(Builtin builtin, const syntax::Call& call, SourceRange range);
  ExpressionPtr stage_ring(const syntax::Expression& source);
  ExpressionPtr staged_array(const syntax::Expression& source, std::string_view what);
  ExpressionPtr multiply_of_workgroup(const syntax::Call& call, SourceRange range);
  ExpressionPtr matrix_sums(const syntax::Expression& source);
  ExpressionPtr matrix_tile(const syntax::Expression& source, std::string_view what);

  // ---- tensor_builtins.cpp
  ExpressionPtr call_tensor(Builtin builtin, const syntax::Call& call, SourceRange range);
  ExpressionPtr call_weights(Builtin builtin, const syntax::Call& call, SourceRange range);
  ExpressionPtr decode_weights(Builtin builtin, Resource& weights, std::vector<ExpressionPtr> arguments,
                               SourceRange range);
  Resource& handle_argument(const syntax::Call& call, Resource::Kind kind, SourceRange range);
  Resource* find_handle(const syntax::Expression& source);
  void flatten_coordinate(ExpressionPtr coordinate, std::vector<ExpressionPtr>& out);
  ExpressionPtr hoist(ExpressionPtr value);
  ExpressionPtr integer_argument(ExpressionPtr argument, std::string_view what);

  // ---- type_names.cpp
  TypePtr type(const syntax::Expression& source);
  TypePtr type_of_name(const syntax::Name& name, SourceRange range);
  TypePtr predeclared_type(const syntax::Name& name, SourceRange range);
  TypePtr array_of(const syntax::Name& name, SourceRange range);
  TypePtr weights_of(const syntax::Name& name, SourceRange range);
  TypePtr matrix_of(const syntax::Name& name, SourceRange range);
  TypePtr pointer_of(const syntax::Name& name, SourceRange range);
  Scalar scalar_argument(const syntax::Name& name, SourceRange range);
  TypePtr checked_size(TypePtr type, SourceRange range);
  Entity look_up(const std::string& name, SourceRange range);
  std::optional<SourceRange> declaration_of(const std::string& name);

  // ---- assemble.cpp
  Module assemble(Function& entry_point);

  [[noreturn]] void fail(SourceRange range, const std::string& message, const std::vector<Note>& notes = {}) const;

  /// Counts how deep the checker is in the source, over all functions that wait for others.
  class Depth {
   public:
    Depth(Checker& checker, SourceRange range, int weight = 1);
    ~Depth() { checker_.depth_ -= weight_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    Checker& checker_;
    int weight_;
  };

  struct Resolved {
    bool is_done = false;
    Entity entity;
  };

  Program& program_;
  const Specialization& specialization_;
  Context context_;
  int depth_ = 0;  // in weights of Depth, about 5 KiB of stack each in the worst of builds
  std::unordered_map<const syntax::Declaration*, Resolved> resolved_;
  std::unordered_map<const Variable*, SourceRange> declared_at_;
  std::vector<std::pair<std::string, SourceRange>> instantiations_;  // functions being checked, outermost first

  // Everything checked so far; assemble() takes what is reached.
  std::vector<std::unique_ptr<SourceFunction>> source_functions_;
  std::vector<Function*> functions_;  // in order of completion: callees before callers
  std::vector<std::unique_ptr<Variable>> variables_;
  std::map<std::pair<std::uint16_t, std::uint32_t>, std::unique_ptr<Resource>> resources_;  // by place in the source
  std::vector<TypePtr> structs_;
  std::unordered_set<std::string> struct_names_;
};

/// 3 for "vec3"; 0 for names that are no vector's.
int vector_width(std::string_view name);
bool is_predeclared_type(std::string_view name);

/// A sentence part such as "'x'".
std::string quoted(std::string_view name);

}  // namespace driftwood::shader::checking
