#include "shader/captures.h"

#include <algorithm>

#include "shader/ir_walk.h"

namespace driftwood::shader {

const Resource* length_resource(const BuiltinCall& array_length) {
  const auto* address = std::get_if<AddressOf>(&array_length.arguments[0]->node);
  return address == nullptr ? nullptr : root_resource(*address->reference);
}

CaptureTable find_captures(const Module& module) {
  CaptureTable table;
  for (const auto& function : module.functions) {
    std::set<const Resource*> resources;
    std::set<const Variable*> variables;
    std::set<const Resource*> lengths;
    const auto from_statement = [&](const Statement& each) {
      if (const auto* store = std::get_if<ObjectStore>(&each.node)) resources.insert(store->object);
    };
    const auto from_expression = [&](const Expression& each) {
      if (const auto* resource = std::get_if<ResourceExpression>(&each.node)) resources.insert(resource->resource);
      if (const auto* load = std::get_if<ObjectLoad>(&each.node)) resources.insert(load->object);
      if (const auto* variable = std::get_if<VariableExpression>(&each.node)) variables.insert(variable->variable);
      const auto* builtin = std::get_if<BuiltinCall>(&each.node);
      if (builtin != nullptr && builtin->builtin == Builtin::ArrayLength) {
        if (const Resource* resource = length_resource(*builtin)) lengths.insert(resource);
      }
      if (const auto* call = std::get_if<FunctionCall>(&each.node)) {
        const Captures& callee = table[call->function];  // callees come first
        resources.insert(callee.resources.begin(), callee.resources.end());
        variables.insert(callee.variables.begin(), callee.variables.end());
        lengths.insert(callee.lengths.begin(), callee.lengths.end());
      }
    };
    visit_statements(function->body, from_statement);
    visit_expressions(function->body, from_expression);
    Captures captures;
    for (const auto& each : module.resources) {
      if (resources.contains(each.get())) captures.resources.push_back(each.get());
      if (lengths.contains(each.get())) captures.lengths.push_back(each.get());
    }
    for (const auto& each : module.variables) {
      if (variables.contains(each.get())) captures.variables.push_back(each.get());
    }
    table[function.get()] = std::move(captures);
  }
  return table;
}

std::vector<ArrayLengthArgument> array_length_arguments(const Module& module) {
  std::vector<ArrayLengthArgument> arguments;
  CaptureTable captures = find_captures(module);
  for (const Resource* resource : captures[module.entry_point].lengths) {
    TypePtr type = resource->type;
    std::uint32_t offset = 0;
    if (const auto* structure = type->as<StructType>()) {
      offset = structure->fields.back().offset;
      type = structure->fields.back().type;
    }
    const TypePtr element = type->as<ArrayType>()->element;
    const std::uint32_t alignment = alignment_of(element);
    arguments.push_back({resource, offset, (size_of(element) + alignment - 1) / alignment * alignment});
  }
  return arguments;
}

namespace {

class ValueArrayFinder {
 public:
  void scan(const Module& module) {
    for (const auto& variable : module.variables) {
      if (variable->initializer) scan_initializer(*variable->initializer);
    }
    for (const auto& function : module.functions) {
      add(function->result);
      for (const auto& parameter : function->parameters) add(parameter->type);
      visit_statements(function->body, [&](const Statement& each) { scan(each); });
    }
  }

  std::set<std::string> found;

 private:
  void add(const TypePtr& type) {
    const auto* array = type->as<ArrayType>();
    if (array != nullptr && array->count) found.insert(to_string(type));
  }

  void scan(const Statement& statement) {
    if (const auto* declare = std::get_if<Declare>(&statement.node)) {
      if (declare->initializer) scan_initializer(*declare->initializer);
      return;
    }
    if (const auto* assign = std::get_if<Assign>(&statement.node)) {
      if (assign->target) scan_place(*assign->target);
      scan_value(*assign->value);
      return;
    }
    for_each_expression(const_cast<Statement&>(statement), [&](ExpressionPtr& each) { scan_value(*each); });
  }

  // A declaration takes braces, so arrays built in place stay plain.
  void scan_initializer(const Expression& expression) {
    if (const auto* construct = std::get_if<Construct>(&expression.node)) {
      for (const ExpressionPtr& each : construct->arguments) scan_initializer(*each);
    } else if (!std::holds_alternative<Literal>(expression.node)) {
      scan_value(expression);
    }
  }

  void scan_value(const Expression& expression) {
    add(expression.type);
    scan_place(expression);
  }

  // The operands of an expression whose own value is not taken as a whole.
  void scan_place(const Expression& expression) {
    if (const auto* index = std::get_if<Index>(&expression.node)) {
      if (std::holds_alternative<Construct>(index->base->node)) add(index->base->type);
      scan_place(*index->base);
      scan_value(*index->index);
    } else if (const auto* member = std::get_if<Member>(&expression.node)) {
      scan_place(*member->base);
    } else if (const auto* address = std::get_if<AddressOf>(&expression.node)) {
      scan_place(*address->reference);
    } else if (const auto* construct = std::get_if<Construct>(&expression.node)) {
      for (const ExpressionPtr& each : construct->arguments) scan_initializer(*each);
    } else {
      for_each_operand(const_cast<Expression&>(expression), [&](ExpressionPtr& each) { scan_value(*each); });
    }
  }
};

}  // namespace

std::set<std::string> find_value_arrays(const Module& module) {
  ValueArrayFinder finder;
  finder.scan(module);
  return std::move(finder.found);
}

}  // namespace driftwood::shader
