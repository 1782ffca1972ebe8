// The module from what was checked: only what the entry point reaches, every name once.
#include <algorithm>
#include <unordered_set>

#include "shader/checking/checker_state.h"
#include "shader/checking/conversions.h"
#include "shader/ir_walk.h"

namespace driftwood::shader::checking {

namespace {

/// What the entry point reaches through calls and names.
struct Reached {
  std::unordered_set<const Function*> functions;
  std::unordered_set<const Variable*> variables;
  std::unordered_set<const Resource*> resources;
  std::unordered_set<std::string> structs;
  bool f16 = false, subgroups = false, packed_dot = false, matrices = false, pipeline = false;

  void type(const TypePtr& type) {
    f16 = f16 || holds_f16(type);
    if (const auto* array = type->as<ArrayType>()) return this->type(array->element);
    if (const auto* pointer = type->as<PointerType>()) return this->type(pointer->pointee);
    const auto* structure = type->as<StructType>();
    if (!structure || !structs.insert(structure->name).second) return;
    for (const auto& field : structure->fields) this->type(field.type);
  }

  void builtin(Builtin builtin) {
    subgroups = subgroups || (builtin >= Builtin::SubgroupAdd && builtin <= Builtin::SubgroupElect);
    matrices = matrices || is_matrix_builtin(builtin);
    pipeline = pipeline || is_pipeline_builtin(builtin) || builtin == Builtin::WeightsStageCopy;
    packed_dot = packed_dot || builtin == Builtin::Dot4I8Packed || builtin == Builtin::Dot4U8Packed;
  }

  void expression(const Expression& expression) {
    type(expression.type);
    if (const auto* call = std::get_if<FunctionCall>(&expression.node)) function(*call->function);
    if (const auto* call = std::get_if<BuiltinCall>(&expression.node)) builtin(call->builtin);
    if (const auto* resource = std::get_if<ResourceExpression>(&expression.node)) {
      if (resources.insert(resource->resource).second) type(resource->resource->type);
    }
    if (const auto* variable = std::get_if<VariableExpression>(&expression.node)) {
      if (variables.insert(variable->variable).second) type(variable->variable->type);
    }
  }

  void function(const Function& function) {
    if (!functions.insert(&function).second) return;
    type(function.result);
    for (const auto& parameter : function.parameters) {
      type(parameter->type);
      subgroups = subgroups || parameter->builtin >= BuiltinInput::SubgroupInvocationId;
    }
    visit_expressions(function.body, [this](const Expression& e) { expression(e); });
    visit_statements(function.body, [this](const Statement& statement) {
      if (const auto* declare = std::get_if<Declare>(&statement.node)) type(declare->variable->type);
    });
  }
};

/// Makes names unique by a number at the end.
class Names {
 public:
  std::string claim(const std::string& wanted) {
    if (taken_.insert(wanted).second) return wanted;
    int& suffix = next_[wanted];
    while (true) {
      std::string name = wanted + "_" + std::to_string(++suffix);
      if (taken_.insert(name).second) return name;
    }
  }

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> next_;
};

void name_locals(Block& block, Names& names) {
  rewrite_statements(block, [&](StatementPtr& statement) {
    if (auto* declare = std::get_if<Declare>(&statement->node)) {
      declare->variable->name = names.claim(declare->variable->name);
    }
  });
}

}  // namespace

Module Checker::assemble(Function& entry_point) {
  Reached reached;
  reached.function(entry_point);

  Module module;
  module.sources = program_.sources();
  module.uses_f16 = reached.f16;
  module.uses_subgroups = reached.subgroups;
  module.uses_packed_dot = reached.packed_dot;
  module.uses_matrices = reached.matrices;
  module.uses_pipeline = reached.pipeline;
  // Resources and the entry point keep their names: hosts know them by these.
  Names names;
  for (auto& [place, resource] : resources_) {
    if (!reached.resources.contains(resource.get())) continue;
    resource->name = names.claim(resource->name);
    resource->binding = static_cast<std::uint32_t>(module.resources.size());
    module.resources.push_back(std::move(resource));
  }
  entry_point.name = names.claim(entry_point.name);
  for (const TypePtr& type : structs_) {
    const std::string& name = type->as<StructType>()->name;
    if (!reached.structs.contains(name)) continue;
    names.claim(name);
    module.structs.push_back(type);
  }
  for (auto& variable : variables_) {
    if (!reached.variables.contains(variable.get())) continue;
    variable->name = names.claim(variable->name);
    module.variables.push_back(std::move(variable));
  }
  std::unordered_map<const Function*, std::unique_ptr<Function>*> owners;
  for (const auto& source : source_functions_) {
    for (const auto& instance : source->instances) owners[instance->function.get()] = &instance->function;
  }
  for (Function* function : functions_) {
    if (!reached.functions.contains(function)) continue;
    if (function != &entry_point) function->name = names.claim(function->name);
    module.functions.push_back(std::move(*owners.at(function)));
  }
  for (const auto& function : module.functions) {
    for (const auto& parameter : function->parameters) parameter->name = names.claim(parameter->name);
    name_locals(function->body, names);
  }
  // Everything after the entry point in order of checking is a function that it does not reach.
  module.entry_point = &entry_point;
  return module;
}

}  // namespace driftwood::shader::checking
