#include <utility>

#include "base/error.h"
#include "shader/ir_build.h"
#include "shader/ir_walk.h"
#include "shader/wgsl/printer.h"

namespace driftwood::shader::wgsl {

namespace {

std::string components(const Swizzle& node) {
  std::string letters;
  for (std::size_t i = 0; i < node.count; ++i) letters += "xyzw"[node.components[i] & 3];
  return letters;
}

// What a compiler would compute itself, and refuse where the result overflows or is no number.
bool is_computed_constant(const Expression& expression) {
  if (expression.is_reference) return false;
  bool computes = false, is_constant = true;
  visit_expressions(expression, [&](const Expression& each) {
    const auto& node = each.node;
    computes = computes || std::holds_alternative<Unary>(node) || std::holds_alternative<Binary>(node) ||
               std::holds_alternative<BuiltinCall>(node) || std::holds_alternative<Convert>(node) ||
               std::holds_alternative<Bitcast>(node);
    const auto* call = std::get_if<BuiltinCall>(&node);
    is_constant = is_constant && !each.is_reference && !std::holds_alternative<FunctionCall>(node) &&
                  !std::holds_alternative<ObjectLoad>(node) && !std::holds_alternative<AddressOf>(node) &&
                  !std::holds_alternative<VariableExpression>(node) && (call == nullptr || !call->arguments.empty());
  });
  return computes && is_constant;
}

// Whether a literal has a component that an operator refuses on its right.
template <class Predicate>
bool has_component(const Expression& expression, const Predicate& is_refused) {
  const Literal* literal = as_literal(expression);
  if (literal == nullptr) return false;
  for (const ConstantScalar& each : literal->components) {
    if (is_integer(each.scalar) && is_refused(each.i)) return true;
  }
  return false;
}

}  // namespace

std::string Printer::argument(const Expression& expression) {
  const Code code = value(expression);
  // In a list, "a < b, c > (d)" would read as a template.
  const bool compares = code.precedence == Precedence::Relational || code.precedence == Precedence::Equality ||
                        code.precedence == Precedence::LogicalAnd || code.precedence == Precedence::LogicalOr;
  return compares ? "(" + code.text + ")" : code.text;
}

std::string Printer::argument(const Expression& expression, bool hides) {
  if (!hides) return argument(expression);
  const bool outer = std::exchange(hides_, true);
  std::string text = argument(expression);
  hides_ = outer;
  return text;
}

std::string Printer::arguments(const std::vector<ExpressionPtr>& list) {
  if (list.size() == 1) return value(*list[0]).text;
  std::string text;
  for (const ExpressionPtr& each : list) text += (text.empty() ? "" : ", ") + argument(*each);
  return text;
}

Code Printer::call(const std::string& function, const std::vector<ExpressionPtr>& list) {
  return {function + "(" + arguments(list) + ")", Precedence::Postfix};
}

Code Printer::value(const Expression& expression) {
  if (expression.is_reference && is_memory_half(expression.type)) return half_load(expression);
  if (!hides_ && is_computed_constant(expression)) {
    hides_ = true;
    Code code = value_of_node(expression);
    hides_ = false;
    return code;
  }
  return value_of_node(expression);
}

Code Printer::value_of_node(const Expression& expression) {
  const auto visit = [&](const auto& node) -> Code {
    using Node = std::decay_t<decltype(node)>;
    if constexpr (std::is_same_v<Node, Literal>) {
      return literal(expression.type, node);
    } else if constexpr (std::is_same_v<Node, VariableExpression>) {
      return {name(node.variable->name)};
    } else if constexpr (std::is_same_v<Node, ResourceExpression>) {
      return {name(bound(*node.resource).name)};
    } else if constexpr (std::is_same_v<Node, Unary>) {
      return unary(node);
    } else if constexpr (std::is_same_v<Node, Binary>) {
      return binary(node);
    } else if constexpr (std::is_same_v<Node, BuiltinCall>) {
      return builtin(expression, node);
    } else if constexpr (std::is_same_v<Node, FunctionCall>) {
      return call(name(node.function->name), node.arguments);
    } else if constexpr (std::is_same_v<Node, Construct>) {
      const Code code = call(type_name(expression.type), node.arguments);
      if (!hides_ || !node.arguments.empty() || width_of(expression.type) == 0) return code;
      hides_ = false;
      return {hidden(expression.type, code.text), Precedence::Postfix};
    } else if constexpr (std::is_same_v<Node, Convert>) {
      return convert(expression, node);
    } else if constexpr (std::is_same_v<Node, Bitcast>) {
      return bitcast(expression, node);
    } else if constexpr (std::is_same_v<Node, Index>) {
      return index(node);
    } else if constexpr (std::is_same_v<Node, Member>) {
      return member(node);
    } else if constexpr (std::is_same_v<Node, Swizzle>) {
      return swizzle(node);
    } else if constexpr (std::is_same_v<Node, AddressOf>) {
      return address(node);
    } else if constexpr (std::is_same_v<Node, Dereference>) {
      return dereference(node);
    } else {
      static_assert(std::is_same_v<Node, ObjectLoad>);
      return object_load(expression, node);
    }
  };
  return std::visit(visit, expression.node);
}

// An index of a function's parameter.
std::string Printer::unsigned_index(const Expression& index) {
  if (const auto known = integer_value(index)) return std::to_string(*known) + "u";
  const Code code = value(index);
  return scalar_of(index.type) == Scalar::I32 ? "u32(" + code.text + ")" : code.text;
}

Code Printer::index(const Index& node) {
  if (retyped(*node.base) != nullptr) {
    const Variable& array = *std::get<VariableExpression>(node.base->node).variable;
    return {matrix_memory_load(array) + "(" + unsigned_index(*node.index) + ")", Precedence::Postfix};
  }
  const TypePtr& type = node.base->type;
  const auto known = integer_value(*node.index);
  const int width = width_of(type);
  if (width > 4) type_name(type);  // throws
  const bool is_table = !known && width == 0 && std::holds_alternative<Literal>(node.base->node);
  const Code base = is_table ? table(*node.base) : value(*node.base);
  const std::string text = base.at_least(Precedence::Postfix);
  if (known && width > 1 && *known >= 0 && *known < width) {
    return {text + "." + "xyzw"[*known], Precedence::Postfix};
  }
  const auto* array = type->as<ArrayType>();
  const std::int64_t count = array != nullptr ? std::int64_t{array->count.value_or(0x7fffffff)} : width;
  // What is never reached may well be out of range.
  if (known && (*known < 0 || *known >= count)) {
    return {text + "[" + argument(*node.index, true) + "]", Precedence::Postfix};
  }
  return {text + "[" + (known ? std::to_string(*known) : value(*node.index).text) + "]", Precedence::Postfix};
}

// Arrays of constants that are indexed by something unknown are declared once.
Code Printer::table(const Expression& array) {
  const std::string text = literal(array.type, *as_literal(array)).text;
  for (const auto& [known, name] : tables_) {
    if (known == text) return {name};
  }
  tables_.emplace_back(text, fresh_name("table_" + std::to_string(tables_.size())));
  return {tables_.back().second};
}

Code Printer::member(const Member& node) {
  const auto* structure = node.base->type->as<StructType>();
  return {value(*node.base).at_least(Precedence::Postfix) + "." + name(structure->fields[node.field].name),
          Precedence::Postfix};
}

Code Printer::swizzle(const Swizzle& node) {
  if (width_of(node.base->type) > 4) type_name(node.base->type);  // throws
  return {value(*node.base).at_least(Precedence::Postfix) + "." + components(node), Precedence::Postfix};
}

Code Printer::address(const AddressOf& node) {
  const Expression& reference = *node.reference;
  if (const auto* dereferenced = std::get_if<Dereference>(&reference.node)) return value(*dereferenced->pointer);
  if (is_memory_half(reference.type)) {
    throw Unsupported("The kernel takes the address of an f16 in a buffer; a device without f16 has words there.");
  }
  return {"&" + value(reference).at_least(Precedence::Postfix), Precedence::Unary};
}

Code Printer::dereference(const Dereference& node) {
  if (const auto* taken = std::get_if<AddressOf>(&node.pointer->node)) return value(*taken->reference);
  return {"*" + value(*node.pointer).at_least(Precedence::Unary), Precedence::Unary};
}

Code Printer::unary(const Unary& node) {
  const std::string symbol = node.op == UnaryOp::Negate ? "-" : node.op == UnaryOp::Not ? "!" : "~";
  const std::string operand = value(*node.operand).at_least(Precedence::Unary);
  // "--" is a token of its own.
  const bool doubles = symbol == "-" && operand[0] == '-';
  return {symbol + (doubles ? "(" + operand + ")" : operand), Precedence::Unary};
}

Code Printer::binary(const Binary& node) {
  Code left = value(*node.left);
  const bool divides = node.op == BinaryOp::Divide || node.op == BinaryOp::Remainder;
  const bool shifts = node.op == BinaryOp::ShiftLeft || node.op == BinaryOp::ShiftRight;
  // Unlike C, WGSL has no chains of shifts, and no & | ^ beside && and ||.
  const bool is_logical = node.op == BinaryOp::LogicalAnd || node.op == BinaryOp::LogicalOr;
  const auto with_parentheses = [&](Code& operand) {
    const bool is_bitwise = operand.precedence == Precedence::And || operand.precedence == Precedence::Or ||
                            operand.precedence == Precedence::Xor;
    if (is_logical && is_bitwise) operand = {operand.at_least(Precedence::Unary)};
  };
  if (shifts) left = {left.at_least(Precedence::Unary)};
  with_parentheses(left);
  const bool is_refused =
      (divides && has_component(*node.right, [](std::int64_t each) { return each == 0; })) ||
      (shifts && has_component(*node.right, [](std::int64_t each) { return each < 0 || each > 31; }));
  const bool outer = std::exchange(hides_, hides_ || is_refused);
  Code right = value(*node.right);
  hides_ = is_refused ? outer : hides_;
  with_parentheses(right);
  return binary_code(node.op, left, right);
}

Code Printer::bitcast(const Expression& expression, const Bitcast& node) {
  const TypePtr &from = node.operand->type, &to = expression.type;
  const bool from_half = scalar_of(from) == Scalar::F16, to_half = scalar_of(to) == Scalar::F16;
  const auto reinterpreted = [&](const TypePtr& type, const std::string& text) {
    return Code{"bitcast<" + type_name(type) + ">(" + text + ")", Precedence::Postfix};
  };
  if (!is_naga() || from_half == to_half) return reinterpreted(to, argument(*node.operand));
  // Through f32 and back the bits of every half but a NaN's payload stay what they are.
  const int words = width_of(to_half ? from : to);
  const TypePtr word = words > 1 ? vector_type(Scalar::U32, words) : scalar_type(Scalar::U32);
  const std::string singles = words > 1 ? "vec4<f32>" : "vec2<f32>";
  if (to_half) {
    std::string bits = argument(*node.operand);
    if (scalar_of(from) != Scalar::U32) bits = reinterpreted(word, bits).text;
    return {type_name(to) + "(" + (words > 1 ? unpack_four() : "unpack2x16float") + "(" + bits + "))",
            Precedence::Postfix};
  }
  const std::string packed =
      (words > 1 ? pack_four() : "pack2x16float") + "(" + singles + "(" + argument(*node.operand) + "))";
  return scalar_of(to) == Scalar::U32 ? Code{packed, Precedence::Postfix} : reinterpreted(to, packed);
}

Code Printer::convert(const Expression& expression, const Convert& node) {
  // Lowering gives every read of a half a conversion to f32, which is what it gives already.
  const bool is_half = node.operand->is_reference && is_memory_half(node.operand->type);
  if (is_half && scalar_of(expression.type) == Scalar::F32) return half_load(*node.operand);
  return {type_name(expression.type) + "(" + value(*node.operand).text + ")", Precedence::Postfix};
}

}  // namespace driftwood::shader::wgsl
