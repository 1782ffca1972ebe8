// Statements that branch: if, switch and loops.
#include <algorithm>

#include "shader/checking/checker_state.h"
#include "shader/checking/control_flow.h"
#include "shader/checking/conversions.h"
#include "shader/ir_build.h"

namespace driftwood::shader::checking {

namespace {

bool declares_anything(const Block& block) {
  return std::any_of(block.begin(), block.end(),
                     [](const StatementPtr& s) { return std::holds_alternative<Declare>(s->node); });
}

}  // namespace

ExpressionPtr Checker::condition(const syntax::Expression& source, std::string_view what) {
  ExpressionPtr checked = value(source);
  const auto* scalar = checked->type->as<ScalarType>();
  if (!scalar || scalar->scalar != Scalar::Bool) {
    fail(source.range, "The condition of " + std::string(what) + " is a bool, not " + to_string(checked->type) + ".");
  }
  return checked;
}

void Checker::check_dead(const syntax::Block& source) {
  const Restore<bool> dead(context_.is_dead, true);
  Block dropped;
  check_block(source, dropped);
}

void Checker::statement(const syntax::If& source, const syntax::Statement& whole, Block& out) {
  If branch;
  branch.condition = condition(*source.condition, "'if'");
  const auto known = integer_value(*branch.condition);
  if (!known) {
    check_block(source.then_block, branch.then_block);
    check_block(source.else_block, branch.else_block);
    out.push_back(build::statement(std::move(branch), whole.range));
    return;
  }
  check_dead(*known ? source.else_block : source.then_block);
  BlockStatement taken;
  check_block(*known ? source.then_block : source.else_block, taken.body);
  if (declares_anything(taken.body)) {
    out.push_back(build::statement(std::move(taken), whole.range));
  } else {
    for (StatementPtr& statement : taken.body) out.push_back(std::move(statement));
  }
}

StatementPtr Checker::single_statement(const syntax::Statement& source) {
  Block block;
  check_statement(source, block);
  return block.empty() ? nullptr : std::move(block.front());
}

void Checker::check_loop_body(const syntax::Block& source, Block& out) {
  context_.enclosing.push_back({Enclosing::Kind::Loop, context_.locals.size(), SIZE_MAX, SIZE_MAX});
  check_block(source, out);
  context_.enclosing.pop_back();
}

void Checker::statement(const syntax::For& source, const syntax::Statement& whole, Block& out) {
  allow_attributes(whole.attributes, {"unroll", "diagnostic"}, "a loop");
  const LocalScope scope(context_);
  For loop;
  loop.unroll = syntax::find_attribute(whole.attributes, "unroll") != nullptr;
  if (source.init) {
    // What the first part needs before it goes before the loop.
    Block before;
    const Restore<Block*> sink(context_.sink, &before);
    check_statement(*source.init, before);
    const bool is_constant = before.empty();
    if (!is_constant) {
      loop.init = std::move(before.back());
      before.pop_back();
    }
    for (StatementPtr& statement : before) out.push_back(std::move(statement));
  }
  const Restore<Block*> sink(context_.sink, nullptr);
  if (source.condition) loop.condition = condition(*source.condition, source.is_while ? "'while'" : "'for'");
  if (source.update) loop.update = single_statement(*source.update);
  check_loop_body(source.body, loop.body);
  out.push_back(build::statement(std::move(loop), whole.range));
}

void Checker::statement(const syntax::Loop& source, const syntax::Statement& whole, Block& out) {
  Loop loop;
  const std::size_t first_local = context_.locals.size();
  context_.enclosing.push_back({Enclosing::Kind::Loop, first_local, SIZE_MAX, SIZE_MAX});
  {
    // The names of the body are known in its continuing block.
    const LocalScope body_scope(context_);
    check_statements(source.body, loop.body);
    Enclosing& enclosing = context_.enclosing.back();
    enclosing.kind = Enclosing::Kind::Continuing;
    enclosing.body_end = context_.locals.size();
    const LocalScope continuing_scope(context_);
    check_statements(source.continuing, loop.continuing);
    const Restore<Block*> sink(context_.sink, nullptr);
    if (source.break_if) loop.break_if = condition(*source.break_if, "'break if'");
  }
  context_.enclosing.pop_back();
  out.push_back(build::statement(std::move(loop), whole.range));
}

void Checker::statement(const syntax::Switch& source, const syntax::Statement& whole, Block& out) {
  Switch choice;
  ExpressionPtr selector = value(*source.selector);
  std::vector<std::vector<ExpressionPtr>> selectors;
  TypePtr type = selector->type;
  for (const auto& clause : source.clauses) {
    auto& list = selectors.emplace_back();
    for (const auto& expression : clause.selectors) {
      list.push_back(expression ? value(*expression) : nullptr);
      if (!list.back()) continue;
      if (!as_literal(*list.back())) {
        fail(expression->range, "The value of a 'case' must be known when the kernel is compiled.");
      }
      const TypePtr common = unify(type, list.back()->type);
      if (!common) {
        fail(expression->range, "This 'case' has the type " + to_string(list.back()->type) + ", but the selector has " +
                                    to_string(type) + ".");
      }
      type = common;
    }
  }
  type = concrete(type);
  const auto* scalar = type->as<ScalarType>();
  if (!scalar || !is_integer(scalar->scalar)) {
    fail(source.selector->range, "A 'switch' selects by i32 or u32, not " + to_string(type) + ".");
  }
  choice.selector = convert(std::move(selector), type, "the selector");

  bool has_default = false;
  std::vector<std::int64_t> seen;
  for (std::size_t i = 0; i < source.clauses.size(); ++i) {
    Switch::Case clause;
    for (std::size_t k = 0; k < selectors[i].size(); ++k) {
      if (!selectors[i][k]) {
        if (has_default) fail(source.clauses[i].range, "A 'switch' has one 'default' only.");
        has_default = clause.is_default = true;
        continue;
      }
      const SourceRange range = source.clauses[i].selectors[k]->range;
      const ExpressionPtr selected = convert(std::move(selectors[i][k]), type, "the value of a 'case'");
      const ConstantScalar number = std::get<Literal>(selected->node).components[0];
      if (std::find(seen.begin(), seen.end(), number.i) != seen.end()) {
        fail(range, "The value " + std::to_string(number.i) + " already has a 'case'.");
      }
      seen.push_back(number.i);
      clause.selectors.push_back(number);
    }
    context_.enclosing.push_back({Enclosing::Kind::Switch, context_.locals.size(), SIZE_MAX, SIZE_MAX});
    check_block(source.clauses[i].body, clause.body);
    context_.enclosing.pop_back();
    choice.cases.push_back(std::move(clause));
  }
  if (!has_default) fail(whole.range, "This 'switch' has no 'default'.");
  out.push_back(build::statement(std::move(choice), whole.range));
}

void Checker::statement(const syntax::Break&, const syntax::Statement& whole, Block& out) {
  if (context_.enclosing.empty()) fail(whole.range, "'break' stands in no loop or 'switch'.");
  if (context_.enclosing.back().kind == Enclosing::Kind::Continuing) {
    fail(whole.range, "A 'continuing' block cannot be left but by 'break if' at its end.");
  }
  out.push_back(build::statement(Break{}, whole.range));
}

void Checker::statement(const syntax::Continue&, const syntax::Statement& whole, Block& out) {
  for (std::size_t i = context_.enclosing.size(); i-- > 0;) {
    Enclosing& enclosing = context_.enclosing[i];
    if (enclosing.kind == Enclosing::Kind::Continuing)
      fail(whole.range, "'continue' cannot stand in a 'continuing' block.");
    if (enclosing.kind == Enclosing::Kind::Switch) continue;
    enclosing.serial_at_continue = std::min(enclosing.serial_at_continue, context_.next_serial);
    out.push_back(build::statement(Continue{}, whole.range));
    return;
  }
  fail(whole.range, "'continue' stands in no loop.");
}

}  // namespace driftwood::shader::checking
