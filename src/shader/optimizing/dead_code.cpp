#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "shader/ir_build.h"
#include "shader/ir_walk.h"
#include "shader/optimize.h"
#include "shader/optimizing/variables.h"

namespace driftwood::shader {

namespace {

using optimizing::VariableUses;

bool is_local_memory(const Variable& variable) {
  return variable.space == AddressSpace::Function || variable.space == AddressSpace::Private ||
         variable.space == AddressSpace::Workgroup;
}

// Reads of variables and everything that keeps them: all mentions but those at the root of assignments' targets.
struct LiveVariables {
  std::unordered_set<const Variable*> read;

  explicit LiveVariables(const Module& module) {
    for (const auto& function : module.functions) {
      const VariableUses uses(function->body);
      const auto own = own_reads(function->body);
      const auto count_in = [](const auto& counts, const Variable* variable) {
        const auto found = counts.find(variable);
        return found == counts.end() ? 0 : found->second;
      };
      for (const auto& [variable, count] : uses.mentions) {
        const bool is_read = count > count_in(uses.writes, variable) + count_in(own, variable);
        if (is_read || uses.addressed.contains(variable)) read.insert(variable);
      }
      visit_statements(function->body, [&](const Statement& each) { keep_needed_targets(each); });
    }
  }

  bool is_dead_target(const Expression& target) const {
    const Variable* variable = root_variable(target);
    if (variable == nullptr || !is_local_memory(*variable) || variable->type->as<PointerType>() != nullptr)
      return false;
    return !read.contains(variable);
  }

 private:
  // Reads of a variable in a value that only it receives: `sum = sum + 1.0` alone keeps no sum alive.
  static std::unordered_map<const Variable*, int> own_reads(const Block& body) {
    std::unordered_map<const Variable*, int> counts;
    visit_statements(body, [&](const Statement& each) {
      const auto* assign = std::get_if<Assign>(&each.node);
      const Variable* target = assign != nullptr && assign->target ? root_variable(*assign->target) : nullptr;
      if (target == nullptr || has_side_effects(*assign->value)) return;
      visit_expressions(*assign->value, [&](const Expression& inner) {
        const auto* mention = std::get_if<VariableExpression>(&inner.node);
        if (mention != nullptr && mention->variable == target) ++counts[target];
      });
    });
    return counts;
  }

