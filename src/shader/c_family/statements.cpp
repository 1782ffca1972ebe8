#include "base/error.h"
#include "shader/c_family/printer.h"
#include "shader/ir_build.h"
#include "shader/ir_walk.h"

namespace driftwood::shader::c_family {

namespace {

bool continues_itself(const Block& block) {
  bool found = false;
  for (const StatementPtr& each : block) {
    if (std::holds_alternative<Continue>(each->node)) found = true;
    if (std::holds_alternative<For>(each->node) || std::holds_alternative<Loop>(each->node)) continue;
    for_each_block(*each, [&](Block& inner) { found = found || continues_itself(inner); });
  }
  return found;
}

// Whether control can reach the end of the block.
bool falls_through(const Block& block) {
  if (block.empty()) return true;
  const auto& last = block.back()->node;
  return !std::holds_alternative<Break>(last) && !std::holds_alternative<Continue>(last) &&
         !std::holds_alternative<Return>(last);
}

// The loop variable's step is plain C: `i < n` keeps it in bounds long before it could overflow.
bool is_counter(const For& node) {
  const auto* condition = node.condition ? std::get_if<Binary>(&node.condition->node) : nullptr;
  return condition != nullptr && condition->op >= BinaryOp::NotEqual;
}

}  // namespace

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
  if (std::holds_alternative<Continue>(statement.node)) {
    const ContinueTarget target = continue_targets_.empty() ? ContinueTarget{} : continue_targets_.back();
    if (target.loop != nullptr) {
      // The continuing block runs before the next turn, so its text stands here too.
      for (const StatementPtr& each : target.loop->continuing) this->statement(*each);
      if (!target.done.empty()) out_.line(target.done + " = " + value(*target.loop->break_if).text + ";");
    }
    out_.line("continue;");
    return;
  }
  const std::string text = simple_statement(statement);
  if (!text.empty()) out_.line(text + ";");  // a hint may have no text
}

std::string Printer::simple_statement(const Statement& statement, bool plain_counter) {
  if (const auto* node = std::get_if<Declare>(&statement.node)) return declare(*node);
  if (const auto* node = std::get_if<Assign>(&statement.node)) {
    if (!node->target) return "(void)" + value(*node->value).at_least(Precedence::Unary);
    // `x = x + y` reads x += y.
    const auto* sum = std::get_if<Binary>(&node->value->node);
    if (sum != nullptr && is_same_place(*node->target, *sum->left)) {
      return compound_assign(sum->op, *node->target, *sum->right, plain_counter);
    }
    return assign(*node->target, *node->value);
  }
  if (const auto* node = std::get_if<CompoundAssign>(&statement.node)) {
    return compound_assign(node->op, *node->target, *node->value, plain_counter);
  }
  if (const auto* node = std::get_if<CallStatement>(&statement.node)) return value(*node->call).text;
  if (const auto* node = std::get_if<ObjectStore>(&statement.node)) return object_store(*node);
  if (const auto* node = std::get_if<Return>(&statement.node)) {
    return node->value ? "return " + value(*node->value).text : "return";
  }
  if (std::holds_alternative<Break>(statement.node)) return "break";
  throw InternalError("A statement of the kernel has no spelling in " + std::string(language()) + ".");
}

std::string Printer::declare(const Declare& node) {
  const Variable& variable = *node.variable;
  const bool is_pointer = variable.type->as<PointerType>() != nullptr;
  std::string text = variable.is_mutable || is_pointer ? "" : "const ";
  text += declaration(variable.type, name(variable.name)) + " = ";
  if (node.initializer) return text + initializer(*node.initializer);
  const int width = width_of(variable.type);
  if (variable.type->as<MatrixType>() != nullptr) return text + zero_matrix(variable.type);
  if (width == 0) return text + std::string(zero_braces());
  const Scalar scalar = *scalar_of(variable.type);
  const auto zero = is_float(scalar) ? ConstantScalar::of_float(scalar, 0) : ConstantScalar::of_int(scalar, 0);
  const Literal zeroes{std::vector<ConstantScalar>(static_cast<std::size_t>(width), zero)};
  return text + literal(variable.type, zeroes).text;
}

std::string Printer::assign(const Expression& target, const Expression& stored) {
  if (is_memory_half(target.type)) return half_store(target, stored);
  const auto* swizzle = std::get_if<Swizzle>(&target.node);
  const auto* index = std::get_if<Index>(&target.node);
  const Expression* vector = swizzle != nullptr && swizzle->count == 1 ? swizzle->base.get() : nullptr;
  if (index != nullptr && width_of(index->base->type) > 1) vector = index->base.get();
  const bool is_mask_component = vector != nullptr && is_mask(vector->type);
  return place(target).text + " = " + (is_mask_component ? as_mask(stored) : argument(stored));
}

