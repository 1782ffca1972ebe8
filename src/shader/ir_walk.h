// Walking and rewriting the typed tree: passes say what to do at a node, these say where the nodes are.
//
// Operands come in order of evaluation. A rewrite may replace the pointer it is given.
#pragma once

#include <functional>

#include "shader/ir.h"

namespace driftwood::shader {

using ExpressionRewrite = std::function<void(ExpressionPtr&)>;
using ExpressionVisit = std::function<void(const Expression&)>;

/// The direct operands of an expression.
void for_each_operand(Expression& expression, const ExpressionRewrite& visit);
/// The expressions that stand directly in a statement (nested statements left out).
void for_each_expression(Statement& statement, const ExpressionRewrite& visit);
/// The statements directly inside a statement, as `for`'s init and update, and those of nested blocks.
void for_each_child(Statement& statement, const std::function<void(StatementPtr&)>& visit);
/// The blocks directly inside a statement.
void for_each_block(Statement& statement, const std::function<void(Block&)>& visit);

/// Every expression in or below the root, operands before the expression that uses them.
void rewrite_expressions(ExpressionPtr& root, const ExpressionRewrite& rewrite);
void rewrite_expressions(Statement& root, const ExpressionRewrite& rewrite);
void rewrite_expressions(Block& block, const ExpressionRewrite& rewrite);
/// Every expression of all functions and initializers of the module.
void rewrite_expressions(Module& module, const ExpressionRewrite& rewrite);

/// Every expression in or below the root, an expression before its operands.
void visit_expressions(const Expression& root, const ExpressionVisit& visit);
void visit_expressions(const Statement& root, const ExpressionVisit& visit);
void visit_expressions(const Block& block, const ExpressionVisit& visit);
void visit_expressions(const Module& module, const ExpressionVisit& visit);

/// Every statement in or below the block, outer before inner.
void visit_statements(const Block& block, const std::function<void(const Statement&)>& visit);
void rewrite_statements(Block& block, const std::function<void(StatementPtr&)>& visit);
/// Every block of the tree below, inner before outer.
void rewrite_blocks(Block& block, const std::function<void(Block&)>& rewrite);

/// Whether evaluating the expression can do anything but give its value: calls of functions, atomics, barriers,
/// subgroup operations.
bool has_side_effects(const Expression& expression);

/// The variable or resource that a reference leads to, through members, indices, swizzles and dereferenced
/// addresses; null where it goes through a pointer value.
const Variable* root_variable(const Expression& reference);
const Resource* root_resource(const Expression& reference);

}  // namespace driftwood::shader
