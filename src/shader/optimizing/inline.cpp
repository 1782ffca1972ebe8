#include <unordered_map>

#include "shader/ir_build.h"
#include "shader/ir_walk.h"
#include "shader/optimize.h"
#include "shader/optimizing/single_exit.h"
#include "shader/optimizing/variables.h"

namespace driftwood::shader {

namespace {

constexpr std::size_t small_body = 6;  // statements that a call may grow to

std::size_t count_statements(const Block& block) {
  std::size_t count = 0;
  visit_statements(block, [&](const Statement&) { ++count; });
  return count;
}

// Whether running the body changes nothing outside it and reads nothing that others could change meanwhile.
bool is_pure(const Function& function) {
  bool pure = true;
  visit_statements(function.body, [&](const Statement& each) {
    if (std::holds_alternative<ObjectStore>(each.node)) pure = false;
    const Expression* target = nullptr;
    if (const auto* assign = std::get_if<Assign>(&each.node)) target = assign->target.get();
    if (const auto* assign = std::get_if<CompoundAssign>(&each.node)) target = assign->target.get();
    if (target == nullptr) return;
    const Variable* variable = root_variable(*target);
    pure = pure && variable != nullptr && variable->space == AddressSpace::Function &&
           variable->type->as<PointerType>() == nullptr;
  });
  visit_expressions(function.body, [&](const Expression& each) {
    if (!std::holds_alternative<BuiltinCall>(each.node) && !std::holds_alternative<FunctionCall>(each.node)) return;
    bool operands_only = true;
    if (std::holds_alternative<FunctionCall>(each.node)) operands_only = false;
    if (std::holds_alternative<BuiltinCall>(each.node) && has_side_effects(each)) operands_only = false;
    pure = pure && operands_only;
  });
  return pure;
}

struct Plan {
  bool wanted = false;         // body goes to the caller
  bool is_expression = false;  // the body is one `return e`
  bool pure = false;
};

class Inliner {
 public:
  explicit Inliner(Module& module) : names_(module) {
    std::unordered_map<const Function*, int> calls;
    visit_expressions(module, [&](const Expression& each) {
      if (const auto* call = std::get_if<FunctionCall>(&each.node)) ++calls[call->function];
    });
    for (auto& function : module.functions) {
      run(function->body);  // its callees are final already
      if (!function->is_entry_point) plans_[function.get()] = plan(*function, calls[function.get()]);
    }
  }

 private:
  Plan plan(Function& function, int calls) {
    Plan plan;
    if (!optimizing::make_single_exit(function, names_)) return plan;
    bool must = function.result->as<ArrayType>() != nullptr;
    for (const auto& each : function.parameters) must = must || each->type->as<PointerType>() != nullptr;
    const std::size_t size = count_statements(function.body);
    plan.is_expression = function.body.size() == 1 && std::holds_alternative<Return>(function.body[0]->node) &&
                         std::get<Return>(function.body[0]->node).value != nullptr;
    plan.wanted = must || plan.is_expression || size <= small_body || calls == 1;
    plan.pure = is_pure(function);
    return plan;
  }

  const Plan* plan_of(const Expression& expression) const {
    const auto* call = std::get_if<FunctionCall>(&expression.node);
    const auto found = call == nullptr ? plans_.end() : plans_.find(call->function);
    return found == plans_.end() || !found->second.wanted ? nullptr : &found->second;
  }

  void run(Block& block) {
    Block result;
    for (StatementPtr& each : block) {
      // Headers of loops run again and again; only calls that stay expressions can be opened there.
      open_expressions(*each);
      if (auto* loop = std::get_if<For>(&each->node)) {
        if (loop->init) hoist(*loop->init, result);
      } else if (!std::holds_alternative<Loop>(each->node)) {
        hoist(*each, result);
      }
      for_each_block(*each, [&](Block& inner) { run(inner); });
      const auto* call = std::get_if<CallStatement>(&each->node);
      if (call != nullptr && call->call == nullptr) continue;  // opened as a whole
      result.push_back(std::move(each));
    }
    block = std::move(result);
  }

  // Calls of `fn f(x) -> T { return e; }` become e where each argument can stand for its parameter.
  void open_expressions(Statement& statement) {
    const auto open = [&](ExpressionPtr& expression) {
      rewrite_expressions(expression, [&](ExpressionPtr& each) {
        const Plan* plan = plan_of(*each);
        if (plan != nullptr && plan->is_expression) open_expression(each);
      });
    };
    for_each_expression(statement, open);
    if (auto* loop = std::get_if<For>(&statement.node)) {
      if (loop->init) for_each_expression(*loop->init, open);
      if (loop->update) for_each_expression(*loop->update, open);
    }
  }

  void open_expression(ExpressionPtr& expression) {
    auto& call = std::get<FunctionCall>(expression->node);
    const Function& function = *call.function;
    const Expression& body = *std::get<Return>(function.body[0]->node).value;
    if (has_side_effects(body)) return;
    std::unordered_map<const Variable*, int> uses;
    visit_expressions(body, [&](const Expression& each) {
      if (const auto* read = std::get_if<VariableExpression>(&each.node)) ++uses[read->variable];
    });
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const Expression& argument = *call.arguments[i];
      const int count = uses[function.parameters[i].get()];
      if (has_side_effects(argument)) return;
      if (count > 1 && !optimizing::is_replaceable(argument)) return;
    }
    ExpressionPtr opened = clone(body);
    substitute(opened, function, call.arguments);
    fold_constants(opened);
    expression = std::move(opened);
  }

