#include <unordered_map>

#include "shader/ir_build.h"
#include "shader/ir_walk.h"
#include "shader/optimize.h"
#include "shader/optimizing/variables.h"

namespace driftwood::shader {

namespace {

// What the parameters of a function stand for at the call under inspection.
using Bindings = std::unordered_map<const Variable*, const Expression*>;

// Follows the kernel's statements to the first that touches a workgroup variable. If that one gives every element a
// value, nobody can see the zeroes: an invocation reads what others wrote only behind a barrier, and barriers are
// reached by the whole workgroup.
class FirstTouch {
 public:
  FirstTouch(const Module& module, const Variable& variable) : variable_(variable) {
    size_ = module.entry_point->workgroup_size;
    total_ = size_[0] * size_[1] * size_[2];
    for (const auto& function : module.functions) {
      visit_expressions(function->body, [&](const Expression& each) {
        const auto* read = std::get_if<VariableExpression>(&each.node);
        const auto* call = std::get_if<FunctionCall>(&each.node);
        if ((read != nullptr && read->variable == &variable) || (call != nullptr && touches_[call->function])) {
          touches_[function.get()] = true;
        }
      });
    }
  }

  bool writes_all(const Block& block, const Bindings& bindings) {
    bool written = false;
    for (const StatementPtr& each : block) {
      if (!touches(*each)) continue;
      if (!loop_writes_all(*each, bindings)) return writes_all(*each, bindings);
      written = true;  // unless the loop takes no turn; then what follows is the first
    }
    return written;
  }

 private:
  bool touches(const Expression& root) {
    bool found = false;
    visit_expressions(root, [&](const Expression& each) {
      const auto* read = std::get_if<VariableExpression>(&each.node);
      const auto* call = std::get_if<FunctionCall>(&each.node);
      found =
          found || (read != nullptr && read->variable == &variable_) || (call != nullptr && touches_[call->function]);
    });
    return found;
  }

  bool touches(const Statement& statement) {
    bool found = false;
    visit_expressions(statement, [&](const Expression& each) {
      const auto* read = std::get_if<VariableExpression>(&each.node);
      const auto* call = std::get_if<FunctionCall>(&each.node);
      found =
          found || (read != nullptr && read->variable == &variable_) || (call != nullptr && touches_[call->function]);
    });
    return found;
  }

  bool writes_all(const Statement& statement, const Bindings& bindings) {
    if (const auto* assign = std::get_if<Assign>(&statement.node)) {
      if (assign->target && touches(*assign->target)) {
        return !touches(*assign->value) && covers(*assign->target, bindings);
      }
      return call_writes_all(*assign->value, bindings);
    }
    if (const auto* declare = std::get_if<Declare>(&statement.node)) {
      return call_writes_all(*declare->initializer, bindings);
    }
    if (const auto* call = std::get_if<CallStatement>(&statement.node)) return call_writes_all(*call->call, bindings);
    if (const auto* branch = std::get_if<If>(&statement.node)) {
      return picks_one(*branch->condition, bindings) && branch->else_block.empty() &&
             variable_.type->as<ArrayType>() == nullptr && writes_all(branch->then_block, bindings);
    }
    if (const auto* loop = std::get_if<For>(&statement.node)) return strides_over_all(*loop, bindings);
    return false;
  }

  bool loop_writes_all(const Statement& statement, const Bindings& bindings) {
    if (const auto* loop = std::get_if<Loop>(&statement.node)) return writes_all(loop->body, bindings);
    const auto* loop = std::get_if<For>(&statement.node);
    if (loop == nullptr || (loop->condition && touches(*loop->condition))) return false;
    if ((loop->init && touches(*loop->init)) || (loop->update && touches(*loop->update))) return false;
    return writes_all(loop->body, bindings);
  }

  // The one call in a value that touches the variable, of a function that writes all before it does anything else.
  bool call_writes_all(const Expression& value, const Bindings& bindings) {
    const FunctionCall* call = nullptr;
    bool is_simple = true;
    visit_expressions(value, [&](const Expression& each) {
      const auto* read = std::get_if<VariableExpression>(&each.node);
      const auto* found = std::get_if<FunctionCall>(&each.node);
      const auto* binary = std::get_if<Binary>(&each.node);
      if (read != nullptr && read->variable == &variable_) is_simple = false;
      if (binary != nullptr && (binary->op == BinaryOp::LogicalAnd || binary->op == BinaryOp::LogicalOr))
        is_simple = false;
      if (found == nullptr || !touches_[found->function]) return;
      if (call != nullptr) is_simple = false;
      call = found;
    });
    if (call == nullptr || !is_simple) return false;
    Bindings inner;
    for (std::size_t i = 0; i < call->arguments.size(); ++i) {
      if (touches(*call->arguments[i])) return false;
      inner[call->function->parameters[i].get()] = &resolve(*call->arguments[i], bindings);
    }
    return writes_all(call->function->body, inner);
  }