std::string Printer::compound_assign(BinaryOp op, const Expression& target, const Expression& step,
                                     bool plain_counter) {
  // The same as `target = target op step`; printed short where C's operator does what the language asks.
  Expression sum;
  sum.type = target.type;
  sum.range = target.range;
  sum.node = Binary{op, clone(target), clone(step)};
  const bool is_division = op == BinaryOp::Divide || op == BinaryOp::Remainder;
  const bool divides = is_division && value(sum).precedence != Precedence::Multiplicative;
  const bool wraps = !plain_counter && needs_wrapping(sum);
  const bool is_operator = op < BinaryOp::LogicalAnd && width_of(target.type) >= width_of(step.type);
  const bool shifts = op == BinaryOp::ShiftLeft || op == BinaryOp::ShiftRight;
  const bool needs_amount = shifts && masks_shift(step);
  if (is_operator && !needs_amount && !divides && !wraps && !is_memory_half(sum.type) &&
      accumulating_dot(sum) == nullptr) {
    const Code printed = place(target);
    const auto known = integer_value(step);
    if (known == 1 && op == BinaryOp::Add) return printed.at_least(Precedence::Postfix) + "++";
    if (known == 1 && op == BinaryOp::Subtract) return printed.at_least(Precedence::Postfix) + "--";
    return printed.text + " " + std::string(symbol_of(op)) + "= " + argument(step);
  }
  if (has_side_effects(target)) {
    throw Unsupported(
        "A compound assignment calls a function inside its target; store the call's result in a let first.");
  }
  return assign(target, sum);
}

// Two references that lead to one place and can be printed once for both.
bool Printer::is_same_place(const Expression& a, const Expression& b) {
  if (!a.is_reference || !b.is_reference || is_memory_half(a.type) || scalar_of(a.type) == Scalar::Bool) return false;
  if (root_variable(a) != root_variable(b) || root_resource(a) != root_resource(b) || has_side_effects(a)) return false;
  return place(a).text == place(b).text;
}

void Printer::if_statement(const If& node, std::string_view prefix) {
  out_.line(std::string(prefix) + "if (" + value(*node.condition).text + ") {");
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
  continue_targets_.emplace_back();
  if (!node.init && !node.update) {
    out_.line("while (" + (condition.empty() ? "true" : condition) + ") {");
  } else {
    const std::string init = node.init ? simple_statement(*node.init) : "";
    const std::string update = node.update ? simple_statement(*node.update, is_counter(node)) : "";
    out_.line("for (" + init + "; " + condition + "; " + update + ") {");
  }
  block(node.body);
  out_.line("}");
  continue_targets_.pop_back();
}

void Printer::loop_statement(const Loop& node) {
  const bool continues = continues_itself(node.body);
  ContinueTarget target;
  if (continues && (!node.continuing.empty() || node.break_if)) {
    target.loop = &node;
    if (node.break_if) target.done = fresh_name("done");
  }
  if (!target.done.empty()) out_.line("bool " + target.done + " = false;");
  continue_targets_.push_back(target);
  out_.line(target.done.empty() ? "while (true) {" : "while (!" + target.done + ") {");
  block(node.body);
  out_.indent();
  if (falls_through(node.body)) {
    for (const StatementPtr& each : node.continuing) statement(*each);
    if (node.break_if && target.done.empty()) {
      out_.line("if (" + value(*node.break_if).text + ") break;");
    } else if (node.break_if) {
      out_.line(target.done + " = " + value(*node.break_if).text + ";");
    }
  }
  out_.outdent();
  out_.line("}");
  continue_targets_.pop_back();
}

void Printer::switch_statement(const Switch& node) {
  out_.line("switch (" + value(*node.selector).text + ") {");
  out_.indent();
  for (const Switch::Case& each : node.cases) {
    std::string labels;
    for (const ConstantScalar& selector : each.selectors) {
      labels += (labels.empty() ? "case " : " case ") + scalar_literal(selector).text + ":";
    }
    if (each.is_default) labels += labels.empty() ? "default:" : " default:";
    out_.line(labels + " {");
    block(each.body);
    out_.indent();
    if (falls_through(each.body)) out_.line("break;");
    out_.outdent();
    out_.line("}");
  }
  out_.outdent();
  out_.line("}");
}

}  // namespace driftwood::shader::c_family
