// Building and copying parts of the typed tree, for passes and tests.
//
//   using namespace build;
//   ExpressionPtr sum = binary(BinaryOp::Add, read(i), literal_u32(1));
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "shader/ir.h"

namespace driftwood::shader {

/// Gives names that no declaration of a module has yet: "sum", then "sum_1", "sum_2", ...
class FreshNames {
 public:
  explicit FreshNames(const Module& module);
  std::string make(std::string_view wanted);

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> next_;  // suffixes below are taken: unrolled loops ask for thousands of a name
};

/// What a copy refers to instead of the original's variables.
using VariableMap = std::unordered_map<const Variable*, Variable*>;

ExpressionPtr clone(const Expression& expression, const VariableMap& variables = {});
/// Copies with fresh variables for those declared inside, which are added to `variables`.
StatementPtr clone(const Statement& statement, VariableMap& variables, FreshNames& names);
Block clone(const Block& block, VariableMap& variables, FreshNames& names);

namespace build {

ExpressionPtr expression(TypePtr type, decltype(Expression::node) node, SourceRange range = {},
                         bool is_reference = false);
ExpressionPtr literal_i32(std::int32_t value, SourceRange range = {});
ExpressionPtr literal_u32(std::uint32_t value, SourceRange range = {});
ExpressionPtr literal_f32(float value, SourceRange range = {});
ExpressionPtr literal_bool(bool value, SourceRange range = {});
/// A literal of any constructible type from its flat components.
ExpressionPtr literal(TypePtr type, std::vector<ConstantScalar> components, SourceRange range = {});
ExpressionPtr read(Variable& variable, SourceRange range = {});
ExpressionPtr unary(UnaryOp op, ExpressionPtr operand);
/// The type follows from the operands: bool (or a vector of it) for comparisons, else that of the wider side.
ExpressionPtr binary(BinaryOp op, ExpressionPtr left, ExpressionPtr right);
ExpressionPtr call(Builtin builtin, TypePtr type, std::vector<ExpressionPtr> arguments);
ExpressionPtr call(Function& function, std::vector<ExpressionPtr> arguments);
ExpressionPtr convert(TypePtr type, ExpressionPtr operand);
/// Element of an array or vector; a reference where the base is one.
ExpressionPtr index(ExpressionPtr base, ExpressionPtr at);
ExpressionPtr component(ExpressionPtr vector, int component);
/// The vector of what weightsWords() reads, word by word; of a call that is virtualised.
ExpressionPtr words_one_by_one(const Expression& call);

StatementPtr statement(decltype(Statement::node) node, SourceRange range = {});
StatementPtr declare(std::unique_ptr<Variable> variable, ExpressionPtr initializer, SourceRange range = {});
StatementPtr assign(ExpressionPtr target, ExpressionPtr value, SourceRange range = {});
std::unique_ptr<Variable> variable(std::string name, TypePtr type, bool is_mutable,
                                   AddressSpace space = AddressSpace::Function);

/// The arguments as the vector that BuiltinCall and FunctionCall take.
template <class... Pointers>
std::vector<ExpressionPtr> list(Pointers... pointers) {
  std::vector<ExpressionPtr> result;
  (result.push_back(std::move(pointers)), ...);
  return result;
}

}  // namespace build

/// Whether the expression is a literal; its components then.
const Literal* as_literal(const Expression& expression);
/// The value of a literal integer or bool scalar, if it is one.
std::optional<std::int64_t> integer_value(const Expression& expression);

}  // namespace driftwood::shader
