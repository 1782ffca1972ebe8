#include "shader/ir_clone.h"

#include "shader/ir_build.h"
#include "shader/ir_walk.h"

namespace driftwood::shader {
namespace {

std::unique_ptr<Variable> copy_of(const Variable& original) {
  auto copy = std::make_unique<Variable>();
  copy->name = original.name;
  copy->type = original.type;
  copy->space = original.space;
  copy->is_mutable = original.is_mutable;
  copy->is_parameter = original.is_parameter;
  copy->builtin = original.builtin;
  copy->needs_zeroes = original.needs_zeroes;
  copy->range = original.range;
  return copy;
}

}  // namespace

Module clone(const Module& module) {
  Module result;
  result.sources = module.sources;
  result.structs = module.structs;
  result.uses_f16 = module.uses_f16;
  result.uses_subgroups = module.uses_subgroups;
  result.uses_packed_dot = module.uses_packed_dot;
  result.uses_matrices = module.uses_matrices;
  result.uses_pipeline = module.uses_pipeline;

  std::unordered_map<const Resource*, Resource*> resources;
  for (const auto& resource : module.resources) {
    result.resources.push_back(std::make_unique<Resource>(*resource));
    resources[resource.get()] = result.resources.back().get();
  }
  VariableMap variables;
  for (const auto& variable : module.variables) {
    auto copy = copy_of(*variable);
    if (variable->initializer) copy->initializer = clone(*variable->initializer, variables);
    variables[variable.get()] = copy.get();
    result.variables.push_back(std::move(copy));
  }
  FreshNames names(module);
  std::unordered_map<const Function*, Function*> functions;
  for (const auto& function : module.functions) {
    auto copy = std::make_unique<Function>();
    copy->name = function->name;
    copy->result = function->result;
    copy->is_entry_point = function->is_entry_point;
    copy->workgroup_size = function->workgroup_size;
    copy->range = function->range;
    for (const auto& parameter : function->parameters) {
      copy->parameters.push_back(copy_of(*parameter));
      variables[parameter.get()] = copy->parameters.back().get();
    }
    copy->body = clone(function->body, variables, names);
    if (module.entry_point == function.get()) result.entry_point = copy.get();
    functions[function.get()] = copy.get();
    result.functions.push_back(std::move(copy));
  }

  // What the copied bodies still name of the original.
  rewrite_expressions(result, [&](ExpressionPtr& expression) {
    if (auto* use = std::get_if<ResourceExpression>(&expression->node)) use->resource = resources.at(use->resource);
    if (auto* load = std::get_if<ObjectLoad>(&expression->node)) load->object = resources.at(load->object);
    if (auto* call = std::get_if<FunctionCall>(&expression->node)) call->function = functions.at(call->function);
  });
  for (const auto& function : result.functions) {
    rewrite_statements(function->body, [&](StatementPtr& statement) {
      if (auto* store = std::get_if<ObjectStore>(&statement->node)) store->object = resources.at(store->object);
    });
  }
  return result;
}

}  // namespace driftwood::shader
