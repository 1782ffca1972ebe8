// Statements that do not branch: declarations, assignments, calls.
#include "shader/checking/checker_state.h"
#include "shader/checking/conversions.h"
#include "shader/ir_build.h"
#include "shader/ir_walk.h"

namespace driftwood::shader::checking {

void Checker::check_block(const syntax::Block& source, Block& out) {
  const LocalScope scope(context_);
  check_statements(source, out);
}

void Checker::check_statements(const syntax::Block& source, Block& out) {
  const Restore<Block*> sink(context_.sink, &out);
  for (const syntax::StatementPtr& statement : source) check_statement(*statement, out);
}

void Checker::check_statement(const syntax::Statement& source, Block& out) {
  const Depth depth(*this, source.range, 3);
  if (!std::holds_alternative<syntax::For>(source.node))
    allow_attributes(source.attributes, {"diagnostic"}, "this statement");
  std::visit([&](const auto& node) { statement(node, source, out); }, source.node);
}

void Checker::declare_local(const std::string& name, Entity entity, SourceRange range) {
  for (std::size_t i = context_.scopes.back(); i < context_.locals.size(); ++i) {
    if (context_.locals[i].name != name) continue;
    fail(range, quoted(name) + " is declared twice in the same block.",
         {{context_.locals[i].range, "The first declaration is here."}});
  }
  context_.locals.push_back({name, std::move(entity), range, context_.next_serial++});
}

void Checker::statement(const syntax::Variable& source, const syntax::Statement& whole, Block& out) {
  using Kind = syntax::Variable::Kind;
  if (source.kind == Kind::Const) {
    declare_local(source.name, declare_constant(source), source.name_range);
    return;
  }
  auto variable = std::make_unique<Variable>();
  variable->name = source.name;
  variable->range = source.name_range;
  variable->is_mutable = source.kind == Kind::Var;
  if (!source.qualifiers.empty()) {
    const auto* space = std::get_if<syntax::Name>(&source.qualifiers[0]->node);
    if (!space || space->text != "function" || source.qualifiers.size() > 1) {
      fail(source.qualifiers[0]->range, "A variable inside a function lies in the function address space only.");
    }
  }
  ExpressionPtr initializer;
  if (source.initializer) {
    initializer = initial_value(source);
  } else if (!source.type) {
    fail(source.name_range, "The variable " + quoted(source.name) + " needs a type or a value.");
  }
  variable->type = declared_type(source, initializer);
  const bool may_be_pointer = source.kind == Kind::Let && variable->type->as<PointerType>();
  if (!may_be_pointer && !is_constructible(variable->type)) {
    fail(source.name_range, quoted(source.name) + " cannot have the type " + to_string(variable->type) + ".");
  }
  declare_local(source.name, variable.get(), source.name_range);
  out.push_back(build::declare(std::move(variable), std::move(initializer), whole.range));
}

void Checker::statement(const syntax::Assignment& source, const syntax::Statement& whole, Block& out) {
  if (!source.target) {
    ExpressionPtr ignored = expression(*source.value);
    if (ignored->type->as<TensorType>() || ignored->type->as<WeightsType>()) return;
    if (!ignored->is_reference || is_constructible(ignored->type))
      ignored = make_concrete(as_value(std::move(ignored)));
    const bool is_whole_resource = !is_constructible(ignored->type) && !ignored->type->as<PointerType>();
    if (is_whole_resource) return;
    out.push_back(build::assign(nullptr, std::move(ignored), whole.range));
    return;
  }
  ExpressionPtr place = target(*source.target);
  if (source.op) {
    compound_assign(*source.op, std::move(place), value(*source.value), whole.range, out);
    return;
  }
  ExpressionPtr assigned = convert(value(*source.value), place->type, "the assigned value");
  out.push_back(build::assign(std::move(place), std::move(assigned), whole.range));
}

void Checker::compound_assign(BinaryOp op, ExpressionPtr place, ExpressionPtr operand, SourceRange range, Block& out) {
  ExpressionPtr result = make_binary(op, clone(*place), std::move(operand), range);
  result = convert(std::move(result), place->type, "the assigned value");
  if (!has_side_effects(*place)) {
    out.push_back(build::assign(std::move(place), std::move(result), range));
    return;
  }
  auto& binary = std::get<Binary>(result->node);
  out.push_back(build::statement(CompoundAssign{op, std::move(place), std::move(binary.right)}, range));
}

void Checker::statement(const syntax::Increment& source, const syntax::Statement& whole, Block& out) {
  ExpressionPtr place = target(*source.target);
  const auto* scalar = place->type->as<ScalarType>();
  if (!scalar || !is_integer(scalar->scalar)) {
    fail(source.target->range,
         std::string(source.is_decrement ? "'--'" : "'++'") + " takes i32 or u32, not " + to_string(place->type) + ".");
  }
  ExpressionPtr one = literal(place->type, {ConstantScalar::of_int(scalar->scalar, 1)}, whole.range);
  compound_assign(source.is_decrement ? BinaryOp::Subtract : BinaryOp::Add, std::move(place), std::move(one),
                  whole.range, out);
}

void Checker::statement(const syntax::CallStatement& source, const syntax::Statement& whole, Block& out) {
  const auto& call = std::get<syntax::Call>(source.call->node);
  if (must_be_used(call)) {
    const auto& name = std::get<syntax::Name>(call.callee->node).text;
    fail(source.call->range, "The value of " + quoted(name) + " is not used; write '_ = ...' to drop it.");
  }
  ExpressionPtr checked = expression(*source.call);
  out.push_back(build::statement(CallStatement{std::move(checked)}, whole.range));
}

void Checker::statement(const syntax::ConstAssert& source, const syntax::Statement& whole, Block&) {
  check_const_assert(source, whole.range);
}

void Checker::statement(const syntax::Compound& source, const syntax::Statement& whole, Block& out) {
  BlockStatement block;
  check_block(source.body, block.body);
  out.push_back(build::statement(std::move(block), whole.range));
}

void Checker::statement(const syntax::Return& source, const syntax::Statement& whole, Block& out) {
  for (const Enclosing& enclosing : context_.enclosing) {
    if (enclosing.kind == Enclosing::Kind::Continuing) fail(whole.range, "A 'continuing' block cannot return.");
  }
  const TypePtr& result = context_.function->result;
  const bool is_void = result->as<VoidType>() != nullptr;
  Return leave;
  if (source.value) {
    if (is_void) {
      fail(source.value->range, "The function " + quoted(context_.function->name) + " returns no value.",
           {{context_.function->range, "It is declared here."}});
    }
    leave.value = convert(value(*source.value), result, "the value returned from " + quoted(context_.function->name));
  } else if (!is_void) {
    fail(whole.range,
         "The function " + quoted(context_.function->name) + " must return a value of type " + to_string(result) + ".");
  }
  out.push_back(build::statement(std::move(leave), whole.range));
}

}  // namespace driftwood::shader::checking
