#include "shader/ir_printer.h"

#include <array>
#include <charconv>
#include <cmath>

#include "shader/syntax.h"

namespace driftwood::shader {

namespace {

// ---- literals -----------------------------------------------------------------------------------------------

std::string scalar_text(const ConstantScalar& value) {
  switch (value.scalar) {
    case Scalar::Bool: return value.i ? "true" : "false";
    case Scalar::I32: return std::to_string(value.i) + "i";
    case Scalar::U32: return std::to_string(value.i) + "u";
    case Scalar::AbstractInt: return std::to_string(value.i);
    default: break;
  }
  if (!std::isfinite(value.f)) return std::isnan(value.f) ? "nan" : value.f > 0 ? "inf" : "-inf";
  char text[40];
  const bool is_double = value.scalar == Scalar::AbstractFloat;
  const auto end = is_double ? std::to_chars(text, text + sizeof text, value.f)
                             : std::to_chars(text, text + sizeof text, static_cast<float>(value.f));
  std::string result(text, end.ptr);
  if (is_double) return result.find_first_of(".e") == std::string::npos ? result + ".0" : result;
  return result + (value.scalar == Scalar::F16 ? "h" : "f");
}

/// Takes the components of one value of `type` from `next` on.
std::string literal_text(const TypePtr& type, const ConstantScalar*& next) {
  const int width = width_of(type);
  if (width == 1) return scalar_text(*next++);
  std::string parts;
  const auto add = [&](const std::string& part) { parts += (parts.empty() ? "" : ", ") + part; };
  for (int i = 0; i < width; ++i) add(scalar_text(*next++));
  if (const auto* array = type->as<ArrayType>()) {
    for (std::uint32_t i = 0; i < array->count.value_or(0); ++i) add(literal_text(array->element, next));
  } else if (const auto* structure = type->as<StructType>()) {
    for (const auto& field : structure->fields) add(literal_text(field.type, next));
  }
  return to_string(type) + "(" + parts + ")";
}

// ---- expressions --------------------------------------------------------------------------------------------

std::string join(const std::vector<ExpressionPtr>& list, std::size_t first = 0) {
  std::string text;
  for (std::size_t i = first; i < list.size(); ++i) text += (i == first ? "" : ", ") + print(*list[i]);
  return text;
}

/// An operand that a postfix or prefix operator follows or precedes.
std::string operand(const Expression& expression) {
  const bool is_compound =
      std::holds_alternative<Binary>(expression.node) || std::holds_alternative<Unary>(expression.node) ||
      std::holds_alternative<Dereference>(expression.node) || std::holds_alternative<AddressOf>(expression.node);
  return is_compound ? "(" + print(expression) + ")" : print(expression);
}

std::string unary_text(UnaryOp op) { return op == UnaryOp::Negate ? "-" : op == UnaryOp::Not ? "!" : "~"; }

struct ExpressionPrinter {
  const Expression& whole;

  std::string operator()(const Literal& e) const {
    const ConstantScalar* next = e.components.data();
    return literal_text(whole.type, next);
  }
  std::string operator()(const VariableExpression& e) const { return e.variable->name; }
  std::string operator()(const ResourceExpression& e) const { return e.resource->name; }
  std::string operator()(const Unary& e) const { return unary_text(e.op) + operand(*e.operand); }
  std::string operator()(const Binary& e) const {
    return operand(*e.left) + " " + std::string(syntax::to_string(e.op)) + " " + operand(*e.right);
  }
  std::string operator()(const BuiltinCall& e) const {
    const std::string type = e.builtin == Builtin::SubgroupMatrixLoad ? "<" + to_string(whole.type) + ">" : "";
    return std::string(to_string(e.builtin)) + type + "(" + join(e.arguments) + ")";
  }
  std::string operator()(const FunctionCall& e) const { return e.function->name + "(" + join(e.arguments) + ")"; }
  std::string operator()(const Construct& e) const { return to_string(whole.type) + "(" + join(e.arguments) + ")"; }
  std::string operator()(const Convert& e) const { return to_string(whole.type) + "(" + print(*e.operand) + ")"; }
  std::string operator()(const Bitcast& e) const {
    return "bitcast<" + to_string(whole.type) + ">(" + print(*e.operand) + ")";
  }
  std::string operator()(const Index& e) const { return operand(*e.base) + "[" + print(*e.index) + "]"; }
  std::string operator()(const Member& e) const {
    const auto* structure = e.base->type->as<StructType>();
    return operand(*e.base) + "." + (structure ? structure->fields[e.field].name : std::to_string(e.field));
  }
  std::string operator()(const Swizzle& e) const {
    const int width = width_of(e.base->type);
    std::string text = operand(*e.base);
    // Wide vectors have no letters for their upper components.
    if (width > 4 && e.count == 1) return text + "[" + std::to_string(e.components[0]) + "]";
    text += ".";
    for (std::size_t i = 0; i < e.count; ++i)
      text += e.components[i] < 4 ? std::string(1, "xyzw"[e.components[i]]) : "s" + std::to_string(e.components[i]);
    return text;
  }
  std::string operator()(const AddressOf& e) const { return "&" + operand(*e.reference); }
  std::string operator()(const Dereference& e) const { return "*" + operand(*e.pointer); }
  std::string operator()(const ObjectLoad& e) const {
    const std::string halves = width_of(whole.type) == 2 ? ".halves" : "";
    return e.object->name + halves + "[" + join(e.coordinates) + "]";
  }
};

// ---- statements ---------------------------------------------------------------------------------------------

class StatementPrinter {
 public:
  std::string take() { return std::move(out_); }

