// Statements whose course is known.
#include "shader/ir_build.h"
#include "shader/ir_walk.h"
#include "shader/optimize.h"

namespace driftwood::shader {

namespace {

// Whether a `break` or, for loops, a `continue` in the block belongs to the statement around it.
bool breaks_out(const Block& block) {
  for (const StatementPtr& each : block) {
    if (std::holds_alternative<Break>(each->node)) return true;
    const bool owns_breaks = std::holds_alternative<For>(each->node) || std::holds_alternative<Loop>(each->node) ||
                             std::holds_alternative<Switch>(each->node);
    if (owns_breaks) continue;
    bool found = false;
    for_each_block(*each, [&](Block& inner) { found = found || breaks_out(inner); });
    if (found) return true;
  }
  return false;
}

void append(Block& to, Block&& from) {
  for (StatementPtr& each : from) to.push_back(std::move(each));
}

bool ends_control(const Statement& statement) {
  return std::holds_alternative<Return>(statement.node) || std::holds_alternative<Break>(statement.node) ||
         std::holds_alternative<Continue>(statement.node);
}

// The body of the case that a known selector picks; null where a `break` in its middle needs the switch.
Block* picked_case(Switch& node, std::int64_t selector) {
  Switch::Case* picked = nullptr;
  for (Switch::Case& each : node.cases) {
    if (each.is_default && picked == nullptr) picked = &each;
  }
  for (Switch::Case& each : node.cases) {
    for (const ConstantScalar& value : each.selectors) {
      if (value.i == selector) picked = &each;
    }
  }
  if (picked == nullptr) return nullptr;
  Block& body = picked->body;
  if (!body.empty() && std::holds_alternative<Break>(body.back()->node)) body.pop_back();
  return breaks_out(body) ? nullptr : &body;
}

// Appends what remains of a statement whose parts are folded.
void append_folded(Block& result, StatementPtr statement) {
  if (auto* branch = std::get_if<If>(&statement->node)) {
    if (const auto condition = integer_value(*branch->condition)) {
      // Names are unique in the module, so the branch needs no scope of its own.
      return append(result, std::move(*condition != 0 ? branch->then_block : branch->else_block));
    }
    if (branch->then_block.empty() && branch->else_block.empty()) {
      if (!has_side_effects(*branch->condition)) return;
    } else if (branch->then_block.empty()) {
      branch->condition = build::unary(UnaryOp::Not, std::move(branch->condition));
      fold_constants(branch->condition);
      std::swap(branch->then_block, branch->else_block);
    }
  } else if (auto* loop = std::get_if<For>(&statement->node)) {
    const auto condition = loop->condition ? integer_value(*loop->condition) : std::nullopt;
    if (condition && *condition == 0) {
      if (loop->init) append_folded(result, std::move(loop->init));
      return;
    }
  } else if (auto* choice = std::get_if<Switch>(&statement->node)) {
    if (const auto selector = integer_value(*choice->selector)) {
      if (Block* body = picked_case(*choice, *selector)) return append(result, std::move(*body));
    }
  } else if (auto* assign = std::get_if<Assign>(&statement->node)) {
    const auto* target = assign->target ? std::get_if<VariableExpression>(&assign->target->node) : nullptr;
    const auto* value = std::get_if<VariableExpression>(&assign->value->node);
    if (target != nullptr && value != nullptr && target->variable == value->variable) return;  // x = x
  } else if (auto* block = std::get_if<BlockStatement>(&statement->node)) {
    return append(result, std::move(block->body));
  }
  result.push_back(std::move(statement));
}

}  // namespace

void fold_constants(Block& block) {
  rewrite_statements(block, [](StatementPtr& each) {
    for_each_expression(*each, [](ExpressionPtr& expression) { fold_constants(expression); });
  });
  rewrite_blocks(block, [](Block& inner) {
    Block result;
    for (StatementPtr& each : inner) {
      append_folded(result, std::move(each));
      if (!result.empty() && ends_control(*result.back())) break;
    }
    inner = std::move(result);
  });
}

void fold_constants(Module& module) {
  for (auto& variable : module.variables) {
    if (variable->initializer) fold_constants(variable->initializer);
  }
  for (auto& function : module.functions) {
    Block& body = function->body;
    fold_constants(body);
    const auto* last = body.empty() ? nullptr : std::get_if<Return>(&body.back()->node);
    if (last != nullptr && !last->value) body.pop_back();
  }
}

}  // namespace driftwood::shader