  void keep_needed_targets(const Statement& statement) {
    const auto keep = [&](const Statement& each, bool always) {
      const auto* assign = std::get_if<Assign>(&each.node);
      const auto* compound = std::get_if<CompoundAssign>(&each.node);
      const Expression* target = assign != nullptr     ? assign->target.get()
                                 : compound != nullptr ? compound->target.get()
                                                       : nullptr;
      if (target != nullptr && (always || has_side_effects(*target))) read.insert(root_variable(*target));
    };
    keep(statement, false);
    // What a loop's header declares and changes lives as long as the loop does.
    if (const auto* loop = std::get_if<For>(&statement.node)) {
      for (const StatementPtr* each : {&loop->init, &loop->update}) {
        if (!*each) continue;
        keep(**each, true);
        if (const auto* declare = std::get_if<Declare>(&(*each)->node)) read.insert(declare->variable.get());
      }
    }
  }
};

StatementPtr phony(ExpressionPtr value, SourceRange range) {
  const bool is_call =
      std::holds_alternative<FunctionCall>(value->node) || std::holds_alternative<BuiltinCall>(value->node);
  if (is_call) return build::statement(CallStatement{std::move(value)}, range);
  return build::assign(nullptr, std::move(value), range);
}

// What is left of a statement: itself, its effects, or nothing.
void append_live(Block& result, StatementPtr statement, const LiveVariables& live, bool& changed) {
  const auto keep_effects = [&](ExpressionPtr& value) {
    changed = true;
    if (value && has_side_effects(*value)) result.push_back(phony(std::move(value), statement->range));
  };
  if (auto* declare = std::get_if<Declare>(&statement->node)) {
    const Variable* variable = declare->variable.get();
    if (!live.read.contains(variable)) {
      // Assignments to it go in the same round, so nothing refers to it any more.
      return keep_effects(declare->initializer);
    }
  } else if (auto* assign = std::get_if<Assign>(&statement->node)) {
    if (!assign->target) {
      if (!has_side_effects(*assign->value)) return keep_effects(assign->value);
    } else if (live.is_dead_target(*assign->target)) {
      return keep_effects(assign->value);
    }
  } else if (auto* compound = std::get_if<CompoundAssign>(&statement->node)) {
    if (live.is_dead_target(*compound->target)) return keep_effects(compound->value);
  } else if (auto* loop = std::get_if<For>(&statement->node)) {
    const auto* init = loop->init ? std::get_if<Declare>(&loop->init->node) : nullptr;
    const auto* step = loop->update ? std::get_if<Assign>(&loop->update->node) : nullptr;
    const bool counts = init != nullptr && step != nullptr && step->target && loop->condition && init->initializer &&
                        root_variable(*step->target) == init->variable.get();
    if (counts && loop->body.empty() && !has_side_effects(*loop->condition) && !has_side_effects(*init->initializer) &&
        !has_side_effects(*step->value)) {
      changed = true;
      return;
    }
  } else if (auto* branch = std::get_if<If>(&statement->node)) {
    if (branch->then_block.empty() && branch->else_block.empty() && !has_side_effects(*branch->condition)) {
      changed = true;
      return;
    }
  }
  result.push_back(std::move(statement));
}

bool remove_dead_statements(Module& module) {
  bool changed = false;
  const LiveVariables live(module);
  for (auto& function : module.functions) {
    rewrite_blocks(function->body, [&](Block& block) {
      Block result;
      for (StatementPtr& each : block) append_live(result, std::move(each), live, changed);
      block = std::move(result);
    });
  }
  return changed;
}

void remove_uncalled_functions(Module& module) {
  std::unordered_set<const Function*> called;
  // Callers come after callees, so one sweep from the end sees every caller first.
  for (auto at = module.functions.rbegin(); at != module.functions.rend(); ++at) {
    if (!(*at)->is_entry_point && !called.contains(at->get())) continue;
    visit_expressions((*at)->body, [&](const Expression& each) {
      if (const auto* call = std::get_if<FunctionCall>(&each.node)) called.insert(call->function);
    });
  }
  std::erase_if(module.functions,
                [&](const auto& each) { return !each->is_entry_point && !called.contains(each.get()); });
}

void remove_unused_declarations(Module& module) {
  std::unordered_set<const Variable*> variables;
  std::unordered_set<const Resource*> resources;
  std::unordered_set<std::string> structs;
  visit_expressions(module, [&](const Expression& each) {
    if (const auto* read = std::get_if<VariableExpression>(&each.node)) variables.insert(read->variable);
    if (const auto* read = std::get_if<ResourceExpression>(&each.node)) resources.insert(read->resource);
    if (const auto* load = std::get_if<ObjectLoad>(&each.node)) resources.insert(load->object);
  });
  for (const auto& function : module.functions) {
    visit_statements(function->body, [&](const Statement& each) {
      if (const auto* store = std::get_if<ObjectStore>(&each.node)) resources.insert(store->object);
    });
  }
  std::erase_if(module.variables, [&](const auto& each) { return !variables.contains(each.get()); });
  std::erase_if(module.resources, [&](const auto& each) { return !resources.contains(each.get()); });
  std::uint32_t binding = 0;
  for (auto& each : module.resources) each->binding = binding++;
}

void refresh_features(Module& module) {
  module.uses_subgroups = module.uses_packed_dot = module.uses_f16 = module.uses_matrices = false;
  module.uses_pipeline = false;
  const auto see = [&](const TypePtr& type) {
    if (type && scalar_of(type) == Scalar::F16) module.uses_f16 = true;
  };
  for (const auto& each : module.resources) {
    TypePtr type = each->type;
    while (type && type->as<ArrayType>() != nullptr) type = type->as<ArrayType>()->element;
    see(type);
  }
  visit_expressions(module, [&](const Expression& each) {
    see(each.type);
    const auto* call = std::get_if<BuiltinCall>(&each.node);
    if (call == nullptr) return;
    if (call->builtin >= Builtin::SubgroupAdd && call->builtin <= Builtin::SubgroupElect) module.uses_subgroups = true;
    if (is_matrix_builtin(call->builtin)) module.uses_matrices = true;
    if (is_pipeline_builtin(call->builtin)) module.uses_pipeline = true;
    if (call->builtin == Builtin::Dot4I8Packed || call->builtin == Builtin::Dot4U8Packed) module.uses_packed_dot = true;
  });
  for (const auto& parameter : module.entry_point->parameters) {
    if (parameter->builtin >= BuiltinInput::SubgroupInvocationId) module.uses_subgroups = true;
  }
}

}  // namespace

void remove_dead_code(Module& module) {
  remove_uncalled_functions(module);
  while (remove_dead_statements(module)) {
  }
  remove_uncalled_functions(module);
  remove_unused_declarations(module);
  refresh_features(module);
}

}  // namespace driftwood::shader
