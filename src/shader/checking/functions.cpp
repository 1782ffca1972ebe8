// Functions: signatures, instances for the resources passed, entry points and fusion points.
#include <algorithm>
#include <unordered_map>

#include "shader/checking/checker_state.h"
#include "shader/checking/control_flow.h"
#include "shader/checking/conversions.h"

namespace driftwood::shader::checking {

namespace {

constexpr std::size_t max_instances = 256;

bool is_handle(const TypePtr& type) { return type->as<TensorType>() || type->as<WeightsType>(); }

struct InputRow {
  BuiltinInput input;
  bool is_vector;  // vec3<u32>, else u32
};

const std::unordered_map<std::string_view, InputRow>& builtin_inputs() {
  static const std::unordered_map<std::string_view, InputRow> rows = {
      {"local_invocation_id", {BuiltinInput::LocalInvocationId, true}},
      {"local_invocation_index", {BuiltinInput::LocalInvocationIndex, false}},
      {"global_invocation_id", {BuiltinInput::GlobalInvocationId, true}},
      {"workgroup_id", {BuiltinInput::WorkgroupId, true}},
      {"num_workgroups", {BuiltinInput::NumWorkgroups, true}},
      {"subgroup_invocation_id", {BuiltinInput::SubgroupInvocationId, false}},
      {"subgroup_size", {BuiltinInput::SubgroupSize, false}},
      {"subgroup_id", {BuiltinInput::SubgroupId, false}},
      {"num_subgroups", {BuiltinInput::NumSubgroups, false}},
  };
  return rows;
}

}  // namespace

Entity Checker::declare_function(const Symbol& symbol) {
  const auto& function = std::get<syntax::Function>(symbol.declaration->node);
  allow_attributes(symbol.declaration->attributes, {"compute", "workgroup_size", "must_use", "fusion", "diagnostic"},
                   "a function");
  auto source = std::make_unique<SourceFunction>();
  source->declaration = symbol.declaration;
  source->syntax = &function;
  source->home = symbol.home;
  source->is_entry_point = syntax::find_attribute(symbol.declaration->attributes, "compute") != nullptr;
  for (const auto& parameter : function.parameters) {
    source->parameter_types.push_back(type(*parameter.type));
    const TypePtr& declared = source->parameter_types.back();
    source->takes_handles |= is_handle(declared);
    if (!is_handle(declared) && !declared->as<PointerType>() && !is_constructible(declared)) {
      fail(parameter.type->range, "A parameter cannot have the type " + to_string(declared) + ".");
    }
    if (!source->is_entry_point)
      allow_attributes(parameter.attributes, {}, "a parameter of a function that is no entry point");
  }
  source->result = function.result ? type(*function.result) : void_type();
  if (function.result && !is_constructible(source->result)) {
    fail(function.result->range, "A function cannot return the type " + to_string(source->result) + ".");
  }
  source_functions_.push_back(std::move(source));
  return source_functions_.back().get();
}

Function& Checker::instantiate(SourceFunction& source, const std::vector<Resource*>& handles, SourceRange user) {
  for (const auto& instance : source.instances) {
    if (instance->handles != handles) continue;
    if (!instance->is_checked) {
      fail(user, "The function " + quoted(source.syntax->name) + " calls itself; recursion is not possible.",
           {{source.syntax->name_range, "It is declared here."}});
    }
    return *instance->function;
  }
  if (source.instances.size() >= max_instances) {
    fail(user, "The function " + quoted(source.syntax->name) + " is called with more than " +
                   std::to_string(max_instances) + " combinations of resources.");
  }
  const Depth depth(*this, user, 10);
  SourceFunction::Instance& instance = *source.instances.emplace_back(std::make_unique<SourceFunction::Instance>());
  instance.handles = handles;
  instance.function = std::make_unique<Function>();
  Function& function = *instance.function;
  if (!handles.empty()) instantiations_.emplace_back(source.syntax->name, user);

  Context context;
  context.file = source.home;
  context.function = &function;
  const Restore<Context> restore(context_, std::move(context));
  const LocalScope scope(context_);
  function.name = source.syntax->name;
  function.range = source.syntax->name_range;
  function.result = source.result;
  check_signature(source, function, handles);
  if (source.is_entry_point) check_entry_point(source, function);
  check_statements(source.syntax->body, function.body);

  const Behavior behavior = behavior_of(function.body);
  if (behavior.next && !source.result->as<VoidType>()) {
    fail(source.syntax->end, "The function " + quoted(function.name) +
                                 " can end here without returning a value of type " + to_string(source.result) + ".");
  }
  if (!behavior.next && !behavior.returns) {
    fail(source.syntax->name_range, "The function " + quoted(function.name) + " never ends.");
  }
  if (!handles.empty()) instantiations_.pop_back();
  instance.is_checked = true;
  functions_.push_back(&function);
  return function;
}

void Checker::check_signature(SourceFunction& source, Function& function, const std::vector<Resource*>& handles) {
  std::size_t next_handle = 0;
  for (std::size_t i = 0; i < source.syntax->parameters.size(); ++i) {
    const auto& parameter = source.syntax->parameters[i];
    const TypePtr& type = source.parameter_types[i];
    if (is_handle(type)) {
      if (source.is_entry_point) {
        fail(parameter.name_range,
             "An entry point takes no tensors or weights as parameters; declare them at module scope.");
      }
      declare_local(parameter.name, handles[next_handle++], parameter.name_range);
      continue;
    }
    auto variable = std::make_unique<Variable>();
    variable->name = parameter.name;
    variable->type = type;
    variable->is_parameter = true;
    variable->range = parameter.name_range;
    if (source.is_entry_point) check_entry_parameter(parameter, *variable);
    declare_local(parameter.name, variable.get(), parameter.name_range);
    function.parameters.push_back(std::move(variable));
  }
}

void Checker::check_entry_parameter(const syntax::Function::Parameter& parameter, Variable& variable) {
  allow_attributes(parameter.attributes, {"builtin"}, "a parameter of an entry point");
  const syntax::Attribute* builtin = syntax::find_attribute(parameter.attributes, "builtin");
  if (!builtin) {
    fail(parameter.name_range, "The parameter " + quoted(parameter.name) + " of an entry point needs '@builtin(...)'.");
  }
  const auto* name = builtin->arguments.size() == 1 ? std::get_if<syntax::Name>(&builtin->arguments[0]->node) : nullptr;
  const auto row = name ? builtin_inputs().find(name->text) : builtin_inputs().end();
  if (row == builtin_inputs().end()) {
    fail(builtin->range, "There is no such built-in input of a compute kernel.");
  }
  const TypePtr expected = row->second.is_vector ? vector_type(Scalar::U32, 3) : scalar_type(Scalar::U32);
  if (!same_type(variable.type, expected)) {
    fail(parameter.type->range, "The built-in input " + quoted(name->text) + " has the type " + to_string(expected) +
                                    ", not " + to_string(variable.type) + ".");
  }
  variable.builtin = row->second.input;
}

void Checker::check_entry_point(const SourceFunction& source, Function& function) {
  function.is_entry_point = true;
  if (source.syntax->result) fail(source.syntax->result->range, "An entry point returns no value.");
  const syntax::Attribute* size = syntax::find_attribute(source.declaration->attributes, "workgroup_size");
  if (!size) {
    fail(source.syntax->name_range, "The entry point " + quoted(function.name) + " needs '@workgroup_size(...)'.");
  }
  if (size->arguments.empty() || size->arguments.size() > 3)
    fail(size->range, "'@workgroup_size' takes 1 to 3 numbers.");
  constexpr std::int64_t max_size = 1 << 16;  // devices have tighter limits of their own
  for (std::size_t i = 0; i < size->arguments.size(); ++i) {
    const std::int64_t extent = constant_integer(*size->arguments[i], "a workgroup size");
    if (extent < 1 || extent > max_size) {
      fail(size->arguments[i]->range, "A workgroup size must be at least 1 and at most " + std::to_string(max_size) +
                                          "; it is " + std::to_string(extent) + ".");
    }
    function.workgroup_size[i] = static_cast<std::uint32_t>(extent);
  }
}

void Checker::check_fusion_signature(const syntax::Declaration& point, const LinkedFile& home) {
  const Symbol filled = program_.fusion_of(point);
  if (!filled.declaration) return;
  const auto signature = [&](const Symbol& symbol) {
    const Entity entity = resolve(symbol, symbol.declaration->name_range());
    return std::get<SourceFunction*>(entity);
  };
  const SourceFunction* expected = signature({&point, &home});
  const SourceFunction* given = signature(filled);
  const auto text = [](const SourceFunction& function) {
    std::string types;
    for (const TypePtr& type : function.parameter_types) types += (types.empty() ? "" : ", ") + to_string(type);
    return "(" + types + ")" + (function.result->as<VoidType>() ? "" : " -> " + to_string(function.result));
  };
  const bool fits = same_type(expected->result, given->result) &&
                    std::equal(expected->parameter_types.begin(), expected->parameter_types.end(),
                               given->parameter_types.begin(), given->parameter_types.end(), same_type);
  if (fits) return;
  fail(given->syntax->signature,
       "The function " + quoted(given->syntax->name) + " has the signature " + text(*given) +
           ", but the fusion point has " + text(*expected) + ".",
       {{expected->syntax->signature, "The fusion point is declared here."}});
}

SourceFunction& Checker::find_entry_point(std::string_view name) {
  SourceFunction* found = nullptr;
  const SourceRange start = {program_.root().tree.file, 0, 0};
  for (const auto& declaration : program_.root().tree.declarations) {
    const auto entry = resolved_.find(declaration.get());
    if (entry == resolved_.end()) continue;
    auto* const* function = std::get_if<SourceFunction*>(&entry->second.entity);
    if (!function || !(*function)->is_entry_point) continue;
    if (!name.empty() && (*function)->syntax->name != name) continue;
    if (found) {
      fail((*function)->syntax->name_range, "The kernel has several entry points; say which one is meant.",
           {{found->syntax->name_range, "Another one is here."}});
    }
    found = *function;
  }
  if (!found) {
    fail(start, name.empty() ? "The kernel has no entry point, a function with '@compute'."
                             : "The kernel has no entry point " + quoted(name) + ".");
  }
  return *found;
}

}  // namespace driftwood::shader::checking
