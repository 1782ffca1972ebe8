#include <unordered_map>
#include <unordered_set>

#include "shader/ir_build.h"
#include "shader/ir_walk.h"
#include "shader/optimize.h"
#include "shader/optimizing/fold_scalars.h"
#include "shader/optimizing/variables.h"

namespace driftwood::shader {

namespace {

const Variable* variable_of(const Expression& expression) {
  const auto* read = std::get_if<VariableExpression>(&expression.node);
  return read == nullptr ? nullptr : read->variable;
}

bool is_array_value(const Expression& expression) {
  return std::holds_alternative<Literal>(expression.node) || std::holds_alternative<Construct>(expression.node);
}

// Finds the arrays that can be taken apart: only indexed by known numbers, or copied whole from and to such.
class Candidates {
 public:
  explicit Candidates(const Block& body) {
    visit_statements(body, [&](const Statement& each) { collect(each); });
    visit_statements(body, [&](const Statement& each) {
      const auto* loop = std::get_if<For>(&each.node);
      const auto* init = loop != nullptr && loop->init ? std::get_if<Declare>(&loop->init->node) : nullptr;
      if (init != nullptr) found_.erase(init->variable.get());  // a header has room for one declaration
    });
    visit_statements(body, [&](const Statement& each) { scan(each); });
    // Copies tie arrays together: where one cannot be taken apart, the other cannot.
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [a, b] : copies_) {
        if (contains(*a) == contains(*b)) continue;
        found_.erase(a);
        found_.erase(b);
        changed = true;
      }
    }
  }

  bool contains(const Variable& variable) const { return found_.contains(&variable); }
  bool empty() const { return found_.empty(); }

 private:
  void collect(const Statement& statement) {
    const auto* declare = std::get_if<Declare>(&statement.node);
    if (declare == nullptr) return;
    const auto* array = declare->variable->type->as<ArrayType>();
    if (array != nullptr && array->count && *array->count <= scalar_replacement_limit)
      found_.insert(declare->variable.get());
  }

  void drop(const Expression& expression) {
    if (const Variable* variable = variable_of(expression)) found_.erase(variable);
  }

  void scan_value(const Expression& expression) {
    if (const auto* index = std::get_if<Index>(&expression.node)) {
      const Variable* base = variable_of(*index->base);
      const auto* array = index->base->type->as<ArrayType>();
      const auto at = integer_value(*index->index);
      const bool known = at && *at >= 0 && array != nullptr && array->count && *at < *array->count;
      if (base != nullptr && known) return;
    }
    drop(expression);
    for_each_operand(const_cast<Expression&>(expression), [&](ExpressionPtr& each) { scan_value(*each); });
  }

  // A whole array given to another: fine if the source is one of ours or built in place.
  void scan_copy(const Variable* target, const Expression& value) {
    if (const Variable* source = variable_of(value)) {
      copies_.emplace_back(target, source);
      if (!found_.contains(source)) found_.erase(target);
      return;
    }
    if (!is_array_value(value)) found_.erase(target);
    scan_value(value);
  }

  void scan(const Statement& statement) {
    if (const auto* declare = std::get_if<Declare>(&statement.node)) {
      if (!declare->initializer) return;
      if (found_.contains(declare->variable.get())) return scan_copy(declare->variable.get(), *declare->initializer);
    } else if (const auto* assign = std::get_if<Assign>(&statement.node); assign != nullptr && assign->target) {
      const Variable* target = variable_of(*assign->target);
      if (target != nullptr && found_.contains(target)) return scan_copy(target, *assign->value);
    }
    for_each_expression(const_cast<Statement&>(statement), [&](ExpressionPtr& each) { scan_value(*each); });
  }

  std::unordered_set<const Variable*> found_;
  std::vector<std::pair<const Variable*, const Variable*>> copies_;
};

class Splitter {
 public:
  Splitter(const Candidates& candidates, FreshNames& names) : candidates_(candidates), names_(names) {}

  void split(Block& block) {
    Block result;
    for (StatementPtr& each : block) {
      for_each_block(*each, [&](Block& inner) { split(inner); });
      split(std::move(each), result);
    }
    block = std::move(result);
  }

  void rewrite(Block& body) {
    rewrite_expressions(body, [&](ExpressionPtr& each) {
      const auto* index = std::get_if<Index>(&each->node);
      if (index == nullptr) return;
      const Variable* base = variable_of(*index->base);
      const auto found = base == nullptr ? elements_.end() : elements_.find(base);
      if (found == elements_.end()) return;
      const auto at = static_cast<std::size_t>(*integer_value(*index->index));
      each = build::read(*found->second[at], each->range);
    });
  }

 private:
  ExpressionPtr element(const Expression& value, std::size_t at) {
    if (const Variable* source = variable_of(value)) return build::read(*elements_.at(source)[at], value.range);
    ExpressionPtr result = build::index(clone(value), build::literal_u32(static_cast<std::uint32_t>(at)));
    fold_constants(result);
    return result;
  }

  void split(StatementPtr statement, Block& result) {
    if (auto* declare = std::get_if<Declare>(&statement->node)) {
      const Variable* array = declare->variable.get();
      if (!candidates_.contains(*array)) return result.push_back(std::move(statement));
      const auto* type = array->type->as<ArrayType>();
      auto& elements = elements_[array];
      for (std::uint32_t i = 0; i < *type->count; ++i) {
        auto variable =
            build::variable(names_.make(array->name + "_" + std::to_string(i)), type->element, array->is_mutable);
        elements.push_back(variable.get());
        ExpressionPtr value = declare->initializer ? element(*declare->initializer, i) : nullptr;
        result.push_back(build::declare(std::move(variable), std::move(value), statement->range));
      }
      kept_.push_back(std::move(declare->variable));
      return;
    }
    if (auto* assign = std::get_if<Assign>(&statement->node); assign != nullptr && assign->target) {
      const Variable* target = variable_of(*assign->target);
      if (target != nullptr && candidates_.contains(*target)) {
        return split_assignment(*target, *assign->value, statement->range, result);
      }
    }
    result.push_back(std::move(statement));
  }

  // A constructor may read the array it replaces, so all elements are computed before any is written.
  void split_assignment(const Variable& target, const Expression& value, SourceRange range, Block& result) {
    const std::vector<Variable*>& elements = elements_.at(&target);
    const bool reads_target = optimizing::mentions(value, target);
    std::vector<ExpressionPtr> values;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      ExpressionPtr part = element(value, i);
      if (reads_target) {
        auto kept = build::variable(names_.make(elements[i]->name + "_next"), elements[i]->type, false);
        Variable& next = *kept;
        result.push_back(build::declare(std::move(kept), std::move(part), range));
        part = build::read(next, range);
      }
      values.push_back(std::move(part));
    }
    for (std::size_t i = 0; i < elements.size(); ++i) {
      result.push_back(build::assign(build::read(*elements[i], range), std::move(values[i]), range));
    }
  }

  const Candidates& candidates_;
  FreshNames& names_;
  std::unordered_map<const Variable*, std::vector<Variable*>> elements_;
  std::vector<std::unique_ptr<Variable>> kept_;  // alive until their last mention is rewritten
};

}  // namespace

void replace_arrays(Module& module) {
  FreshNames names(module);
  for (auto& function : module.functions) {
    // Arrays of arrays come apart one level a round.
    for (;;) {
      const Candidates candidates(function->body);
      if (candidates.empty()) break;
      Splitter splitter(candidates, names);
      splitter.split(function->body);
      splitter.rewrite(function->body);
      fold_constants(function->body);
    }
  }
}

}  // namespace driftwood::shader
