#include <unordered_map>
#include <unordered_set>

#include "shader/ir_build.h"
#include "shader/ir_walk.h"
#include "shader/optimize.h"
#include "shader/optimizing/variables.h"

namespace driftwood::shader {

namespace {

using optimizing::VariableUses;

// The same value wherever it stands, and no dearer to write again than a name.
bool is_stable(const Expression& expression) {
  if (const auto* read = std::get_if<VariableExpression>(&expression.node)) {
    return !expression.is_reference && !read->variable->is_mutable;
  }
  if (const auto* literal = std::get_if<Literal>(&expression.node)) {
    return width_of(expression.type) > 0 || literal->components.size() <= 256;
  }
  if (const auto* swizzle = std::get_if<Swizzle>(&expression.node)) {
    return swizzle->count == 1 && std::holds_alternative<VariableExpression>(swizzle->base->node) &&
           is_stable(*swizzle->base);
  }
  return false;
}

bool is_stable_index(const Expression& expression) {
  bool stable = true;
  visit_expressions(expression, [&](const Expression& each) {
    stable = stable && !each.is_reference && !std::holds_alternative<FunctionCall>(each.node) &&
             !std::holds_alternative<BuiltinCall>(each.node) && !std::holds_alternative<ObjectLoad>(each.node) &&
             !std::holds_alternative<AddressOf>(each.node);
  });
  return stable;
}

// A place whose address does not depend on anything that changes.
bool is_stable_place(const Expression& reference) {
  if (std::holds_alternative<VariableExpression>(reference.node)) return true;
  if (std::holds_alternative<ResourceExpression>(reference.node)) return true;
  if (const auto* index = std::get_if<Index>(&reference.node)) {
    return is_stable_place(*index->base) && is_stable_index(*index->index);
  }
  if (const auto* member = std::get_if<Member>(&reference.node)) return is_stable_place(*member->base);
  if (const auto* dereference = std::get_if<Dereference>(&reference.node)) {
    const auto* read = std::get_if<VariableExpression>(&dereference->pointer->node);
    return read != nullptr && !read->variable->is_mutable;
  }
  return false;
}

bool may_continue(const Statement& statement) {
  if (std::holds_alternative<Continue>(statement.node)) return true;
  bool found = false;
  for_each_block(const_cast<Statement&>(statement), [&](Block& block) {
    for (const StatementPtr& each : block) found = found || may_continue(*each);
  });
  return found;
}

}  // namespace

namespace optimizing {

bool is_replaceable(const Expression& value) {
  if (is_stable(value)) return true;
  const auto* address = std::get_if<AddressOf>(&value.node);
  return address != nullptr && is_stable_place(*address->reference);
}

VariableUses::VariableUses(const Block& body) {
  const auto target_root = [&](const Expression& target) {
    if (const Variable* variable = root_variable(target)) ++writes[variable];
  };
  visit_statements(body, [&](const Statement& each) {
    if (const auto* assign = std::get_if<Assign>(&each.node); assign != nullptr && assign->target) {
      target_root(*assign->target);
    }
    if (const auto* assign = std::get_if<CompoundAssign>(&each.node)) target_root(*assign->target);
  });
  visit_expressions(body, [&](const Expression& each) {
    if (const auto* read = std::get_if<VariableExpression>(&each.node)) ++mentions[read->variable];
    if (const auto* address = std::get_if<AddressOf>(&each.node)) {
      if (const Variable* variable = root_variable(*address->reference)) addressed.insert(variable);
    }
  });
}

void refresh_references(Block& body) {
  rewrite_expressions(body, [](ExpressionPtr& each) {
    if (const auto* read = std::get_if<VariableExpression>(&each->node))
      each->is_reference = read->variable->is_mutable;
    if (const auto* index = std::get_if<Index>(&each->node)) each->is_reference = index->base->is_reference;
    if (const auto* member = std::get_if<Member>(&each->node)) each->is_reference = member->base->is_reference;
    if (const auto* swizzle = std::get_if<Swizzle>(&each->node))
      each->is_reference = swizzle->base->is_reference && swizzle->count == 1;
  });
}

}  // namespace optimizing

void propagate_lets(Module& module) {
  for (auto& function : module.functions) {
    const VariableUses uses(function->body);
    bool changed = false;
    rewrite_statements(function->body, [&](StatementPtr& each) {
      auto* declare = std::get_if<Declare>(&each->node);
      if (declare == nullptr || !declare->variable->is_mutable || !declare->initializer) return;
      const Variable* variable = declare->variable.get();
      if (uses.writes.contains(variable) || uses.addressed.contains(variable)) return;
      declare->variable->is_mutable = false;
      changed = true;
    });
    if (changed) optimizing::refresh_references(function->body);

    std::unordered_map<const Variable*, const Expression*> values;
    rewrite_statements(function->body, [&](StatementPtr& each) {
      for_each_expression(*each, [&](ExpressionPtr& root) {
        rewrite_expressions(root, [&](ExpressionPtr& expression) {
          const auto* read = std::get_if<VariableExpression>(&expression->node);
          if (read == nullptr) return;
          const auto found = values.find(read->variable);
          if (found == values.end()) return;
          const SourceRange range = expression->range;
          expression = clone(*found->second);
          expression->range = range;
        });
        fold_constants(root);
      });
      const auto* declare = std::get_if<Declare>(&each->node);
      if (declare == nullptr || declare->variable->is_mutable || !declare->initializer) return;
      if (optimizing::is_replaceable(*declare->initializer)) {
        values[declare->variable.get()] = declare->initializer.get();
      }
    });
  }
}

void join_declarations(Module& module) {
  for (auto& function : module.functions) {
    rewrite_blocks(function->body, [](Block& block) {
      for (std::size_t i = 0; i < block.size(); ++i) {
        auto* declare = std::get_if<Declare>(&block[i]->node);
        if (declare == nullptr || !declare->variable->is_mutable) continue;
        if (declare->initializer && has_side_effects(*declare->initializer)) continue;
        const Variable* variable = declare->variable.get();
        for (std::size_t j = i + 1; j < block.size(); ++j) {
          auto* assign = std::get_if<Assign>(&block[j]->node);
          const auto* target =
              assign != nullptr && assign->target ? std::get_if<VariableExpression>(&assign->target->node) : nullptr;
          if (target != nullptr && target->variable == variable && !optimizing::mentions(*assign->value, *variable)) {
            declare->initializer = std::move(assign->value);
            StatementPtr moved = std::move(block[i]);
            block[j] = std::move(moved);
            block.erase(block.begin() + static_cast<std::ptrdiff_t>(i));
            --i;
            break;
          }
          // A continue must not pass a declaration that the loop's continuing block may use.
          if (optimizing::mentions(*block[j], *variable) || may_continue(*block[j])) break;
        }
      }
    });
  }
}

namespace optimizing {

bool mentions(const Expression& expression, const Variable& variable) {
  bool found = false;
  visit_expressions(expression, [&](const Expression& each) {
    const auto* read = std::get_if<VariableExpression>(&each.node);
    found = found || (read != nullptr && read->variable == &variable);
  });
  return found;
}

bool mentions(const Statement& statement, const Variable& variable) {
  bool found = false;
  visit_expressions(statement, [&](const Expression& each) {
    const auto* read = std::get_if<VariableExpression>(&each.node);
    found = found || (read != nullptr && read->variable == &variable);
  });
  return found;
}

}  // namespace optimizing

}  // namespace driftwood::shader
