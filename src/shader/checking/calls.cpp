// Calls: what the callee's name means, functions of the source, and built-ins with signatures.
#include "shader/checking/builtin_signatures.h"
#include "shader/checking/checker_state.h"
#include "shader/checking/constant_builtins.h"
#include "shader/checking/conversions.h"
#include "shader/ir_build.h"

namespace driftwood::shader::checking {

namespace {

bool is_tensor_builtin(Builtin builtin) { return builtin >= Builtin::TensorLoad && builtin <= Builtin::TensorBatch; }
bool is_weights_builtin(Builtin builtin) {
  return builtin >= Builtin::WeightsLoad && builtin <= Builtin::WeightsBlocks;
}
bool is_atomic_builtin(Builtin builtin) { return builtin >= Builtin::AtomicLoad && builtin <= Builtin::AtomicExchange; }

bool is_foreign_builtin(std::string_view name) {
  return name.starts_with("texture") || name == "transpose" || name == "determinant" || name.starts_with("dpdx") ||
         name.starts_with("dpdy") || name.starts_with("fwidth") || name == "atomicCompareExchangeWeak" ||
         name == "frexp" || name == "modf" || name == "textureBarrier" || name.starts_with("quad");
}

}  // namespace

ExpressionPtr Checker::node(const syntax::Call& source, SourceRange range) {
  const auto& name = std::get<syntax::Name>(source.callee->node);
  const SourceRange name_range = source.callee->range;
  const Entity entity = look_up(name.text, name_range);
  if (auto* const* function = std::get_if<SourceFunction*>(&entity)) {
    if (!name.arguments.empty()) fail(name_range, quoted(name.text) + " takes no template arguments.");
    return call_function(**function, source, range);
  }
  if (std::holds_alternative<TypePtr>(entity)) return construct(type_of_name(name, name_range), source, range);
  if (!std::holds_alternative<std::monostate>(entity)) {
    std::vector<Note> notes;
    if (const auto at = declaration_of(name.text)) notes.push_back({*at, "It is declared here."});
    fail(name_range, quoted(name.text) + " is a variable and cannot be called.", notes);
  }
  if (name.text == "bitcast") return bitcast(name, source, range);
  if (builtin_from_name(name.text) == Builtin::SubgroupMatrixLoad) return load_matrix(source, range);
  if (name.arguments.empty()) {
    if (const int width = vector_width(name.text)) return infer_vector(width, values(source.arguments), range);
    if (name.text == "array") return infer_array(values(source.arguments), range);
    if (const auto builtin = builtin_from_name(name.text)) return call_builtin(*builtin, source, range);
    if (is_foreign_builtin(name.text)) {
      fail(name_range, "The function " + quoted(name.text) + " is not part of the kernel language.");
    }
    const bool is_type = is_predeclared_type(name.text) || name.text.starts_with("mat") || name.text == "sampler";
    if (!is_type) fail(name_range, "The function " + quoted(name.text) + " is not declared.");
  }
  return construct(type_of_name(name, name_range), source, range);
}

ExpressionPtr Checker::call_function(SourceFunction& source, const syntax::Call& call, SourceRange range) {
  const std::string& name = source.syntax->name;
  const Note declared = {source.syntax->name_range, quoted(name) + " is declared here."};
  if (source.is_entry_point) fail(call.callee->range, "An entry point cannot be called.", {declared});
  if (call.arguments.size() != source.parameter_types.size()) {
    fail(range,
         quoted(name) + " takes " + std::to_string(source.parameter_types.size()) + " arguments, but " +
             std::to_string(call.arguments.size()) + " are given.",
         {declared});
  }
  std::vector<Resource*> handles;
  std::vector<ExpressionPtr> arguments;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const TypePtr& type = source.parameter_types[i];
    const syntax::Expression& argument = *call.arguments[i];
    if (type->as<TensorType>() || type->as<WeightsType>()) {
      Resource* resource = find_handle(argument);
      if (!resource || !same_type(resource->type, type)) {
        const std::string found = resource ? to_string(resource->type) : to_string(expression(argument)->type);
        fail(argument.range,
             "Expected a " + to_string(type) + " for argument " + std::to_string(i + 1) + " of " + quoted(name) +
                 ", but this is " + found + ".",
             {declared});
      }
      handles.push_back(resource);
      continue;
    }
    arguments.push_back(convert(value(argument), type, "argument " + std::to_string(i + 1) + " of " + quoted(name)));
  }
  Function& function = instantiate(source, handles, range);
  return build::expression(function.result, FunctionCall{&function, std::move(arguments)}, range);
}

