#include "shader/interpreter/address_use.h"

namespace driftwood::shader::interpreter {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

/// Whether overflow in an operand is still overflow in the result. Exclusive or stands for hashing, which means to.
bool carries_overflow(BinaryOp op) {
  switch (op) {
    case BinaryOp::Add:
    case BinaryOp::Subtract:
    case BinaryOp::Multiply:
    case BinaryOp::Divide:
    case BinaryOp::Remainder:
    case BinaryOp::And:
    case BinaryOp::Or:
    case BinaryOp::ShiftLeft:
    case BinaryOp::ShiftRight: return true;
    default: return false;
  }
}

}  // namespace

const Variable* root_variable(const Expression& expression) {
  return std::visit(Overloaded{
                        [](const VariableExpression& e) -> const Variable* { return e.variable; },
                        [](const Index& e) { return root_variable(*e.base); },
                        [](const Member& e) { return root_variable(*e.base); },
                        [](const Swizzle& e) { return root_variable(*e.base); },
                        [](const AddressOf& e) { return root_variable(*e.reference); },
                        [](const Dereference& e) { return root_variable(*e.pointer); },
                        [](const auto&) -> const Variable* { return nullptr; },
                    },
                    expression.node);
}

AddressUse::AddressUse(const Module& module) {
  do {
    changed_ = false;
    for (const auto& function : module.functions) {
      current_ = function.get();
      visit(function->body);
    }
  } while (changed_);
}

void AddressUse::visit(const Block& block) {
  for (const StatementPtr& statement : block) visit(*statement);
}

void AddressUse::assign(const Expression* target, const Expression* value) {
  visit(target);
  visit(value);
  const Variable* root = target ? root_variable(*target) : nullptr;
  if (root && variables_.contains(root)) mark(value);
}

void AddressUse::visit(const Statement& statement) {
  std::visit(Overloaded{
                 [&](const Declare& s) {
                   visit(s.initializer.get());
                   if (variables_.contains(s.variable.get())) mark(s.initializer.get());
                 },
                 [&](const Assign& s) { assign(s.target.get(), s.value.get()); },
                 [&](const CompoundAssign& s) { assign(s.target.get(), s.value.get()); },
                 [&](const If& s) {
                   visit(s.condition.get());
                   visit(s.then_block);
                   visit(s.else_block);
                 },
                 [&](const For& s) {
                   if (s.init) visit(*s.init);
                   visit(s.condition.get());
                   if (s.update) visit(*s.update);
                   visit(s.body);
                 },
                 [&](const Loop& s) {
                   visit(s.body);
                   visit(s.continuing);
                   visit(s.break_if.get());
                 },
                 [&](const Switch& s) {
                   visit(s.selector.get());
                   for (const Switch::Case& c : s.cases) visit(c.body);
                 },
                 [&](const Break&) {},
                 [&](const Continue&) {},
                 [&](const Return& s) {
                   visit(s.value.get());
                   if (functions_.contains(current_)) mark(s.value.get());
                 },
                 [&](const CallStatement& s) { visit(s.call.get()); },
                 [&](const BlockStatement& s) { visit(s.body); },
                 [&](const ObjectStore& s) {
                   for (const ExpressionPtr& c : s.coordinates) {
                     visit(c.get());
                     mark(c.get());
                   }
                   visit(s.value.get());
                 },
             },
             statement.node);
}

void AddressUse::visit(const Expression* expression) {
  if (!expression) return;
  std::visit(Overloaded{
                 [](const Literal&) {},
                 [](const VariableExpression&) {},
                 [](const ResourceExpression&) {},
                 [&](const Unary& e) { visit(e.operand.get()); },
                 [&](const Binary& e) {
                   visit(e.left.get());
                   visit(e.right.get());
                 },
                 [&](const BuiltinCall& e) {
                   for (const ExpressionPtr& a : e.arguments) visit(a.get());
                 },
                 [&](const FunctionCall& e) {
                   for (std::size_t i = 0; i < e.arguments.size(); ++i) {
                     visit(e.arguments[i].get());
                     if (variables_.contains(e.function->parameters[i].get())) mark(e.arguments[i].get());
                   }
                 },
                 [&](const Construct& e) {
                   for (const ExpressionPtr& a : e.arguments) visit(a.get());
                 },
                 [&](const Convert& e) { visit(e.operand.get()); },
                 [&](const Bitcast& e) { visit(e.operand.get()); },
                 [&](const Index& e) {
                   visit(e.base.get());
                   visit(e.index.get());
                   mark(e.index.get());
                 },
                 [&](const Member& e) { visit(e.base.get()); },
                 [&](const Swizzle& e) { visit(e.base.get()); },
                 [&](const AddressOf& e) { visit(e.reference.get()); },
                 [&](const Dereference& e) { visit(e.pointer.get()); },
                 [&](const ObjectLoad& e) {
                   for (const ExpressionPtr& c : e.coordinates) {
                     visit(c.get());
                     mark(c.get());
                   }
                 },
             },
             expression->node);
}

void AddressUse::mark(const Expression* expression) {
  if (!expression) return;
  std::visit(Overloaded{
                 [&](const VariableExpression& e) { changed_ |= variables_.insert(e.variable).second; },
                 [&](const Unary& e) { mark(e.operand.get()); },
                 [&](const Binary& e) {
                   if (!carries_overflow(e.op)) return;
                   mark(e.left.get());
                   mark(e.right.get());
                 },
                 [&](const BuiltinCall& e) {
                   const std::size_t values = e.builtin == Builtin::Select ? 2
                                              : e.builtin == Builtin::Min || e.builtin == Builtin::Max ||
                                                      e.builtin == Builtin::Clamp || e.builtin == Builtin::Abs
                                                  ? e.arguments.size()
                                                  : 0;
                   for (std::size_t i = 0; i < values; ++i) mark(e.arguments[i].get());
                 },
                 [&](const FunctionCall& e) { changed_ |= functions_.insert(e.function).second; },
                 [&](const Construct& e) {
                   for (const ExpressionPtr& a : e.arguments) mark(a.get());
                 },
                 [&](const Convert& e) { mark(e.operand.get()); },
                 [&](const Bitcast& e) { mark(e.operand.get()); },
                 [&](const Index& e) { mark(e.base.get()); },
                 [&](const Member& e) { mark(e.base.get()); },
                 [&](const Swizzle& e) { mark(e.base.get()); },
                 [&](const AddressOf& e) { mark(e.reference.get()); },
                 [&](const Dereference& e) { mark(e.pointer.get()); },
                 [](const auto&) {},
             },
             expression->node);
}

}  // namespace driftwood::shader::interpreter
