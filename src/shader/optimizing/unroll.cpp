#include "shader/diagnostics.h"
#include "shader/ir_build.h"
#include "shader/ir_walk.h"
#include "shader/optimize.h"
#include "shader/optimizing/fold_scalars.h"
#include "shader/optimizing/variables.h"

namespace driftwood::shader {

namespace {

void substitute(Statement& statement, const Variable& variable, const ConstantScalar& value) {
  rewrite_expressions(statement, [&](ExpressionPtr& each) {
    const auto* read = std::get_if<VariableExpression>(&each->node);
    if (read != nullptr && read->variable == &variable) each = build::literal(each->type, {value}, each->range);
  });
}

std::optional<std::int64_t> condition_at(const Expression& condition, const Variable& variable,
                                         const ConstantScalar& value) {
  ExpressionPtr copy = clone(condition);
  rewrite_expressions(copy, [&](ExpressionPtr& each) {
    const auto* read = std::get_if<VariableExpression>(&each->node);
    if (read != nullptr && read->variable == &variable) each = build::literal(each->type, {value}, each->range);
  });
  fold_constants(copy);
  return integer_value(*copy);
}

// The value after the loop's update statement, if that is known.
std::optional<ConstantScalar> step_from(const Statement& update, const Variable& variable,
                                        const ConstantScalar& value) {
  ExpressionPtr next;
  const auto is_variable = [&](const Expression& target) {
    const auto* read = std::get_if<VariableExpression>(&target.node);
    return read != nullptr && read->variable == &variable;
  };
  if (const auto* compound = std::get_if<CompoundAssign>(&update.node)) {
    if (!is_variable(*compound->target)) return std::nullopt;
    next = build::binary(compound->op, clone(*compound->target), clone(*compound->value));
  } else if (const auto* assign = std::get_if<Assign>(&update.node)) {
    if (!assign->target || !is_variable(*assign->target)) return std::nullopt;
    next = clone(*assign->value);
  } else {
    return std::nullopt;
  }
  rewrite_expressions(next, [&](ExpressionPtr& each) {
    if (is_variable(*each)) each = build::literal(each->type, {value}, each->range);
  });
  fold_constants(next);
  const Literal* known = as_literal(*next);
  if (known == nullptr || known->components.size() != 1) return std::nullopt;
  return known->components[0];
}

// The values of the loop variable, one a turn; nothing where they are not known or too many.
std::optional<std::vector<ConstantScalar>> turns_of(const For& loop, std::size_t limit) {
  const auto* init = loop.init ? std::get_if<Declare>(&loop.init->node) : nullptr;
  if (init == nullptr || !init->initializer || !loop.condition || !loop.update) return std::nullopt;
  const Literal* start = as_literal(*init->initializer);
  if (start == nullptr || start->components.size() != 1) return std::nullopt;
  const Variable& variable = *init->variable;
  const optimizing::VariableUses uses(loop.body);
  if (uses.writes.contains(&variable) || uses.addressed.contains(&variable)) return std::nullopt;
  std::vector<ConstantScalar> turns;
  ConstantScalar value = start->components[0];
  for (;;) {
    const auto goes_on = condition_at(*loop.condition, variable, value);
    if (!goes_on) return std::nullopt;
    if (*goes_on == 0) return turns;
    if (turns.size() == limit) return std::nullopt;
    turns.push_back(value);
    const auto next = step_from(*loop.update, variable, value);
    if (!next) return std::nullopt;
    value = *next;
  }
}

bool leaves_turn(const Block& block, bool inside_switch = false) {
  for (const StatementPtr& each : block) {
    if (std::holds_alternative<Continue>(each->node)) return true;
    if (std::holds_alternative<Break>(each->node) && !inside_switch) return true;
    if (std::holds_alternative<For>(each->node) || std::holds_alternative<Loop>(each->node)) continue;
    const bool in_switch = inside_switch || std::holds_alternative<Switch>(each->node);
    bool found = false;
    for_each_block(*each, [&](Block& inner) { found = found || leaves_turn(inner, in_switch); });
    if (found) return true;
  }
  return false;
}

// `if (c) { ...; continue; } rest` becomes `if (c) { ... } else { rest }`.
void restructure_continues(Block& block) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (std::holds_alternative<Continue>(block[i]->node)) {
      block.resize(i);
      return;
    }
    auto* branch = std::get_if<If>(&block[i]->node);
    if (branch == nullptr) continue;
    const auto skips = [](const Block& inner) {
      return !inner.empty() && std::holds_alternative<Continue>(inner.back()->node);
    };
    const bool then_skips = skips(branch->then_block), else_skips = skips(branch->else_block);
    if (!then_skips && !else_skips) continue;
    Block& taking = then_skips ? branch->else_block : branch->then_block;
    if (then_skips) branch->then_block.pop_back();
    if (else_skips) branch->else_block.pop_back();
    if (!(then_skips && else_skips)) {
      for (std::size_t j = i + 1; j < block.size(); ++j) taking.push_back(std::move(block[j]));
    }
    block.resize(i + 1);
    restructure_continues(taking);
    return;
  }
}

class Unroller {
 public:
  explicit Unroller(Module& module) : module_(module), names_(module) {}

  void unroll(Block& block) {
    Block result;
    for (StatementPtr& each : block) {
      auto* loop = std::get_if<For>(&each->node);
      if (loop != nullptr && expand(*loop, each->range, result)) continue;
      for_each_block(*each, [&](Block& inner) { unroll(inner); });
      result.push_back(std::move(each));
    }
    block = std::move(result);
  }

 private:
  bool expand(For& loop, SourceRange range, Block& result) {
    const auto turns = turns_of(loop, loop.unroll ? unroll_limit : 1);
    if (!turns) {
      if (!loop.unroll) return false;
      throw CompileError(module_.sources, range,
                         "@unroll needs a loop that declares its variable, whose values are known when the kernel is "
                         "compiled and that takes at most " +
                             std::to_string(unroll_limit) + " turns.");
    }
    if (leaves_turn(loop.body)) restructure_continues(loop.body);
    if (leaves_turn(loop.body)) {
      if (!loop.unroll) return false;
      throw CompileError(module_.sources, range, "A loop with 'break' or a nested 'continue' cannot be unrolled.");
    }
    const Variable& variable = *std::get<Declare>(loop.init->node).variable;
    for (const ConstantScalar& value : *turns) {
      VariableMap map;
      Block turn = clone(loop.body, map, names_);
      for (StatementPtr& each : turn) substitute(*each, variable, value);
      fold_constants(turn);
      unroll(turn);
      for (StatementPtr& each : turn) result.push_back(std::move(each));
    }
    return true;
  }

  Module& module_;
  FreshNames names_;
};

}  // namespace

void unroll_loops(Module& module) {
  Unroller unroller(module);
  for (auto& function : module.functions) unroller.unroll(function->body);
}

}  // namespace driftwood::shader
