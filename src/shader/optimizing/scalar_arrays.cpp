#include <unordered_set>

#include "base/error.h"
#include "shader/ir_build.h"
#include "shader/ir_walk.h"
#include "shader/optimize.h"

namespace driftwood::shader {

namespace {

const VectorType* vector_elements(const Variable& variable) {
  const auto* array = variable.type->as<ArrayType>();
  return array != nullptr && array->count ? array->element->as<VectorType>() : nullptr;
}

// The workgroup array whose element `reference` is, a whole vector: that of `a[i]`.
Variable* vector_of(const Expression& reference) {
  const auto* index = std::get_if<Index>(&reference.node);
  const auto* base = index == nullptr ? nullptr : std::get_if<VariableExpression>(&index->base->node);
  if (base == nullptr || base->variable->space != AddressSpace::Workgroup) return nullptr;
  return vector_elements(*base->variable) == nullptr ? nullptr : base->variable;
}

// The same where it is one component of an element: `a[i][c]`, `a[i].x`.
Variable* component_of(const Expression& reference) {
  if (const auto* index = std::get_if<Index>(&reference.node)) return vector_of(*index->base);
  const auto* swizzle = std::get_if<Swizzle>(&reference.node);
  return swizzle == nullptr || swizzle->count > 1 ? nullptr : vector_of(*swizzle->base);
}

using Variables = std::unordered_set<const Variable*>;

Variables stored_by_component(const Module& module) {
  Variables found;
  for (const auto& function : module.functions) {
    visit_statements(function->body, [&](const Statement& statement) {
      const Expression* target = nullptr;
      if (const auto* assign = std::get_if<Assign>(&statement.node)) target = assign->target.get();
      if (const auto* assign = std::get_if<CompoundAssign>(&statement.node)) target = assign->target.get();
      const Variable* variable = target == nullptr ? nullptr : component_of(*target);
      if (variable != nullptr) found.insert(variable);
    });
  }
  return found;
}

// Whatever else is done with such an array would need its old type.
void require_elements_alone(const Module& module, const Variables& variables) {
  std::unordered_set<const Expression*> bases;
  const auto refuse = [](const Variable& variable) {
    throw Unsupported(
        "The array '" + variable.name +
        "' of workgroup memory is stored by component; its address cannot be taken, nor the whole of it.");
  };
  visit_expressions(module, [&](const Expression& each) {
    if (vector_of(each) != nullptr) bases.insert(std::get<Index>(each.node).base.get());
    const auto* address = std::get_if<AddressOf>(&each.node);
    const Variable* root = address == nullptr ? nullptr : root_variable(*address->reference);
    if (root != nullptr && variables.contains(root)) refuse(*root);
  });
  visit_expressions(module, [&](const Expression& each) {
    const auto* read = std::get_if<VariableExpression>(&each.node);
    if (read != nullptr && variables.contains(read->variable) && !bases.contains(&each)) refuse(*read->variable);
  });
}

ExpressionPtr as_u32(ExpressionPtr value) {
  if (scalar_of(value->type) == Scalar::U32) return value;
  return build::convert(scalar_type(Scalar::U32), std::move(value));
}

// array[width * at + component]
ExpressionPtr element(Variable& array, ExpressionPtr at, ExpressionPtr component) {
  const VectorType& vector = *vector_elements(array);
  ExpressionPtr place = build::binary(
      BinaryOp::Add, build::binary(BinaryOp::Multiply, as_u32(std::move(at)), build::literal_u32(vector.width)),
      as_u32(std::move(component)));
  ExpressionPtr base = build::read(array);
  base->is_reference = true;
  return build::expression(scalar_type(vector.scalar), Index{std::move(base), std::move(place)}, {}, true);
}

class Scalars {
 public:
  explicit Scalars(const Variables& variables) : variables_(variables) {}

