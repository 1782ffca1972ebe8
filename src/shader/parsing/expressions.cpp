#include "shader/parsing/expressions.h"

#include <algorithm>
#include <optional>

#include "shader/numbers.h"

namespace driftwood::shader::parsing {

namespace {

using syntax::Expression;
using syntax::ExpressionPtr;

// Later stages walk expressions recursively; this bounds their stack for long chains such as a + a + a...
constexpr std::uint32_t max_depth = 400;

template <class Node>
ExpressionPtr make(TokenStream& tokens, SourceRange range, Node node, std::initializer_list<const Expression*> parts) {
  auto expression = std::make_unique<Expression>();
  expression->range = range;
  for (const Expression* part : parts) expression->depth = std::max(expression->depth, part->depth + 1);
  if (expression->depth > max_depth) {
    tokens.fail(range, "The expression is more than " + std::to_string(max_depth) + " operations deep.");
  }
  expression->node = std::move(node);
  return expression;
}

SourceRange span(SourceRange from, SourceRange to) { return {from.file, from.begin, to.end}; }

/// Sets the depth of `expression` from its arguments.
void deepen(TokenStream& tokens, Expression& expression, const std::vector<ExpressionPtr>& arguments) {
  for (const ExpressionPtr& argument : arguments) expression.depth = std::max(expression.depth, argument->depth + 1);
  if (expression.depth > max_depth) {
    tokens.fail(expression.range, "The expression is more than " + std::to_string(max_depth) + " operations deep.");
  }
}

ExpressionPtr parse_number_token(TokenStream& tokens) {
  const Token token = tokens.take();
  syntax::Number number{ConstantScalar(), std::string(token.text)};
  std::string error;
  if (!parse_number(token.text, number.value, error)) tokens.fail(token.range, error);
  return make(tokens, token.range, std::move(number), {});
}

ExpressionPtr parse_primary(TokenStream& tokens) {
  if (tokens.at(TokenKind::Number)) return parse_number_token(tokens);
  if (tokens.at_keyword("true") || tokens.at_keyword("false")) {
    const Token token = tokens.take();
    return make(tokens, token.range, syntax::Boolean{token.text == "true"}, {});
  }
  if (tokens.at(TokenKind::LeftParen)) {
    tokens.take();
    const TokenStream::Nesting nesting(tokens);
    ExpressionPtr inner = parse_expression(tokens);
    tokens.expect(TokenKind::RightParen, "to close the parenthesis");
    return inner;
  }
  if (!tokens.at(TokenKind::Identifier)) tokens.fail_expected("an expression", "");
  ExpressionPtr name = parse_type_name(tokens, "an expression");
  if (!tokens.at(TokenKind::LeftParen)) return name;
  tokens.take();
  const TokenStream::Nesting nesting(tokens);
  std::vector<ExpressionPtr> arguments = parse_arguments(tokens, TokenKind::RightParen);
  const SourceRange range = tokens.range_from(name->range);
  const Expression* callee = name.get();
  ExpressionPtr call = make(tokens, range, syntax::Call{std::move(name), {}}, {callee});
  deepen(tokens, *call, arguments);
  std::get<syntax::Call>(call->node).arguments = std::move(arguments);
  return call;
}

ExpressionPtr parse_postfix(TokenStream& tokens) {
  ExpressionPtr base = parse_primary(tokens);
  while (true) {
    const SourceRange begin = base->range;
    if (tokens.accept(TokenKind::LeftBracket)) {
      const TokenStream::Nesting nesting(tokens);
      ExpressionPtr index = parse_expression(tokens);
      tokens.expect(TokenKind::RightBracket, "after the index");
      const Expression* parts[] = {base.get(), index.get()};
      base = make(tokens, tokens.range_from(begin), syntax::Index{std::move(base), std::move(index)},
                  {parts[0], parts[1]});
    } else if (tokens.accept(TokenKind::Dot)) {
      const Token name = tokens.expect_name("the name of a member");
      const Expression* part = base.get();
      base = make(tokens, span(begin, name.range), syntax::Member{std::move(base), std::string(name.text), name.range},
                  {part});
    } else {
      return base;
    }
  }
}

ExpressionPtr parse_unary(TokenStream& tokens) {
  std::optional<syntax::UnaryOp> op;
  switch (tokens.peek().kind) {
    case TokenKind::Minus: op = syntax::UnaryOp::Negate; break;
    case TokenKind::Bang: op = syntax::UnaryOp::Not; break;
    case TokenKind::Tilde: op = syntax::UnaryOp::Complement; break;
    case TokenKind::Ampersand: op = syntax::UnaryOp::AddressOf; break;
    case TokenKind::Star: op = syntax::UnaryOp::Dereference; break;
    case TokenKind::MinusMinus:
      tokens.fail(tokens.peek().range, "'--' stands after the variable it decrements, as a statement of its own.");
    default: return parse_postfix(tokens);
  }
  const Token token = tokens.take();
  const TokenStream::Nesting nesting(tokens);
  ExpressionPtr operand = parse_unary(tokens);
  const Expression* part = operand.get();
  const SourceRange range = span(token.range, operand->range);
  return make(tokens, range, syntax::Unary{*op, std::move(operand)}, {part});
}

/// Operators of one class may be chained; classes may be mixed only as `may_hold` says.
enum class Class : std::uint8_t { Multiplicative, Additive, Shift, Relational, And, Or, Xor, LogicalAnd, LogicalOr };

struct Operator {
  TokenKind token;
  BinaryOp op;
  Class kind;
};

constexpr Operator operators[] = {
    {TokenKind::Star, BinaryOp::Multiply, Class::Multiplicative},
    {TokenKind::Slash, BinaryOp::Divide, Class::Multiplicative},
    {TokenKind::Percent, BinaryOp::Remainder, Class::Multiplicative},
    {TokenKind::Plus, BinaryOp::Add, Class::Additive},
    {TokenKind::Minus, BinaryOp::Subtract, Class::Additive},
    {TokenKind::ShiftLeft, BinaryOp::ShiftLeft, Class::Shift},
    {TokenKind::ShiftRight, BinaryOp::ShiftRight, Class::Shift},
    {TokenKind::Less, BinaryOp::Less, Class::Relational},
    {TokenKind::LessEqual, BinaryOp::LessEqual, Class::Relational},
    {TokenKind::Greater, BinaryOp::Greater, Class::Relational},
    {TokenKind::GreaterEqual, BinaryOp::GreaterEqual, Class::Relational},
    {TokenKind::EqualEqual, BinaryOp::Equal, Class::Relational},
    {TokenKind::NotEqual, BinaryOp::NotEqual, Class::Relational},
    {TokenKind::Ampersand, BinaryOp::And, Class::And},
    {TokenKind::Pipe, BinaryOp::Or, Class::Or},
    {TokenKind::Caret, BinaryOp::Xor, Class::Xor},
    {TokenKind::AndAnd, BinaryOp::LogicalAnd, Class::LogicalAnd},
    {TokenKind::OrOr, BinaryOp::LogicalOr, Class::LogicalOr},
};

const Operator* operator_of(TokenKind token) {
  for (const Operator& op : operators) {
    if (op.token == token) return &op;
  }
  return nullptr;
}

/// An operand together with the class of its top operator, if that is not in parentheses.
struct Operand {
  ExpressionPtr expression;
  std::optional<Class> kind;
};

/// Whether an operator of class `outer` may have an unparenthesised operand of class `inner` on that side.
bool may_hold(Class outer, Class inner, bool on_left) {
  switch (outer) {
    case Class::Multiplicative: return on_left && inner == Class::Multiplicative;
    case Class::Additive: return inner == Class::Multiplicative || (on_left && inner == Class::Additive);
    case Class::Shift: return false;
    case Class::Relational: return inner == Class::Multiplicative || inner == Class::Additive || inner == Class::Shift;
    case Class::And:
    case Class::Or:
    case Class::Xor: return on_left && inner == outer;
    case Class::LogicalAnd:
    case Class::LogicalOr:
      return inner == Class::Multiplicative || inner == Class::Additive || inner == Class::Shift ||
             inner == Class::Relational || (on_left && inner == outer);
  }
  return false;
}

int precedence(Class kind) {
  switch (kind) {
    case Class::Multiplicative: return 7;
    case Class::Additive: return 6;
    case Class::Shift: return 5;
    case Class::Relational: return 4;
    case Class::And:
    case Class::Xor:
    case Class::Or: return 3;
    case Class::LogicalAnd: return 2;
    case Class::LogicalOr: return 1;
  }
  return 0;
}

Operand parse_binary(TokenStream& tokens, int minimum) {
  Operand left{parse_unary(tokens), std::nullopt};
  while (const Operator* op = operator_of(tokens.peek().kind)) {
    const int level = precedence(op->kind);
    if (level < minimum) break;
    const Token token = tokens.take();
    Operand right = parse_binary(tokens, level + 1);
    const bool allowed =
        (!left.kind || may_hold(op->kind, *left.kind, true)) && (!right.kind || may_hold(op->kind, *right.kind, false));
    if (!allowed) {
      tokens.fail(token.range, "The order of '" + std::string(token.text) +
                                   "' and the operator beside it is not defined; write parentheses.");
    }
    const SourceRange range = span(left.expression->range, right.expression->range);
    const Expression* parts[] = {left.expression.get(), right.expression.get()};
    left.expression =
        make(tokens, range, syntax::Binary{op->op, std::move(left.expression), std::move(right.expression)},
             {parts[0], parts[1]});
    left.kind = op->kind;
  }
  return left;
}

}  // namespace

ExpressionPtr parse_expression(TokenStream& tokens) { return parse_binary(tokens, 1).expression; }

ExpressionPtr parse_left_side(TokenStream& tokens) { return parse_unary(tokens); }

ExpressionPtr parse_type_name(TokenStream& tokens, std::string_view what) {
  if (tokens.at(TokenKind::Identifier) && tokens.peek(1).kind == TokenKind::ColonColon) {
    tokens.fail(tokens.peek().range, "Names of other files are brought in by 'import' at the top of the file.");
  }
  const Token name = tokens.expect_name(what);
  ExpressionPtr expression = make(tokens, name.range, syntax::Name{std::string(name.text), {}}, {});
  if (!tokens.accept(TokenKind::TemplateStart)) return expression;
  const TokenStream::Nesting nesting(tokens);
  std::vector<ExpressionPtr> arguments = parse_arguments(tokens, TokenKind::TemplateEnd);
  if (arguments.empty()) tokens.fail(tokens.range_from(name.range), "The list between '<' and '>' is empty.");
  expression->range = tokens.range_from(name.range);
  deepen(tokens, *expression, arguments);
  std::get<syntax::Name>(expression->node).arguments = std::move(arguments);
  return expression;
}

std::vector<ExpressionPtr> parse_arguments(TokenStream& tokens, TokenKind close) {
  std::vector<ExpressionPtr> arguments;
  while (!tokens.at(close)) {
    arguments.push_back(parse_expression(tokens));
    if (!tokens.accept(TokenKind::Comma)) break;
  }
  if (!tokens.at(close)) tokens.fail_expected("',' or " + std::string(describe(close)), "");
  tokens.take();
  return arguments;
}

syntax::Attributes parse_attributes(TokenStream& tokens) {
  syntax::Attributes attributes;
  while (tokens.at(TokenKind::At)) {
    const Token at = tokens.take();
    // `@const` and `@diagnostic` are spelled with keywords.
    if (!tokens.at(TokenKind::Identifier) && !tokens.at(TokenKind::Keyword))
      tokens.fail_expected("a name", "after '@'");
    syntax::Attribute attribute;
    attribute.name = std::string(tokens.take().text);
    if (tokens.accept(TokenKind::LeftParen)) {
      const TokenStream::Nesting nesting(tokens);
      attribute.arguments = parse_arguments(tokens, TokenKind::RightParen);
    }
    attribute.range = tokens.range_from(at.range);
    attributes.push_back(std::move(attribute));
  }
  return attributes;
}

}  // namespace driftwood::shader::parsing
