#include "base/error.h"
#include "shader/ir_build.h"
#include "shader/ir_walk.h"
#include "shader/wgsl/printer.h"

namespace driftwood::shader::wgsl {

void Printer::block(const Block& statements) {
  out_.indent();
  for (const StatementPtr& each : statements) statement(*each);
  out_.outdent();
}

void Printer::statement(const Statement& statement) {
  if (const auto* node = std::get_if<If>(&statement.node)) return if_statement(*node, "");
  if (const auto* node = std::get_if<For>(&statement.node)) return for_statement(*node);
  if (const auto* node = std::get_if<Loop>(&statement.node)) return loop_statement(*node);
  if (const auto* node = std::get_if<Switch>(&statement.node)) return switch_statement(*node);
  if (const auto* node = std::get_if<BlockStatement>(&statement.node)) {
    out_.line("{");
    block(node->body);
    out_.line("}");
    return;
  }
  const std::string text = simple_statement(statement);
  if (!text.empty()) out_.line(text + ";");  // a hint may have no text
}

std::string Printer::simple_statement(const Statement& statement) {
  if (const auto* node = std::get_if<Declare>(&statement.node)) return declare(*node);
  if (const auto* node = std::get_if<Assign>(&statement.node)) {
    if (!node->target) return "_ = " + value(*node->value).text;
    if (is_memory_half(node->target->type)) return half_store(*node->target, *node->value);
    if (in_retyped_array(*node->target)) return retyped_store(*node->target, value(*node->value).text);
    // `x = x + y` reads x += y.
    const auto* sum = std::get_if<Binary>(&node->value->node);
    if (sum != nullptr && is_same_place(*node->target, *sum->left)) {
      return compound_assign(sum->op, *node->target, *sum->right);
    }
    return value(*node->target).text + " = " + value(*node->value).text;
  }
  if (const auto* node = std::get_if<CompoundAssign>(&statement.node)) {
    return compound_assign(node->op, *node->target, *node->value);
  }
  if (const auto* node = std::get_if<CallStatement>(&statement.node)) return call_statement(*node->call);
  if (const auto* node = std::get_if<ObjectStore>(&statement.node)) return object_store(*node);
  if (const auto* node = std::get_if<Return>(&statement.node)) {
    return node->value ? "return " + value(*node->value).text : "return";
  }
  if (std::holds_alternative<Break>(statement.node)) return "break";
  if (std::holds_alternative<Continue>(statement.node)) return "continue";
  throw InternalError("A statement of the kernel has no spelling in WGSL.");
}

std::string Printer::declare(const Declare& node) {
  const Variable& variable = *node.variable;
  std::string text = (variable.is_mutable ? "var " : "let ") + name(variable.name);
  // Always: one driver keeps the last turn's value of a variable that a loop declares without, and naga has no zeroes
  // for matrices.
  if (!node.initializer) return text + " = " + type_name(variable.type) + "()";
  return text + " = " + value(*node.initializer).text;
}

std::string Printer::compound_assign(BinaryOp op, const Expression& target, const Expression& step) {
  // Printed short where the operator has such a form and what it takes is no constant that a compiler refuses.
  Expression sum;
  sum.type = target.type;
  sum.range = target.range;
  sum.node = Binary{op, clone(target), clone(step)};
  if (in_retyped_array(target)) return retyped_store(target, value(sum).text);
  const bool has_form = op < BinaryOp::LogicalAnd && width_of(target.type) >= width_of(step.type);
  if (!has_form) return value(target).text + " = " + value(sum).text;
  const std::string place = value(target).text;
  const auto known = integer_value(step);
  const bool is_scalar_integer = width_of(target.type) == 1 && known == 1;
  if (is_scalar_integer && op == BinaryOp::Add) return Code(value(target)).at_least(Precedence::Postfix) + "++";
  if (is_scalar_integer && op == BinaryOp::Subtract) return Code(value(target)).at_least(Precedence::Postfix) + "--";
  const bool divides = op == BinaryOp::Divide || op == BinaryOp::Remainder;
  const bool shifts = op == BinaryOp::ShiftLeft || op == BinaryOp::ShiftRight;
  const bool may_be_refused = (divides || shifts) && as_literal(step) != nullptr;
  if (may_be_refused) return place + " = " + value(sum).text;
  return place + " " + std::string(symbol_of(op)) + "= " + value(step).text;
}

// Whether a place lies in an array that is printed as one of a matrix's components.
bool Printer::in_retyped_array(const Expression& target) const {
  const Variable* variable = root_variable(target);
  const auto found = variable != nullptr ? matrix_memory_.find(variable) : matrix_memory_.end();
  return found != matrix_memory_.end() && !found->second.is_as_declared;
}

std::string Printer::retyped_store(const Expression& target, const std::string& stored) {
  const auto* at = std::get_if<Index>(&target.node);
  if (at == nullptr || retyped(*at->base) == nullptr) {
    throw Unsupported("A part of an element of '" + root_variable(target)->name +
                      "' is stored, where matrices lie; only whole elements are.");
  }
  const Variable& array = *std::get<VariableExpression>(at->base->node).variable;
  return matrix_memory_store(array) + "(" + unsigned_index(*at->index) + ", " + stored + ")";
}

// Two references that lead to one place and can be printed once for both.
bool Printer::is_same_place(const Expression& a, const Expression& b) {
  if (!a.is_reference || !b.is_reference) return false;
  if (root_variable(a) != root_variable(b) || root_resource(a) != root_resource(b) || has_side_effects(a)) return false;
  return value(a).text == value(b).text;
}

// The result of a builtin must be used, but for those that change memory.
std::string Printer::call_statement(const Expression& call) {
  const std::string text = value(call).text;
  const auto* builtin = std::get_if<BuiltinCall>(&call.node);
  if (builtin == nullptr || call.type->as<VoidType>() != nullptr) return text;
  const bool is_atomic = builtin->builtin >= Builtin::AtomicStore && builtin->builtin <= Builtin::AtomicExchange;
  return is_atomic ? text : "_ = " + text;
}

bool Printer::must_show_uniform(const If& node) const {
  bool reads_workgroup = false, needs_all = false;
  visit_expressions(*node.condition, [&](const Expression& each) {
    const auto* read = std::get_if<VariableExpression>(&each.node);
    reads_workgroup = reads_workgroup || (read != nullptr && read->variable->space == AddressSpace::Workgroup);
  });
  if (!is_naga() || !reads_workgroup) return false;
  const auto look = [&](const Expression& each) {
    const auto* call = std::get_if<BuiltinCall>(&each.node);
    needs_all = needs_all || (call != nullptr &&
                              (call->builtin == Builtin::WorkgroupBarrier || call->builtin == Builtin::StorageBarrier ||
                               call->builtin == Builtin::SubgroupMatrixLoad ||
                               call->builtin == Builtin::SubgroupMatrixMultiplyAccumulate));
  };
  visit_expressions(node.then_block, look);
  visit_expressions(node.else_block, look);
  return needs_all;
}

void Printer::if_statement(const If& node, std::string_view prefix) {
  std::string condition = value(*node.condition).text;
  if (prefix.empty() && current_->is_entry_point && must_show_uniform(node)) {
    out_.line("if (" + local_index_ + " == 0u) {");
    out_.line("  " + uniform_condition_ + " = u32(" + condition + ");");
    out_.line("}");
    condition = "workgroupUniformLoad(&" + uniform_condition_ + ") != 0u";
  }
  out_.line(std::string(prefix) + "if (" + condition + ") {");
  block(node.then_block);
  if (node.else_block.empty()) {
    out_.line("}");
    return;
  }
  const auto* chained = node.else_block.size() == 1 ? std::get_if<If>(&node.else_block[0]->node) : nullptr;
  if (chained != nullptr) return if_statement(*chained, "} else ");
  out_.line("} else {");
  block(node.else_block);
  out_.line("}");
}

void Printer::for_statement(const For& node) {
  const std::string condition = node.condition ? value(*node.condition).text : "";
  if (!node.init && !node.update) {
    out_.line(condition.empty() ? "loop {" : "while (" + condition + ") {");
  } else {
    const std::string init = node.init ? simple_statement(*node.init) : "";
    const std::string update = node.update ? simple_statement(*node.update) : "";
    out_.line("for (" + init + "; " + condition + "; " + update + ") {");
  }
  block(node.body);
  out_.line("}");
}

void Printer::loop_statement(const Loop& node) {
  out_.line("loop {");
  block(node.body);
  out_.indent();
  if (!node.continuing.empty() || node.break_if) {
    out_.line("continuing {");
    block(node.continuing);
    out_.indent();
    if (node.break_if) out_.line("break if " + value(*node.break_if).text + ";");
    out_.outdent();
    out_.line("}");
  }
  out_.outdent();
  out_.line("}");
}

void Printer::switch_statement(const Switch& node) {
  out_.line("switch (" + value(*node.selector).text + ") {");
  out_.indent();
  for (const Switch::Case& each : node.cases) {
    std::string labels;
    for (const ConstantScalar& selector : each.selectors)
      labels += (labels.empty() ? "" : ", ") + scalar_literal(selector).text;
    if (each.is_default) labels += labels.empty() ? "" : ", default";
    out_.line(labels.empty() ? "default: {" : "case " + labels + ": {");
    block(each.body);
    out_.line("}");
  }
  out_.outdent();
  out_.line("}");
}

}  // namespace driftwood::shader::wgsl
