#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "base/error.h"
#include "shader/ir_walk.h"
#include "shader/wgsl/printer.h"

namespace driftwood::shader::wgsl {

namespace {

std::string_view builtin_name(BuiltinInput input) {
  constexpr std::array<std::string_view, 10> names = {"",
                                                      "local_invocation_id",
                                                      "local_invocation_index",
                                                      "global_invocation_id",
                                                      "workgroup_id",
                                                      "num_workgroups",
                                                      "subgroup_invocation_id",
                                                      "subgroup_size",
                                                      "subgroup_id",
                                                      "num_subgroups"};
  return names[static_cast<std::size_t>(input)];
}

}  // namespace

Printer::Printer(const Module& module, const WgslDialect& dialect, const WgslBindings& bindings)
    : module_(module), dialect_(dialect), bindings_(bindings) {
  check_bindings();
  if (dialect.matrices) find_matrix_memory();
  for (const auto& each : module.structs) module_names_.insert(each->as<StructType>()->name);
  for (const auto& each : module.resources) module_names_.insert(each->name);
  for (const auto& each : module.variables) module_names_.insert(each->name);
  for (const auto& each : module.functions) {
    module_names_.insert(each->name);
    for (const auto& parameter : each->parameters) module_names_.insert(parameter->name);
    visit_statements(each->body, [&](const Statement& statement) {
      if (const auto* declare = std::get_if<Declare>(&statement.node)) module_names_.insert(declare->variable->name);
    });
  }
  visit_expressions(module, [&](const Expression& each) {
    if (const auto* read = std::get_if<VariableExpression>(&each.node)) used_variables_.insert(read->variable);
  });
}

// What the entry point takes, with those of a subgroup that not every Tint has computed in `first_lines`.
std::string Printer::entry_parameters(const Function& function, std::vector<std::string>& first_lines) {
  std::vector<std::string> list;
  std::string size, index;
  const auto add = [&](BuiltinInput input, const std::string& declared, const TypePtr& type) {
    list.push_back("@builtin(" + std::string(builtin_name(input)) + ") " + declared + ": " + type_name(type));
    if (input == BuiltinInput::SubgroupSize) size = declared;
    if (input == BuiltinInput::LocalInvocationIndex) index = declared;
    return declared;
  };
  bool shows_uniform = false;
  visit_statements(function.body, [&](const Statement& each) {
    const auto* node = std::get_if<If>(&each.node);
    shows_uniform = shows_uniform || (node != nullptr && must_show_uniform(*node));
  });
  std::vector<const Variable*> computed;
  for (const auto& each : function.parameters) {
    if (!used_variables_.contains(each.get())) continue;
    uses_subgroups_ = uses_subgroups_ || each->builtin >= BuiltinInput::SubgroupInvocationId;
    if (each->builtin >= BuiltinInput::SubgroupId && !is_naga()) {
      computed.push_back(each.get());
    } else {
      add(each->builtin, name(each->name), each->type);
    }
  }
  for (const Variable* each : computed) {
    const auto& extent = function.workgroup_size;
    if (size.empty()) add(BuiltinInput::SubgroupSize, fresh_name("subgroup_size"), each->type);
    if (index.empty() && each->builtin == BuiltinInput::SubgroupId) {
      add(BuiltinInput::LocalInvocationIndex, fresh_name("local_index"), each->type);
    }
    const std::string value =
        each->builtin == BuiltinInput::SubgroupId
            ? index + " / " + size
            : "(" + std::to_string(extent[0] * extent[1] * extent[2] - 1) + "u + " + size + ") / " + size;
    first_lines.push_back("let " + name(each->name) + " = " + value + ";");
  }
  const bool zeroes = std::ranges::any_of(module_.variables, [&](const auto& each) { return must_zero(*each); });
  if ((shows_uniform || zeroes) && index.empty()) {
    add(BuiltinInput::LocalInvocationIndex, fresh_name("local_index"), scalar_type(Scalar::U32));
  }
  if (shows_uniform) {
    local_index_ = index;
    uniform_condition_ = fresh_name("uniform_condition");
  }
  if (zeroes) zero_workgroup_memory(function, index, first_lines);
  std::string text;
  for (const std::string& each : list) text += (text.empty() ? "" : ", ") + each;
  return text;
}

void Printer::function(const Function& function) {
  current_ = &function;
  std::string parameters;
  std::vector<std::string> first_lines;
  if (function.is_entry_point) parameters = entry_parameters(function, first_lines);
  for (const auto& each : function.parameters) {
    if (function.is_entry_point) break;
    parameters += (parameters.empty() ? "" : ", ") + name(each->name) + ": " + type_name(each->type);
  }
  std::string head = "fn " + name(function.name) + "(" + parameters + ")";
  if (function.result && function.result->as<VoidType>() == nullptr) head += " -> " + type_name(function.result);
  if (function.is_entry_point) {
    const auto& size = function.workgroup_size;
    out_.line("@compute @workgroup_size(" + std::to_string(size[0]) + ", " + std::to_string(size[1]) + ", " +
              std::to_string(size[2]) + ")");
  }
  out_.line(head + " {");
  if (function.is_entry_point) {
    out_.indent();
    for (const std::string& each : first_lines) out_.line(each);
    for (const auto& each : module_.variables) {
      if (each->initializer && !each->initializer->is_reference && !is_plain(*each->initializer)) {
        out_.line(name(each->name) + " = " + value(*each->initializer).text + ";");
      }
    }
    out_.outdent();
  }
  block(function.body);
  out_.line("}");
  out_.blank();
}

// Whether WGSL can write the initializer as a constant.
bool Printer::is_plain(const Expression& initializer) {
  bool plain = true;
  visit_expressions(initializer, [&](const Expression& each) {
    const auto* literal = std::get_if<Literal>(&each.node);
    if (literal == nullptr) plain = plain && std::holds_alternative<Construct>(each.node);
    if (literal == nullptr) return;
    for (const ConstantScalar& component : literal->components)
      plain = plain && (!is_float(component.scalar) || std::isfinite(component.f));
  });
  return plain;
}

std::string Printer::variable_declaration(const Variable& variable) {
  std::string text = "var<" + std::string(to_string(variable.space)) + "> " + name(variable.name) + ": " +
                     (matrix_memory_.contains(&variable) ? matrix_memory_type(variable) : type_name(variable.type));
  if (variable.initializer && is_plain(*variable.initializer)) text += " = " + value(*variable.initializer).text;
  return text + ";";
}

// Structures, each after those it holds.
std::vector<std::string> Printer::struct_declarations() {
  std::vector<std::string> declarations;
  std::set<std::string> seen;
  const std::function<void(const TypePtr&)> add = [&](const TypePtr& type) {
    if (!type) return;
    if (const auto* array = type->as<ArrayType>()) {
      add(array->element);
    } else if (const auto* pointer = type->as<PointerType>()) {
      add(pointer->pointee);
    } else if (const auto* structure = type->as<StructType>()) {
      if (!seen.insert(structure->name).second) return;
      for (const StructType::Field& field : structure->fields) add(field.type);
      declarations.push_back(struct_text(*structure));
    }
  };
  for (const auto& each : module_.resources) add(each->type);
  for (const auto& each : module_.variables) add(each->type);
  for (const auto& each : module_.functions) {
    add(each->result);
    for (const auto& parameter : each->parameters) add(parameter->type);
    visit_statements(each->body, [&](const Statement& statement) {
      if (const auto* declare = std::get_if<Declare>(&statement.node)) add(declare->variable->type);
    });
    visit_expressions(each->body, [&](const Expression& expression) { add(expression.type); });
  }
  return declarations;
}

std::string Printer::directives() const {
  std::string text;
  if (uses_f16_) text += "enable f16;\n";
  if (uses_subgroups_ && !is_naga()) text += "enable subgroups;\n";
  if (uses_matrices_ && is_naga()) {
    text += "enable wgpu_cooperative_matrix;\n";
  } else if (uses_matrices_) {
    text += "enable chromium_experimental_subgroup_matrix;\nenable chromium_disable_uniformity_analysis;\n";
  }
  if (uses_packed_dot_) text += "requires packed_4x8_integer_dot_product;\n";
  // The interpreter finds operations that part of a subgroup reaches; values alone do not show it.
  if (uses_subgroups_ && !is_naga()) text += "diagnostic(off, subgroup_uniformity);\n";
  return text;
}

std::string Printer::print() {
  std::string declarations;
  for (const std::string& each : struct_declarations()) declarations += each + "\n\n";
  for (const auto& each : module_.resources) {
    const std::string text = resource_text(*each);
    if (!text.empty()) declarations += text + "\n";
  }
  for (const auto& each : module_.variables) declarations += variable_declaration(*each) + "\n";
  // Bodies say which directives, helpers and tables come before.
  for (const auto& each : module_.functions) {
    if (!each->is_entry_point) function(*each);
  }
  function(*module_.entry_point);
  std::string body = out_.text();
  while (body.ends_with("\n\n")) body.pop_back();

  std::string text = directives();
  if (!text.empty()) text += "\n";
  text += declarations;
  if (!uniform_condition_.empty()) text += "var<workgroup> " + uniform_condition_ + ": u32;\n";
  for (const auto& [table, name] : tables_) text += "const " + name + " = " + table + ";\n";
  if (!declarations.empty() || !tables_.empty() || !uniform_condition_.empty()) text += "\n";
  for (const std::string& each : prelude_) text += each + "\n\n";
  return text + body;
}

}  // namespace driftwood::shader::wgsl