  static void substitute(ExpressionPtr& expression, const Function& function,
                         const std::vector<ExpressionPtr>& arguments) {
    rewrite_expressions(expression, [&](ExpressionPtr& each) {
      const auto* read = std::get_if<VariableExpression>(&each->node);
      if (read == nullptr) return;
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (read->variable == function.parameters[i].get()) {
          each = clone(*arguments[i]);
          return;
        }
      }
    });
  }

  // Calls in the expressions of a statement that runs them once, first to last.
  void hoist(Statement& statement, Block& before) {
    if (auto* call = std::get_if<CallStatement>(&statement.node)) {
      const Plan* plan = plan_of(*call->call);
      if (plan != nullptr && plan->wanted) {
        hoist_arguments(*call->call, before);
        ExpressionPtr result = open_body(*call->call, before);
        const bool has_effect = result && has_side_effects(*result);
        if (!has_effect) {
          call->call = nullptr;
        } else {
          statement.node = Assign{nullptr, std::move(result)};
        }
        return;
      }
    }
    int effects = 0;
    for_each_expression(statement, [&](ExpressionPtr& root) {
      visit_expressions(*root, [&](const Expression& each) {
        const auto* builtin = std::get_if<BuiltinCall>(&each.node);
        const Plan* plan = plan_of(each);
        const bool is_call = std::holds_alternative<FunctionCall>(each.node);
        if (is_call && (plan == nullptr || !plan->pure)) ++effects;
        if (builtin != nullptr && is_effect_itself(*builtin)) ++effects;
      });
    });
    for_each_expression(statement, [&](ExpressionPtr& root) {
      const bool whole = is_whole_value(statement, root);
      hoist_in(root, before, whole, effects);
    });
  }

  static bool is_effect_itself(const BuiltinCall& call) {
    Expression alone;
    alone.type = void_type();
    alone.node = BuiltinCall{call.builtin, {}};
    return has_side_effects(alone);
  }

  // `root` is all that the statement evaluates before it acts.
  static bool is_whole_value(const Statement& statement, const ExpressionPtr& root) {
    if (const auto* assign = std::get_if<Assign>(&statement.node)) {
      return &assign->value == &root &&
             (!assign->target || std::holds_alternative<VariableExpression>(assign->target->node));
    }
    return std::holds_alternative<Declare>(statement.node) || std::holds_alternative<Return>(statement.node) ||
           std::holds_alternative<If>(statement.node) || std::holds_alternative<Switch>(statement.node);
  }

  void hoist_arguments(Expression& call, Block& before) {
    for_each_operand(call, [&](ExpressionPtr& operand) { hoist_in(operand, before, false, 1); });
  }

  void hoist_in(ExpressionPtr& expression, Block& before, bool whole, int effects) {
    if (auto* binary = std::get_if<Binary>(&expression->node)) {
      if (binary->op == BinaryOp::LogicalAnd || binary->op == BinaryOp::LogicalOr) {
        hoist_in(binary->left, before, false, effects);  // the right side may not run
        return;
      }
    }
    const Plan* plan = plan_of(*expression);
    for_each_operand(*expression, [&](ExpressionPtr& operand) { hoist_in(operand, before, false, effects); });
    if (plan == nullptr) return;
    // An impure body may move in front only if nothing else of the statement can tell.
    const bool alone = whole && (effects == 0 || (effects == 1 && !plan->pure));
    const bool movable = plan->pure && effects == 0;
    if (!alone && !movable) return;
    ExpressionPtr result = open_body(*expression, before);
    if (result) expression = std::move(result);
  }

  // Appends the callee's statements and returns its result, which reads only what the body declared.
  ExpressionPtr open_body(Expression& expression, Block& before) {
    auto& call = std::get<FunctionCall>(expression.node);
    const Function& function = *call.function;
    VariableMap map;
    std::vector<std::pair<const Variable*, ExpressionPtr>> replaced;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const Variable& parameter = *function.parameters[i];
      const bool is_pointer = parameter.type->as<PointerType>() != nullptr;
      if (optimizing::is_replaceable(*call.arguments[i]) || is_pointer) {
        replaced.emplace_back(&parameter, std::move(call.arguments[i]));
        continue;
      }
      auto bound = build::variable(names_.make(parameter.name), parameter.type, false);
      map[&parameter] = bound.get();
      before.push_back(build::declare(std::move(bound), std::move(call.arguments[i]), expression.range));
    }
    Block body = clone(function.body, map, names_);
    for (StatementPtr& each : body) {
      rewrite_expressions(*each, [&](ExpressionPtr& inner) {
        const auto* read = std::get_if<VariableExpression>(&inner->node);
        if (read == nullptr) return;
        for (const auto& [parameter, value] : replaced) {
          if (read->variable == parameter) {
            inner = clone(*value);
            return;
          }
        }
      });
    }
    fold_constants(body);
    ExpressionPtr result;
    if (!body.empty() && std::holds_alternative<Return>(body.back()->node)) {
      result = std::move(std::get<Return>(body.back()->node).value);
      body.pop_back();
    }
    for (StatementPtr& each : body) before.push_back(std::move(each));
    return result;
  }

  FreshNames names_;
  std::unordered_map<const Function*, Plan> plans_;
};

}  // namespace

void inline_functions(Module& module) {
  Inliner inliner(module);
  for (auto& function : module.functions) optimizing::refresh_references(function->body);
}

}  // namespace driftwood::shader
