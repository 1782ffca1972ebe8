#include "shader/ir_walk.h"

namespace driftwood::shader {

namespace {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};

bool is_effect(Builtin builtin) {
  switch (builtin) {
    case Builtin::WorkgroupBarrier:
    case Builtin::StorageBarrier:
    case Builtin::WorkgroupUniformLoad:
    case Builtin::AtomicLoad:
    case Builtin::AtomicStore:
    case Builtin::AtomicAdd:
    case Builtin::AtomicSub:
    case Builtin::AtomicMax:
    case Builtin::AtomicMin:
    case Builtin::AtomicAnd:
    case Builtin::AtomicOr:
    case Builtin::AtomicXor:
    case Builtin::AtomicExchange:
    case Builtin::IssueLoads:
    case Builtin::SubgroupAdd:
    case Builtin::SubgroupMul:
    case Builtin::SubgroupMax:
    case Builtin::SubgroupMin:
    case Builtin::SubgroupAll:
    case Builtin::SubgroupAny:
    case Builtin::SubgroupBroadcast:
    case Builtin::SubgroupBroadcastFirst:
    case Builtin::SubgroupShuffle:
    case Builtin::SubgroupShuffleXor:
    case Builtin::SubgroupShuffleUp:
    case Builtin::SubgroupShuffleDown:
    case Builtin::SubgroupExclusiveAdd:
    case Builtin::SubgroupInclusiveAdd:
    case Builtin::SubgroupElect:
    case Builtin::SubgroupMatrixLoad:
    case Builtin::SubgroupMatrixStore:
    case Builtin::SubgroupMatrixMultiplyAccumulate:
    case Builtin::StagesStart:
    case Builtin::StageOpen:
    case Builtin::StageCopy:
    case Builtin::StageWait:
    case Builtin::StageRelease:
    case Builtin::WorkgroupMatrixMultiplyAccumulate:
    case Builtin::WorkgroupMatrixWait:
    case Builtin::WorkgroupRegisters:
    case Builtin::WeightsStageCopy:
    case Builtin::TensorStore: return true;
    default: return false;
  }
}

const Expression& root_of(const Expression& reference) {
  const Expression* at = &reference;
  for (;;) {
    if (const auto* index = std::get_if<Index>(&at->node)) {
      at = index->base.get();
    } else if (const auto* member = std::get_if<Member>(&at->node)) {
      at = member->base.get();
    } else if (const auto* swizzle = std::get_if<Swizzle>(&at->node)) {
      at = swizzle->base.get();
    } else if (const auto* dereference = std::get_if<Dereference>(&at->node)) {
      const auto* address = std::get_if<AddressOf>(&dereference->pointer->node);
      if (address == nullptr) return *at;
      at = address->reference.get();
    } else {
      return *at;
    }
  }
}

}  // namespace

void for_each_operand(Expression& expression, const ExpressionRewrite& visit) {
  const auto all = [&](std::vector<ExpressionPtr>& list) {
    for (ExpressionPtr& each : list) visit(each);
  };
  std::visit(Overloaded{
                 [](Literal&) {},
                 [](VariableExpression&) {},
                 [](ResourceExpression&) {},
                 [&](Unary& node) { visit(node.operand); },
                 [&](Binary& node) {
                   visit(node.left);
                   visit(node.right);
                 },
                 [&](BuiltinCall& node) { all(node.arguments); },
                 [&](FunctionCall& node) { all(node.arguments); },
                 [&](Construct& node) { all(node.arguments); },
                 [&](Convert& node) { visit(node.operand); },
                 [&](Bitcast& node) { visit(node.operand); },
                 [&](Index& node) {
                   visit(node.base);
                   visit(node.index);
                 },
                 [&](Member& node) { visit(node.base); },
                 [&](Swizzle& node) { visit(node.base); },
                 [&](AddressOf& node) { visit(node.reference); },
                 [&](Dereference& node) { visit(node.pointer); },
                 [&](ObjectLoad& node) { all(node.coordinates); },
             },
             expression.node);
}

void for_each_expression(Statement& statement, const ExpressionRewrite& visit) {
  const auto one = [&](ExpressionPtr& expression) {
    if (expression) visit(expression);
  };
  std::visit(Overloaded{
                 [&](Declare& node) { one(node.initializer); },
                 [&](Assign& node) {
                   one(node.target);
                   one(node.value);
                 },
                 [&](CompoundAssign& node) {
                   one(node.target);
                   one(node.value);
                 },
                 [&](If& node) { one(node.condition); },
                 [&](For& node) { one(node.condition); },
                 [&](Loop& node) { one(node.break_if); },
                 [&](Switch& node) { one(node.selector); },
                 [&](Return& node) { one(node.value); },
                 [&](CallStatement& node) { one(node.call); },
                 [&](ObjectStore& node) {
                   for (ExpressionPtr& each : node.coordinates) one(each);
                   one(node.value);
                 },
                 [](Break&) {},
                 [](Continue&) {},
                 [](BlockStatement&) {},
             },
             statement.node);
}

