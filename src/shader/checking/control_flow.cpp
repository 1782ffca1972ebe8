#include "shader/checking/control_flow.h"

#include "shader/ir_build.h"

namespace driftwood::shader::checking {

namespace {

Behavior either(Behavior a, Behavior b) {
  return {a.next || b.next, a.returns || b.returns, a.breaks || b.breaks, a.continues || b.continues};
}

Behavior behavior_of_statement(const Statement& statement) {
  if (std::get_if<Return>(&statement.node)) return {.returns = true};
  if (std::get_if<Break>(&statement.node)) return {.breaks = true};
  if (std::get_if<Continue>(&statement.node)) return {.continues = true};
  if (const auto* block = std::get_if<BlockStatement>(&statement.node)) return behavior_of(block->body);
  if (const auto* branch = std::get_if<If>(&statement.node)) {
    return either(behavior_of(branch->then_block), behavior_of(branch->else_block));
  }
  if (const auto* loop = std::get_if<For>(&statement.node)) {
    const Behavior body = behavior_of(loop->body);
    const bool endless = !loop->condition || integer_value(*loop->condition) == 1;
    return {.next = !endless || body.breaks, .returns = body.returns};
  }
  if (const auto* loop = std::get_if<Loop>(&statement.node)) {
    const Behavior body = behavior_of(loop->body);
    return {.next = body.breaks || loop->break_if, .returns = body.returns};
  }
  if (const auto* choice = std::get_if<Switch>(&statement.node)) {
    Behavior result;
    for (const Switch::Case& clause : choice->cases) result = either(result, behavior_of(clause.body));
    result.next = result.next || result.breaks;
    result.breaks = false;
    return result;
  }
  return {.next = true};
}

}  // namespace

Behavior behavior_of(const Block& block) {
  Behavior result{.next = true};
  for (const StatementPtr& statement : block) {
    if (!result.next) break;
    result.next = false;
    result = either(result, behavior_of_statement(*statement));
  }
  return result;
}

}  // namespace driftwood::shader::checking
