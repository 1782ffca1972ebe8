#include "shader/optimizing/single_exit.h"

#include "shader/ir_walk.h"

namespace driftwood::shader::optimizing {

namespace {

bool holds_return(const Block& block) {
  bool found = false;
  visit_statements(block, [&](const Statement& each) { found = found || std::holds_alternative<Return>(each.node); });
  return found;
}

bool holds_return(const Statement& statement) {
  if (std::holds_alternative<Return>(statement.node)) return true;
  bool found = false;
  for_each_block(const_cast<Statement&>(statement), [&](Block& block) { found = found || holds_return(block); });
  return found;
}

// Whether every way through the block ends in a return.
bool always_returns(const Block& block) {
  if (block.empty()) return false;
  const Statement& last = *block.back();
  if (std::holds_alternative<Return>(last.node)) return true;
  const auto* branch = std::get_if<If>(&last.node);
  return branch != nullptr && always_returns(branch->then_block) && always_returns(branch->else_block);
}

// Returns stand at the end of blocks and only `if`s are between them and the function.
bool can_restructure(const Block& block) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (!holds_return(*block[i]) || std::holds_alternative<Return>(block[i]->node)) continue;
    const auto* branch = std::get_if<If>(&block[i]->node);
    if (branch == nullptr || !can_restructure(branch->then_block) || !can_restructure(branch->else_block)) return false;
    const bool is_last = i + 1 == block.size();
    // What follows moves into the branch that does not return; one that returns at times only has no such place.
    const bool then_clear = always_returns(branch->then_block) || !holds_return(branch->then_block);
    const bool else_clear = always_returns(branch->else_block) || !holds_return(branch->else_block);
    if (!is_last && (!then_clear || !else_clear)) return false;
  }
  return true;
}

void restructure(Block& block, Variable* result) {
  for (std::size_t i = 0; i < block.size(); ++i) {
    if (auto* returned = std::get_if<Return>(&block[i]->node)) {
      if (result != nullptr && returned->value) {
        block[i] = build::assign(build::read(*result), std::move(returned->value), block[i]->range);
        block.resize(i + 1);
      } else {
        block.resize(i);
      }
      return;
    }
    if (!holds_return(*block[i])) continue;
    auto& branch = std::get<If>(block[i]->node);
    const bool then_returns = always_returns(branch.then_block);
    if (!(then_returns && always_returns(branch.else_block))) {
      Block& open = then_returns ? branch.else_block : branch.then_block;
      for (std::size_t j = i + 1; j < block.size(); ++j) open.push_back(std::move(block[j]));
    }
    block.resize(i + 1);
    restructure(branch.then_block, result);
    restructure(branch.else_block, result);
    return;
  }
}

}  // namespace

bool make_single_exit(Function& function, FreshNames& names) {
  Block& body = function.body;
  bool early = false;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const bool is_final = i + 1 == body.size() && std::holds_alternative<Return>(body[i]->node);
    early = early || (holds_return(*body[i]) && !is_final);
  }
  if (!early) return true;
  if (!can_restructure(body)) return false;
  const bool has_result = function.result->as<VoidType>() == nullptr;
  if (!has_result) {
    restructure(body, nullptr);
    return true;
  }
  auto variable = build::variable(names.make(function.name + "_result"), function.result, true);
  Variable& result = *variable;
  restructure(body, &result);
  body.insert(body.begin(), build::declare(std::move(variable), nullptr, function.range));
  // The result stays mutable, so the return is a read of a reference.
  body.push_back(build::statement(Return{build::read(result)}, function.range));
  return true;
}

}  // namespace driftwood::shader::optimizing