  void block(const Block& body) {
    ++indent_;
    for (const StatementPtr& statement : body) one(*statement);
    --indent_;
  }

  void one(const Statement& statement) { std::visit(*this, statement.node); }

  void operator()(const Declare& s) { line(simple(s) + ";"); }
  void operator()(const Assign& s) { line(simple(s) + ";"); }
  void operator()(const CompoundAssign& s) { line(simple(s) + ";"); }
  void operator()(const CallStatement& s) { line(print(*s.call) + ";"); }
  void operator()(const ObjectStore& s) { line(simple(s) + ";"); }
  void operator()(const Break&) { line("break;"); }
  void operator()(const Continue&) { line("continue;"); }
  void operator()(const Return& s) { line(s.value ? "return " + print(*s.value) + ";" : "return;"); }
  void operator()(const BlockStatement& s) { braces("", s.body); }
  void operator()(const If& s) {
    std::string head = "if (" + print(*s.condition) + ")";
    const Block* rest = &s.else_block;
    braces(head, s.then_block, rest->empty());
    while (!rest->empty()) {
      const auto* chained = rest->size() == 1 ? std::get_if<If>(&rest->front()->node) : nullptr;
      const Block& body = chained ? chained->then_block : *rest;
      head = chained ? "} else if (" + print(*chained->condition) + ")" : "} else";
      const bool is_last = !chained || chained->else_block.empty();
      braces(head, body, is_last);
      if (!chained) break;
      rest = &chained->else_block;
    }
  }
  void operator()(const For& s) {
    const std::string unroll = s.unroll ? "@unroll " : "";
    if (!s.init && !s.update && s.condition) return braces(unroll + "while (" + print(*s.condition) + ")", s.body);
    std::string head = unroll + "for (" + (s.init ? simple(*s.init) : "") + ";";
    if (s.condition) head += " " + print(*s.condition);
    head += ";";
    if (s.update) head += " " + simple(*s.update);
    braces(head + ")", s.body);
  }
  void operator()(const Loop& s) {
    line("loop {");
    block(s.body);
    if (!s.continuing.empty() || s.break_if) {
      ++indent_;
      line("continuing {");
      block(s.continuing);
      if (s.break_if) {
        ++indent_;
        line("break if " + print(*s.break_if) + ";");
        --indent_;
      }
      line("}");
      --indent_;
    }
    line("}");
  }
  void operator()(const Switch& s) {
    line("switch (" + print(*s.selector) + ") {");
    ++indent_;
    for (const Switch::Case& clause : s.cases) {
      std::string values;
      for (const ConstantScalar& selector : clause.selectors)
        values += (values.empty() ? "" : ", ") + scalar_text(selector);
      if (clause.is_default) values += values.empty() ? "" : ", default";
      braces(values.empty() ? "default:" : "case " + values + ":", clause.body);
    }
    --indent_;
    line("}");
  }

 private:
  void line(const std::string& text) { out_ += std::string(indent_ * 2, ' ') + text + "\n"; }

  void braces(const std::string& head, const Block& body, bool closes = true) {
    line(head.empty() ? "{" : head + " {");
    block(body);
    if (closes) line("}");
  }