void for_each_block(Statement& statement, const std::function<void(Block&)>& visit) {
  if (auto* branch = std::get_if<If>(&statement.node)) {
    visit(branch->then_block);
    visit(branch->else_block);
  } else if (auto* counted = std::get_if<For>(&statement.node)) {
    visit(counted->body);
  } else if (auto* loop = std::get_if<Loop>(&statement.node)) {
    visit(loop->body);
    visit(loop->continuing);
  } else if (auto* choice = std::get_if<Switch>(&statement.node)) {
    for (Switch::Case& each : choice->cases) visit(each.body);
  } else if (auto* block = std::get_if<BlockStatement>(&statement.node)) {
    visit(block->body);
  }
}

void for_each_child(Statement& statement, const std::function<void(StatementPtr&)>& visit) {
  auto* counted = std::get_if<For>(&statement.node);
  if (counted != nullptr && counted->init) visit(counted->init);
  for_each_block(statement, [&](Block& block) {
    for (StatementPtr& each : block) visit(each);
  });
  if (counted != nullptr && counted->update) visit(counted->update);
}

void rewrite_expressions(ExpressionPtr& root, const ExpressionRewrite& rewrite) {
  for_each_operand(*root, [&](ExpressionPtr& operand) { rewrite_expressions(operand, rewrite); });
  rewrite(root);
}

void rewrite_expressions(Statement& root, const ExpressionRewrite& rewrite) {
  for_each_expression(root, [&](ExpressionPtr& expression) { rewrite_expressions(expression, rewrite); });
  for_each_child(root, [&](StatementPtr& child) { rewrite_expressions(*child, rewrite); });
}

void rewrite_expressions(Block& block, const ExpressionRewrite& rewrite) {
  for (StatementPtr& each : block) rewrite_expressions(*each, rewrite);
}

void rewrite_expressions(Module& module, const ExpressionRewrite& rewrite) {
  for (auto& variable : module.variables) {
    if (variable->initializer) rewrite_expressions(variable->initializer, rewrite);
  }
  for (auto& function : module.functions) rewrite_expressions(function->body, rewrite);
}

// The visits share the traversal of the rewrites; nothing is changed through the casts.
void visit_expressions(const Expression& root, const ExpressionVisit& visit) {
  visit(root);
  for_each_operand(const_cast<Expression&>(root), [&](ExpressionPtr& operand) { visit_expressions(*operand, visit); });
}

void visit_expressions(const Statement& root, const ExpressionVisit& visit) {
  auto& statement = const_cast<Statement&>(root);
  for_each_expression(statement, [&](ExpressionPtr& expression) { visit_expressions(*expression, visit); });
  for_each_child(statement, [&](StatementPtr& child) { visit_expressions(*child, visit); });
}

void visit_expressions(const Block& block, const ExpressionVisit& visit) {
  for (const StatementPtr& each : block) visit_expressions(*each, visit);
}

void visit_expressions(const Module& module, const ExpressionVisit& visit) {
  for (const auto& variable : module.variables) {
    if (variable->initializer) visit_expressions(*variable->initializer, visit);
  }
  for (const auto& function : module.functions) visit_expressions(function->body, visit);
}

void visit_statements(const Block& block, const std::function<void(const Statement&)>& visit) {
  rewrite_statements(const_cast<Block&>(block), [&](StatementPtr& each) { visit(*each); });
}

void rewrite_statements(Block& block, const std::function<void(StatementPtr&)>& visit) {
  std::function<void(StatementPtr&)> walk = [&](StatementPtr& statement) {
    visit(statement);
    for_each_child(*statement, walk);
  };
  for (StatementPtr& each : block) walk(each);
}

void rewrite_blocks(Block& block, const std::function<void(Block&)>& rewrite) {
  for (StatementPtr& each : block) {
    for_each_block(*each, [&](Block& inner) { rewrite_blocks(inner, rewrite); });
  }
  rewrite(block);
}

bool has_side_effects(const Expression& expression) {
  bool found = false;
  visit_expressions(expression, [&](const Expression& each) {
    if (std::holds_alternative<FunctionCall>(each.node)) found = true;
    if (const auto* call = std::get_if<BuiltinCall>(&each.node)) found = found || is_effect(call->builtin);
  });
  return found;
}

const Variable* root_variable(const Expression& reference) {
  const auto* variable = std::get_if<VariableExpression>(&root_of(reference).node);
  return variable == nullptr ? nullptr : variable->variable;
}

const Resource* root_resource(const Expression& reference) {
  const auto* resource = std::get_if<ResourceExpression>(&root_of(reference).node);
  return resource == nullptr ? nullptr : resource->resource;
}

}  // namespace driftwood::shader