  static const Expression& resolve(const Expression& expression, const Bindings& bindings) {
    const auto* read = std::get_if<VariableExpression>(&expression.node);
    const auto found = read == nullptr ? bindings.end() : bindings.find(read->variable);
    return found == bindings.end() ? expression : *found->second;
  }

  // The number of the invocation in the workgroup.
  bool is_invocation_index(const Expression& expression, const Bindings& bindings) const {
    const Expression& value = resolve(expression, bindings);
    if (const auto* convert = std::get_if<Convert>(&value.node))
      return is_invocation_index(*convert->operand, bindings);
    if (const auto* read = std::get_if<VariableExpression>(&value.node)) {
      return read->variable->builtin == BuiltinInput::LocalInvocationIndex;
    }
    const auto* swizzle = std::get_if<Swizzle>(&value.node);
    if (swizzle == nullptr || swizzle->count != 1 || swizzle->components[0] != 0 || size_[1] * size_[2] != 1)
      return false;
    const auto* read = std::get_if<VariableExpression>(&resolve(*swizzle->base, bindings).node);
    return read != nullptr && read->variable->builtin == BuiltinInput::LocalInvocationId;
  }

  bool is_whole(const Expression& target) const {
    const auto* read = std::get_if<VariableExpression>(&target.node);
    return read != nullptr && read->variable == &variable_;
  }

  bool covers(const Expression& target, const Bindings& bindings) const {
    if (is_whole(target)) return true;
    const auto* index = std::get_if<Index>(&target.node);
    const auto* array = variable_.type->as<ArrayType>();
    return index != nullptr && array != nullptr && is_whole(*index->base) && *array->count == total_ &&
           is_invocation_index(*index->index, bindings);
  }

  // `index == c`, which one invocation answers with yes.
  bool picks_one(const Expression& condition, const Bindings& bindings) const {
    const auto* equal = std::get_if<Binary>(&condition.node);
    if (equal == nullptr || equal->op != BinaryOp::Equal) return false;
    const auto picked = integer_value(*equal->right);
    return picked && *picked >= 0 && *picked < total_ && is_invocation_index(*equal->left, bindings);
  }

  // for (var i = index; i < COUNT; i += TOTAL) { v[i] = ...; }
  bool strides_over_all(const For& loop, const Bindings& bindings) {
    const auto* init = loop.init ? std::get_if<Declare>(&loop.init->node) : nullptr;
    const auto* update = loop.update ? std::get_if<Assign>(&loop.update->node) : nullptr;
    const auto* step = update != nullptr && update->target ? std::get_if<Binary>(&update->value->node) : nullptr;
    const auto* limit = loop.condition ? std::get_if<Binary>(&loop.condition->node) : nullptr;
    const auto* array = variable_.type->as<ArrayType>();
    if (init == nullptr || step == nullptr || limit == nullptr || array == nullptr) return false;
    const Variable* counter = init->variable.get();
    const auto is_counter = [&](const Expression& each) {
      const auto* read = std::get_if<VariableExpression>(&each.node);
      return read != nullptr && read->variable == counter;
    };
    const auto end = integer_value(*limit->right);
    const auto stride = integer_value(*step->right);
    const bool runs_over_all = limit->op == BinaryOp::Less && is_counter(*limit->left) && end &&
                               *end >= *array->count && step->op == BinaryOp::Add && is_counter(*update->target) &&
                               is_counter(*step->left) && stride == total_ && init->initializer &&
                               is_invocation_index(*init->initializer, bindings);
    if (!runs_over_all) return false;
    for (const StatementPtr& each : loop.body) {
      const auto* assign = std::get_if<Assign>(&each->node);
      const auto* index = assign != nullptr && assign->target ? std::get_if<Index>(&assign->target->node) : nullptr;
      if (!touches(*each)) {
        bool skips = false;  // a continue or break would leave elements out
        visit_statements(loop.body, [&](const Statement& inner) {
          skips = skips || std::holds_alternative<Continue>(inner.node) || std::holds_alternative<Break>(inner.node);
        });
        if (skips) return false;
        continue;
      }
      return index != nullptr && is_whole(*index->base) && is_counter(*index->index) && !touches(*assign->value);
    }
    return false;
  }

  const Variable& variable_;
  std::array<std::uint32_t, 3> size_{};
  std::uint32_t total_ = 1;
  std::unordered_map<const Function*, bool> touches_;
};

}  // namespace

void find_visible_zeroes(Module& module) {
  for (auto& variable : module.variables) {
    if (variable->space != AddressSpace::Workgroup || !variable->needs_zeroes) continue;
    FirstTouch first(module, *variable);
    if (first.writes_all(module.entry_point->body, {})) variable->needs_zeroes = false;
  }
}

}  // namespace driftwood::shader
