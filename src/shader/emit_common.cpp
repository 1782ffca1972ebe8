#include "shader/emit_common.h"

#include <charconv>

namespace driftwood::shader {

std::string Code::at_least(Precedence outer) const { return precedence < outer ? "(" + text + ")" : text; }

Precedence precedence_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::Add:
    case BinaryOp::Subtract: return Precedence::Additive;
    case BinaryOp::Multiply:
    case BinaryOp::Divide:
    case BinaryOp::Remainder: return Precedence::Multiplicative;
    case BinaryOp::And: return Precedence::And;
    case BinaryOp::Or: return Precedence::Or;
    case BinaryOp::Xor: return Precedence::Xor;
    case BinaryOp::ShiftLeft:
    case BinaryOp::ShiftRight: return Precedence::Shift;
    case BinaryOp::LogicalAnd: return Precedence::LogicalAnd;
    case BinaryOp::LogicalOr: return Precedence::LogicalOr;
    case BinaryOp::Equal:
    case BinaryOp::NotEqual: return Precedence::Equality;
    case BinaryOp::Less:
    case BinaryOp::LessEqual:
    case BinaryOp::Greater:
    case BinaryOp::GreaterEqual: return Precedence::Relational;
  }
  return Precedence::Comma;
}

std::string_view symbol_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::Add: return "+";
    case BinaryOp::Subtract: return "-";
    case BinaryOp::Multiply: return "*";
    case BinaryOp::Divide: return "/";
    case BinaryOp::Remainder: return "%";
    case BinaryOp::And: return "&";
    case BinaryOp::Or: return "|";
    case BinaryOp::Xor: return "^";
    case BinaryOp::ShiftLeft: return "<<";
    case BinaryOp::ShiftRight: return ">>";
    case BinaryOp::LogicalAnd: return "&&";
    case BinaryOp::LogicalOr: return "||";
    case BinaryOp::Equal: return "==";
    case BinaryOp::NotEqual: return "!=";
    case BinaryOp::Less: return "<";
    case BinaryOp::LessEqual: return "<=";
    case BinaryOp::Greater: return ">";
    case BinaryOp::GreaterEqual: return ">=";
  }
  return "?";
}

namespace {

constexpr Precedence next(Precedence precedence) {
  return static_cast<Precedence>(static_cast<std::uint8_t>(precedence) + 1);
}

// The least precedence an operand of `op` may have without parentheses: that of the operator, or more where leaving
// them out is legal but misleads.
Precedence readable_operand(BinaryOp op, Precedence operand) {
  const Precedence own = precedence_of(op);
  const bool is_bitwise = own == Precedence::And || own == Precedence::Or || own == Precedence::Xor;
  if (is_bitwise && operand != own) return Precedence::Unary;
  if (own == Precedence::Shift && operand != own) return Precedence::Unary;
  if (own == Precedence::LogicalOr && operand == Precedence::LogicalAnd) return Precedence::Unary;
  if (own == Precedence::Equality && operand == Precedence::Relational) return Precedence::Unary;
  return own;
}

template <class Float>
std::string shortest(Float value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  const std::size_t exponent = text.find('e');
  if (exponent != std::string::npos) {
    // "1e+05" is 1e5.
    std::size_t digits = exponent + 1;
    if (text[digits] == '+') text.erase(digits, 1);
    if (text[digits] == '-') ++digits;
    if (text[digits] == '0') text.erase(digits, 1);
  } else if (text.find('.') == std::string::npos) {
    text += ".0";
  }
  return text;
}

}  // namespace

Code binary_code(BinaryOp op, const Code& left, const Code& right) {
  const Precedence own = precedence_of(op);
  const Precedence least_left = readable_operand(op, left.precedence);
  const Precedence least_right = readable_operand(op, right.precedence);
  const bool left_chain = left.precedence == own && own != Precedence::Relational && own != Precedence::Equality;
  std::string text = left_chain ? left.text : left.at_least(std::max(least_left, next(own)));
  text += " ";
  text += symbol_of(op);
  text += " ";
  text += right.at_least(std::max(least_right, next(own)));
  return {std::move(text), own};
}

void SourceWriter::line(std::string_view text) {
  text_.append(static_cast<std::size_t>(depth_) * 2, ' ');
  text_ += text;
  text_ += '\n';
}

void SourceWriter::blank() {
  if (!text_.empty() && !text_.ends_with("\n\n")) text_ += '\n';
}

std::string shortest_float(float value) { return shortest(value); }
std::string shortest_double(double value) { return shortest(value); }

}  // namespace driftwood::shader
