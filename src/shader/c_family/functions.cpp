#include <utility>

#include "base/error.h"
#include "shader/c_family/printer.h"
#include "shader/ir_build.h"
#include "shader/ir_walk.h"

namespace driftwood::shader::c_family {

Printer::Printer(const Module& module)
    : module_(module), captures_(find_captures(module)), value_arrays_(find_value_arrays(module)), names_(module) {
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

void Printer::function(const Function& function) {
  current_ = &function;
  std::string parameters;
  before_function();
  const auto add = [&](const std::string& each) { parameters += (parameters.empty() ? "" : ", ") + each; };
  for (const auto& each : function.parameters) add(declaration(each->type, name(each->name)));
  for (const Resource* each : captures_[&function].resources) add(resource_declaration(*each));
  for (const Variable* each : captures_[&function].variables) add(captured_declaration(*each));
  for (const Resource* each : captures_[&function].lengths) add("uint " + array_length_name(*each));
  out_.line("static " + declaration(function.result, name(function.name)) + "(" + parameters + ") {");
  block(function.body);
  out_.line("}");
  out_.blank();
}

// A line a parameter list, broken where it is too long.
void Printer::signature(const std::string& head, const std::vector<std::string>& parameters) {
  std::string line = head;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string part = parameters[i] + (i + 1 < parameters.size() ? "," : "");
    if (line.size() + part.size() > 116 && line != head) {
      out_.line(line);
      line = std::string(head.size(), ' ') + part;
    } else {
      line += (line.ends_with("(") || line.ends_with(" ") ? "" : " ") + part;
    }
  }
  out_.line(line + ") {");
}

void Printer::private_variables(const Function& function) {
  for (const Variable* each : captures_[&function].variables) {
    if (each->space != AddressSpace::Private) continue;
    Declare declare;
    declare.variable = std::make_unique<Variable>();
    declare.variable->name = each->name;
    declare.variable->type = each->type;
    declare.variable->is_mutable = true;
    if (each->initializer) declare.initializer = clone(*each->initializer);
    out_.line(this->declare(declare) + ";");
  }
}

std::string Printer::store_zero(const std::string& place, const TypePtr& type) const {
  if (type->as<StructType>() != nullptr) {
    return place + " = " + aggregate_value(type_name(type), std::string(zero_braces())).text;
  }
  return place + " = " + (width_of(type) > 1 ? vector_value(type_name(type), "0").text : "0");
}

// WGSL's workgroup memory starts as zeroes. All invocations write them, one element each in turn.
void Printer::zero_workgroup_memory(const Function& function) {
  const auto& size = function.workgroup_size;
  const std::uint32_t total = size[0] * size[1] * size[2];
  const std::string index = workgroup_index();
  bool any = false;
  for (const Variable* each : captures_[&function].variables) {
    if (each->space != AddressSpace::Workgroup || !each->needs_zeroes) continue;
    any = true;
    const std::string printed = name(each->name);
    std::uint64_t count = 1;
    TypePtr element = each->type;
    while (const auto* array = element->as<ArrayType>()) {
      count *= *array->count;
      element = array->element;
    }
    if (each->type->as<ArrayType>() == nullptr) {
      out_.line((total > 1 ? "if (" + index + " == 0) " : "") + store_zero(printed, element) + ";");
      continue;
    }
    const bool is_flat = !is_wrapped(each->type) && each->type->as<ArrayType>()->element->as<ArrayType>() == nullptr;
    const std::string base = is_flat ? printed
                                     : "((" + std::string(space_qualifier(AddressSpace::Workgroup)) +
                                           type_name(element) + "*)&" + printed + ")";
    out_.line("for (uint i = " + index + "; i < " + std::to_string(count) + "u; i += " + std::to_string(total) + "u) " +
              store_zero(base + "[i]", element) + ";");
  }
  if (any) out_.line(workgroup_barrier() + ";");
}

}  // namespace driftwood::shader::c_family