  // Outermost first, so that `a[i][c]` is seen before its `a[i]`.
  void rewrite(ExpressionPtr& expression) const {
    if (Variable* array = ours(component_of(*expression))) {
      ExpressionPtr component;
      ExpressionPtr base;
      if (auto* index = std::get_if<Index>(&expression->node)) {
        base = std::move(index->base);
        component = std::move(index->index);
        rewrite(component);
      } else {
        auto& swizzle = std::get<Swizzle>(expression->node);
        base = std::move(swizzle.base);
        component = build::literal_u32(swizzle.components[0]);
      }
      ExpressionPtr at = std::move(std::get<Index>(base->node).index);
      rewrite(at);
      expression = element(*array, std::move(at), std::move(component));
    } else if (Variable* whole = ours(vector_of(*expression))) {
      ExpressionPtr at = std::move(std::get<Index>(expression->node).index);
      rewrite(at);
      std::vector<ExpressionPtr> components;
      for (std::uint32_t i = 0; i < vector_elements(*whole)->width; ++i) {
        components.push_back(element(*whole, clone(*at), build::literal_u32(i)));
      }
      expression = build::expression(expression->type, Construct{std::move(components)}, expression->range);
    } else {
      for_each_operand(*expression, [&](ExpressionPtr& each) { rewrite(each); });
    }
  }

  void rewrite(Block& block, FreshNames& names) const {
    Block result;
    for (StatementPtr& each : block) {
      for_each_block(*each, [&](Block& inner) { rewrite(inner, names); });
      if (!store_vector(*each, names, result)) {
        for_each_expression(*each, [&](ExpressionPtr& expression) { rewrite(expression); });
        for_header(*each);
        result.push_back(std::move(each));
      }
    }
    block = std::move(result);
  }

 private:
  Variable* ours(Variable* variable) const {
    return variable != nullptr && variables_.contains(variable) ? variable : nullptr;
  }

  void for_header(Statement& statement) const {
    auto* loop = std::get_if<For>(&statement.node);
    if (loop == nullptr) return;
    for (StatementPtr* each : {&loop->init, &loop->update}) {
      if (*each) for_each_expression(**each, [&](ExpressionPtr& expression) { rewrite(expression); });
    }
  }

  // A store of a whole element is one for each component.
  bool store_vector(Statement& statement, FreshNames& names, Block& out) const {
    auto* assign = std::get_if<Assign>(&statement.node);
    auto* compound = std::get_if<CompoundAssign>(&statement.node);
    ExpressionPtr* const target = assign != nullptr     ? &assign->target
                                  : compound != nullptr ? &compound->target
                                                        : nullptr;
    Variable* const array = target == nullptr || *target == nullptr ? nullptr : ours(vector_of(**target));
    if (array == nullptr) return false;
    const TypePtr type = (*target)->type;
    ExpressionPtr value = assign != nullptr ? std::move(assign->value)
                                            : build::binary(compound->op, clone(**target), std::move(compound->value));
    ExpressionPtr at = as_u32(std::move(std::get<Index>((*target)->node).index));
    rewrite(at);
    rewrite(value);
    auto place = build::variable(names.make(array->name + "_at"), at->type, false);
    auto vector = build::variable(names.make(array->name + "_value"), type, false);
    Variable &place_read = *place, &vector_read = *vector;
    out.push_back(build::declare(std::move(place), std::move(at), statement.range));
    out.push_back(build::declare(std::move(vector), std::move(value), statement.range));
    for (std::uint32_t i = 0; i < vector_elements(*array)->width; ++i) {
      out.push_back(build::assign(element(*array, build::read(place_read), build::literal_u32(i)),
                                  build::component(build::read(vector_read), static_cast<int>(i)), statement.range));
    }
    return true;
  }

  const Variables& variables_;
};

}  // namespace

bool has_component_stores(const Module& module) { return !stored_by_component(module).empty(); }

void use_scalar_arrays(Module& module) {
  const Variables variables = stored_by_component(module);
  if (variables.empty()) return;
  require_elements_alone(module, variables);
  FreshNames names(module);
  for (const auto& function : module.functions) Scalars(variables).rewrite(function->body, names);
  for (const auto& variable : module.variables) {
    if (!variables.contains(variable.get())) continue;
    const VectorType& vector = *vector_elements(*variable);
    const std::uint32_t count = *variable->type->as<ArrayType>()->count;
    variable->type = array_type(scalar_type(vector.scalar), count * vector.width);
  }
  rewrite_expressions(module, [&](ExpressionPtr& each) {
    const auto* read = std::get_if<VariableExpression>(&each->node);
    if (read != nullptr && variables.contains(read->variable)) each->type = read->variable->type;
  });
  fold_constants(module);
}

}  // namespace driftwood::shader