  static std::string simple(const Declare& s) {
    std::string text =
        (s.variable->is_mutable ? "var " : "let ") + s.variable->name + ": " + to_string(s.variable->type);
    if (s.initializer) text += " = " + print(*s.initializer);
    return text;
  }
  static std::string simple(const Assign& s) { return (s.target ? print(*s.target) : "_") + " = " + print(*s.value); }
  static std::string simple(const CompoundAssign& s) {
    return print(*s.target) + " " + std::string(syntax::to_string(s.op)) + "= " + print(*s.value);
  }
  static std::string simple(const ObjectStore& s) {
    return s.object->name + "[" + join(s.coordinates) + "] = " + print(*s.value);
  }
  static std::string simple(const Statement& s) {
    if (const auto* declare = std::get_if<Declare>(&s.node)) return simple(*declare);
    if (const auto* assign = std::get_if<Assign>(&s.node)) return simple(*assign);
    if (const auto* compound = std::get_if<CompoundAssign>(&s.node)) return simple(*compound);
    if (const auto* store = std::get_if<ObjectStore>(&s.node)) return simple(*store);
    if (const auto* call = std::get_if<CallStatement>(&s.node)) return print(*call->call);
    return "";
  }

  std::string out_;
  std::size_t indent_ = 0;
};

// ---- declarations -------------------------------------------------------------------------------------------

std::string_view builtin_input_name(BuiltinInput input) {
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

std::string object_text(const Resource& resource) {
  std::string extent;
  for (int i = 0; i < coordinate_count(resource.storage); ++i) {
    extent += (i == 0 ? "" : ", ") + std::to_string(resource.extent[static_cast<std::size_t>(i)]);
  }
  return "@object(" + std::string(to_string(resource.storage)) + ", " + std::string(to_string(resource.texel)) + ", [" +
         extent + "]) var<" + std::string(to_string(resource.access)) + "> " + resource.name + ": " +
         to_string(resource.type) + ";";
}

std::string resource_text(const Resource& resource) {
  const std::string place = "@binding(" + std::to_string(resource.binding) + ") ";
  const std::string access(to_string(resource.access));
  const std::string rest = resource.name + ": " + to_string(resource.type) + ";";
  switch (resource.kind) {
    case Resource::Kind::Tensor: return place + "@tensor var<" + access + "> " + rest;
    case Resource::Kind::Weights: return place + "@weights var<" + access + "> " + rest;
    case Resource::Kind::Storage: return place + "var<storage, " + access + "> " + rest;
    case Resource::Kind::Uniform: return place + "var<uniform> " + rest;
    case Resource::Kind::Object: return place + object_text(resource);
  }
  return "";
}

std::string struct_text(const StructType& type) {
  std::string text = "struct " + type.name + " {\n";
  for (const auto& field : type.fields) text += "  " + field.name + ": " + to_string(field.type) + ",\n";
  return text + "}\n";
}

}  // namespace

std::string print(const Expression& expression) { return std::visit(ExpressionPrinter{expression}, expression.node); }

std::string print(const Statement& statement) {
  StatementPrinter printer;
  printer.one(statement);
  return printer.take();
}

std::string print(const Function& function) {
  std::string text;
  if (function.is_entry_point) {
    const auto& size = function.workgroup_size;
    text += "@compute @workgroup_size(" + std::to_string(size[0]) + ", " + std::to_string(size[1]) + ", " +
            std::to_string(size[2]) + ")\n";
  }
  text += "fn " + function.name + "(";
  for (const auto& parameter : function.parameters) {
    if (&parameter != &function.parameters.front()) text += ", ";
    if (parameter->builtin != BuiltinInput::None) {
      text += "@builtin(" + std::string(builtin_input_name(parameter->builtin)) + ") ";
    }
    text += parameter->name + ": " + to_string(parameter->type);
  }
  text += ")";
  if (function.result && !function.result->as<VoidType>()) text += " -> " + to_string(function.result);
  StatementPrinter printer;
  printer.block(function.body);
  return text + " {\n" + printer.take() + "}\n";
}

std::string print(const Module& module) {
  std::string text;
  for (const TypePtr& type : module.structs) text += struct_text(*type->as<StructType>());
  for (const auto& resource : module.resources) text += resource_text(*resource) + "\n";
  for (const auto& variable : module.variables) {
    text += "var<" + std::string(to_string(variable->space)) + "> " + variable->name + ": " + to_string(variable->type);
    if (variable->initializer) text += " = " + print(*variable->initializer);
    text += ";\n";
  }
  for (const auto& function : module.functions) text += (text.empty() ? "" : "\n") + print(*function);
  return text;
}

}  // namespace driftwood::shader