bool Checker::must_be_used(const syntax::Call& call) {
  const auto& name = std::get<syntax::Name>(call.callee->node);
  const Entity entity = look_up(name.text, call.callee->range);
  if (auto* const* function = std::get_if<SourceFunction*>(&entity)) {
    return syntax::find_attribute((*function)->declaration->attributes, "must_use") != nullptr;
  }
  if (std::holds_alternative<TypePtr>(entity)) return true;
  if (!std::holds_alternative<std::monostate>(entity)) return false;  // reported when the call is checked
  const auto builtin = builtin_from_name(name.text);
  if (!builtin) return name.text == "bitcast" || is_predeclared_type(name.text);
  const bool only_acts = *builtin == Builtin::WorkgroupBarrier || *builtin == Builtin::StorageBarrier ||
                         *builtin == Builtin::IssueLoads || *builtin == Builtin::TensorStore ||
                         *builtin == Builtin::SubgroupMatrixStore || *builtin == Builtin::WeightsStageCopy ||
                         is_pipeline_builtin(*builtin);
  return !only_acts && (!is_atomic_builtin(*builtin) || *builtin == Builtin::AtomicLoad);
}

ExpressionPtr Checker::call_builtin(Builtin builtin, const syntax::Call& call, SourceRange range) {
  if (is_tensor_builtin(builtin)) return call_tensor(builtin, call, range);
  if (is_weights_builtin(builtin)) return call_weights(builtin, call, range);
  if (is_atomic_builtin(builtin)) return call_atomic(builtin, call, range);
  if (is_matrix_builtin(builtin)) return call_matrix(builtin, call, range);
  if (is_pipeline_builtin(builtin) || builtin == Builtin::WeightsStageCopy) return call_pipeline(builtin, call, range);
  if (builtin == Builtin::ArrayLength) return call_array_length(call, range);
  if (builtin == Builtin::WorkgroupUniformLoad) return call_uniform_load(call, range);
  return call_with_signature(builtin, call, range);
}

ExpressionPtr Checker::call_with_signature(Builtin builtin, const syntax::Call& call, SourceRange range) {
  std::vector<ExpressionPtr> arguments = values(call.arguments);
  std::vector<TypePtr> types;
  bool all_known = true;
  for (const ExpressionPtr& argument : arguments) {
    types.push_back(argument->type);
    all_known = all_known && as_literal(*argument);
  }
  const bool is_subgroup = builtin >= Builtin::SubgroupAdd && builtin <= Builtin::SubgroupElect;
  const auto resolved = resolve_builtin(builtin, types, all_known && !is_subgroup);
  if (!resolved) {
    std::string given;
    for (const TypePtr& type : types) given += (given.empty() ? "" : ", ") + to_string(type);
    fail(range,
         quoted(to_string(builtin)) + " does not take (" + given + "); it takes " + describe_signatures(builtin) + ".");
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    arguments[i] = convert(std::move(arguments[i]), resolved->parameters[i], "argument " + std::to_string(i + 1));
  }
  if (all_known && !is_subgroup) {
    std::vector<std::vector<ConstantScalar>> components;
    for (const ExpressionPtr& argument : arguments) components.push_back(as_literal(*argument)->components);
    if (auto folded = fold_builtin(builtin, components, resolved->result)) {
      if (!folded->error.empty()) return impossible_value(folded->error, resolved->result, range);
      return literal(resolved->result, std::move(folded->components), range);
    }
  }
  return build::expression(resolved->result, BuiltinCall{builtin, std::move(arguments)}, range);
}

}  // namespace driftwood::shader::checking
