#include <algorithm>
#include <unordered_set>

#include "shader/ir_build.h"
#include "shader/ir_walk.h"
#include "shader/optimize.h"

namespace driftwood::shader {

namespace {

class Orderer {
 public:
  explicit Orderer(Module& module) : names_(module) {
    for (const auto& function : module.functions) {
      if (changes_memory(*function)) effects_.insert(function.get());
    }
  }

  void run(Block& block) {
    Block result;
    for (StatementPtr& each : block) {
      for_each_block(*each, [&](Block& inner) { run(inner); });
      const bool is_loop = std::holds_alternative<For>(each->node) || std::holds_alternative<Loop>(each->node);
      if (!is_loop) order(*each, result);
      result.push_back(std::move(each));
    }
    block = std::move(result);
  }

 private:
  // Whether others can see that the function ran; functions come after those they call.
  bool changes_memory(const Function& function) const {
    bool found = false;
    visit_statements(function.body, [&](const Statement& each) {
      if (std::holds_alternative<ObjectStore>(each.node)) found = true;
      const auto* assign = std::get_if<Assign>(&each.node);
      const auto* compound = std::get_if<CompoundAssign>(&each.node);
      const Expression* target = assign != nullptr     ? assign->target.get()
                                 : compound != nullptr ? compound->target.get()
                                                       : nullptr;
      if (target == nullptr) return;
      const Variable* variable = root_variable(*target);
      found = found || variable == nullptr || variable->space != AddressSpace::Function;
    });
    visit_expressions(function.body, [&](const Expression& each) { found = found || is_effect(each); });
    return found;
  }

  // Changes memory, or waits for others that do. Subgroup operations give a value of their operands alone.
  bool is_effect(const Expression& expression) const {
    if (const auto* call = std::get_if<FunctionCall>(&expression.node)) return effects_.contains(call->function);
    const auto* call = std::get_if<BuiltinCall>(&expression.node);
    if (call == nullptr) return false;
    return (call->builtin >= Builtin::WorkgroupBarrier && call->builtin < Builtin::SubgroupAdd) ||
           call->builtin == Builtin::SubgroupMatrixStore || is_pipeline_builtin(call->builtin);
  }

  bool holds_effect(const Expression& expression) const {
    bool found = false;
    visit_expressions(expression, [&](const Expression& each) { found = found || is_effect(each); });
    return found;
  }

  // Whether the value depends on memory that an effect may change.
  bool reads_memory(const Expression& expression) const {
    if (std::holds_alternative<AddressOf>(expression.node)) return false;
    bool found = false;
    visit_expressions(expression, [&](const Expression& each) {
      found = found || each.is_reference || is_effect(each) || std::holds_alternative<ObjectLoad>(each.node) ||
              std::holds_alternative<FunctionCall>(each.node);
    });
    return found;
  }

  void order(Statement& statement, Block& before) {
    std::vector<ExpressionPtr*> roots;
    for_each_expression(statement, [&](ExpressionPtr& root) { roots.push_back(&root); });
    if (std::holds_alternative<Assign>(statement.node) && roots.size() == 2) {
      // The target's address comes first, but only its indices can tell.
      order_parts(**roots[0], before);
      order_root(*roots[1], before);
      return;
    }
    std::size_t last = roots.size();
    for (std::size_t i = 0; i < roots.size(); ++i) {
      if (holds_effect(**roots[i])) last = i;
    }
    for (std::size_t i = 0; i < roots.size() && last < roots.size() && i <= last; ++i) {
      if (i < last && reads_memory(**roots[i])) {
        order_root(*roots[i], before);
        bind(*roots[i], before);
      } else {
        order_root(*roots[i], before);
      }
    }
  }

  // The outermost call may stay: nothing of the statement is evaluated after it.
  void order_root(ExpressionPtr& root, Block& before) { order_parts(*root, before); }

  void order_parts(Expression& expression, Block& before) {
    const auto* binary = std::get_if<Binary>(&expression.node);
    const bool is_short_circuit =
        binary != nullptr && (binary->op == BinaryOp::LogicalAnd || binary->op == BinaryOp::LogicalOr);
    std::vector<ExpressionPtr*> operands;
    for_each_operand(expression, [&](ExpressionPtr& operand) { operands.push_back(&operand); });
    if (is_short_circuit) return order_parts(**operands[0], before);  // C keeps this order, and may skip the right
    const auto count = [&](const auto& question) { return std::count_if(operands.begin(), operands.end(), question); };
    const auto effects = count([&](ExpressionPtr* each) { return holds_effect(**each); });
    const auto readers = count([&](ExpressionPtr* each) { return reads_memory(**each); });
    if (effects == 0) return;
    const auto* call = std::get_if<BuiltinCall>(&expression.node);
    const bool may_skip = call != nullptr && call->builtin == Builtin::Select;  // printed as a conditional
    std::ptrdiff_t seen = 0;
    for (ExpressionPtr* operand : operands) {
      const bool has_effect = holds_effect(**operand);
      const bool others_remain = seen + (has_effect ? 1 : 0) < effects;
      seen += has_effect ? 1 : 0;
      if (has_effect) order_parts(**operand, before);
      // What is evaluated before the last effect must not see it; what comes after sees it anyway once it is bound.
      // A place is reached, not read; its value is bound where the whole of it is read.
      const bool is_place_part = operand == operands[0] && (*operand)->is_reference &&
                                 (expression.is_reference || std::holds_alternative<AddressOf>(expression.node));
      const bool must_bind =
          (holds_effect(**operand) && (may_skip || readers > 1)) || (others_remain && reads_memory(**operand));
      if (must_bind && !is_place_part && (*operand)->type->as<PointerType>() == nullptr) bind(*operand, before);
    }
  }

  void bind(ExpressionPtr& expression, Block& before) {
    if (expression->type->as<VoidType>() != nullptr) return;
    auto made = build::variable(names_.make(name_for(*expression)), expression->type, false);
    Variable& bound = *made;
    const SourceRange range = expression->range;
    before.push_back(build::declare(std::move(made), std::move(expression), range));
    expression = build::read(bound, range);
  }

  static std::string name_for(const Expression& expression) {
    const auto* call = std::get_if<FunctionCall>(&expression.node);
    return call != nullptr ? call->function->name + "_value" : "value";
  }

  FreshNames names_;
  std::unordered_set<const Function*> effects_;
};

}  // namespace

void order_effects(Module& module) {
  Orderer orderer(module);
  for (auto& function : module.functions) orderer.run(function->body);
}

}  // namespace driftwood::shader
