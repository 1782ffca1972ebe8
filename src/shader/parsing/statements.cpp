#include "shader/parsing/statements.h"

#include <optional>

#include "shader/parsing/expressions.h"

namespace driftwood::shader::parsing {

namespace {

using syntax::Statement;
using syntax::StatementPtr;

StatementPtr parse_statement(TokenStream& tokens);

std::optional<BinaryOp> compound_operator(TokenKind token) {
  switch (token) {
    case TokenKind::PlusEqual: return BinaryOp::Add;
    case TokenKind::MinusEqual: return BinaryOp::Subtract;
    case TokenKind::StarEqual: return BinaryOp::Multiply;
    case TokenKind::SlashEqual: return BinaryOp::Divide;
    case TokenKind::PercentEqual: return BinaryOp::Remainder;
    case TokenKind::AmpersandEqual: return BinaryOp::And;
    case TokenKind::PipeEqual: return BinaryOp::Or;
    case TokenKind::CaretEqual: return BinaryOp::Xor;
    case TokenKind::ShiftLeftEqual: return BinaryOp::ShiftLeft;
    case TokenKind::ShiftRightEqual: return BinaryOp::ShiftRight;
    default: return std::nullopt;
  }
}

/// An assignment, increment or call: what may stand in a `for` header, without the semicolon.
decltype(Statement::node) parse_simple(TokenStream& tokens) {
  if (tokens.accept(TokenKind::Underscore)) {
    tokens.expect(TokenKind::Equal, "after '_'");
    return syntax::Assignment{nullptr, std::nullopt, parse_expression(tokens)};
  }
  syntax::ExpressionPtr left = parse_left_side(tokens);
  const TokenKind next = tokens.peek().kind;
  if (next == TokenKind::Equal) {
    tokens.take();
    return syntax::Assignment{std::move(left), std::nullopt, parse_expression(tokens)};
  }
  if (const auto op = compound_operator(next)) {
    tokens.take();
    return syntax::Assignment{std::move(left), op, parse_expression(tokens)};
  }
  if (next == TokenKind::PlusPlus || next == TokenKind::MinusMinus) {
    tokens.take();
    return syntax::Increment{std::move(left), next == TokenKind::MinusMinus};
  }
  if (std::holds_alternative<syntax::Call>(left->node)) return syntax::CallStatement{std::move(left)};
  tokens.fail(left->range, "This expression is not a statement; expected an assignment or a call.");
}

syntax::If parse_if(TokenStream& tokens) {
  syntax::If result;
  result.condition = parse_expression(tokens);
  result.then_block = parse_block(tokens, "after the condition");
  if (!tokens.accept_keyword("else")) return result;
  result.has_else = true;
  if (tokens.at_keyword("if")) {
    const TokenStream::Nesting nesting(tokens);
    auto inner = std::make_unique<Statement>();
    const SourceRange begin = tokens.take().range;
    inner->node = parse_if(tokens);
    inner->range = tokens.range_from(begin);
    result.else_block.push_back(std::move(inner));
  } else {
    result.else_block = parse_block(tokens, "after 'else'");
  }
  return result;
}

StatementPtr parse_header_statement(TokenStream& tokens, bool may_declare) {
  auto statement = std::make_unique<Statement>();
  const SourceRange begin = tokens.peek().range;
  if (may_declare && (tokens.at_keyword("var") || tokens.at_keyword("let") || tokens.at_keyword("const"))) {
    statement->node = parse_variable(tokens);
  } else {
    statement->node = parse_simple(tokens);
  }
  statement->range = tokens.range_from(begin);
  return statement;
}

syntax::For parse_for(TokenStream& tokens) {
  syntax::For result;
  tokens.expect(TokenKind::LeftParen, "after 'for'");
  if (!tokens.at(TokenKind::Semicolon)) result.init = parse_header_statement(tokens, true);
  tokens.expect(TokenKind::Semicolon, "after the first part of 'for'");
  if (!tokens.at(TokenKind::Semicolon)) result.condition = parse_expression(tokens);
  tokens.expect(TokenKind::Semicolon, "after the condition of 'for'");
  if (!tokens.at(TokenKind::RightParen)) result.update = parse_header_statement(tokens, false);
  tokens.expect(TokenKind::RightParen, "at the end of the header of 'for'");
  result.body = parse_block(tokens, "after the header of 'for'");
  return result;
}

void parse_continuing(TokenStream& tokens, syntax::Loop& loop) {
  loop.has_continuing = true;
  tokens.expect(TokenKind::LeftBrace, "after 'continuing'");
  while (!tokens.at(TokenKind::RightBrace)) {
    if (tokens.at_keyword("break") && tokens.peek(1).kind == TokenKind::Keyword && tokens.peek(1).text == "if") {
      tokens.take();
      tokens.take();
      loop.break_if = parse_expression(tokens);
      tokens.expect(TokenKind::Semicolon, "after the condition of 'break if'");
      if (!tokens.at(TokenKind::RightBrace)) {
        tokens.fail(tokens.peek().range, "'break if' is the last statement of a 'continuing' block.");
      }
    } else if (StatementPtr statement = parse_statement(tokens)) {
      loop.continuing.push_back(std::move(statement));
    }
  }
  tokens.take();
}

syntax::Loop parse_loop(TokenStream& tokens) {
  syntax::Loop loop;
  tokens.expect(TokenKind::LeftBrace, "after 'loop'");
  const TokenStream::Nesting nesting(tokens);
  while (!tokens.at(TokenKind::RightBrace)) {
    if (tokens.accept_keyword("continuing")) {
      parse_continuing(tokens, loop);
      if (!tokens.at(TokenKind::RightBrace)) {
        tokens.fail(tokens.peek().range, "The 'continuing' block is the last statement of its loop.");
      }
    } else if (StatementPtr statement = parse_statement(tokens)) {
      loop.body.push_back(std::move(statement));
    }
  }
  tokens.take();
  return loop;
}

syntax::Switch parse_switch(TokenStream& tokens) {
  syntax::Switch result;
  result.selector = parse_expression(tokens);
  tokens.expect(TokenKind::LeftBrace, "after the selector of 'switch'");
  while (!tokens.at(TokenKind::RightBrace)) {
    syntax::Switch::Clause clause;
    clause.range = tokens.peek().range;
    if (tokens.accept_keyword("default")) {
      clause.selectors.push_back(nullptr);
    } else {
      tokens.expect_keyword("case", "or 'default' in a 'switch'");
      while (!tokens.at(TokenKind::Colon) && !tokens.at(TokenKind::LeftBrace)) {
        if (tokens.accept_keyword("default")) {
          clause.selectors.push_back(nullptr);
        } else {
          clause.selectors.push_back(parse_expression(tokens));
        }
        if (!tokens.accept(TokenKind::Comma)) break;
      }
      if (clause.selectors.empty()) tokens.fail_expected("a value", "after 'case'");
    }
    clause.range = tokens.range_from(clause.range);
    tokens.accept(TokenKind::Colon);
    clause.body = parse_block(tokens, "after the values of 'case'");
    result.clauses.push_back(std::move(clause));
  }
  tokens.take();
  return result;
}

/// A statement that ends in a semicolon.
decltype(Statement::node) parse_plain(TokenStream& tokens) {
  decltype(Statement::node) node;
  if (tokens.at_keyword("var") || tokens.at_keyword("let") || tokens.at_keyword("const")) {
    node = parse_variable(tokens);
  } else if (tokens.at_keyword("const_assert")) {
    node = parse_const_assert(tokens);
  } else if (tokens.accept_keyword("break")) {
    if (tokens.at_keyword("if"))
      tokens.fail(tokens.peek().range, "'break if' belongs at the end of a 'continuing' block.");
    node = syntax::Break{};
  } else if (tokens.accept_keyword("continue")) {
    node = syntax::Continue{};
  } else if (tokens.accept_keyword("return")) {
    node = syntax::Return{tokens.at(TokenKind::Semicolon) ? nullptr : parse_expression(tokens)};
  } else if (tokens.at_keyword("continuing")) {
    tokens.fail(tokens.peek().range, "'continuing' belongs at the end of a 'loop'.");
  } else if (tokens.at_keyword("discard")) {
    tokens.fail(tokens.peek().range, "'discard' is not part of the kernel language.");
  } else if (tokens.at_keyword("else")) {
    tokens.fail(tokens.peek().range, "This 'else' follows no 'if'.");
  } else if (tokens.at_keyword("fn") || tokens.at_keyword("struct") || tokens.at_keyword("override") ||
             tokens.at_keyword("alias")) {
    tokens.fail(tokens.peek().range,
                "'" + std::string(tokens.peek().text) + "' declares at module scope only, not inside a function.");
  } else {
    node = parse_simple(tokens);
  }
  tokens.expect(TokenKind::Semicolon, "at the end of the statement");
  return node;
}

/// Null for a lone semicolon.
StatementPtr parse_statement(TokenStream& tokens) {
  if (tokens.accept(TokenKind::Semicolon)) return nullptr;
  auto statement = std::make_unique<Statement>();
  statement->attributes = parse_attributes(tokens);
  const SourceRange begin = tokens.peek().range;
  if (tokens.accept_keyword("if")) {
    statement->node = parse_if(tokens);
  } else if (tokens.accept_keyword("for")) {
    statement->node = parse_for(tokens);
  } else if (tokens.accept_keyword("while")) {
    syntax::For loop;
    loop.is_while = true;
    loop.condition = parse_expression(tokens);
    loop.body = parse_block(tokens, "after the condition of 'while'");
    statement->node = std::move(loop);
  } else if (tokens.accept_keyword("loop")) {
    statement->node = parse_loop(tokens);
  } else if (tokens.accept_keyword("switch")) {
    statement->node = parse_switch(tokens);
  } else if (tokens.at(TokenKind::LeftBrace)) {
    statement->node = syntax::Compound{parse_block(tokens, "")};
  } else {
    statement->node = parse_plain(tokens);
  }
  statement->range = tokens.range_from(begin);
  return statement;
}

}  // namespace

syntax::Block parse_block(TokenStream& tokens, std::string_view where) {
  const Token open = tokens.expect(TokenKind::LeftBrace, where);
  const TokenStream::Nesting nesting(tokens);
  syntax::Block block;
  while (!tokens.at(TokenKind::RightBrace)) {
    if (tokens.at(TokenKind::End)) tokens.fail(open.range, "This '{' has no matching '}'.");
    if (StatementPtr statement = parse_statement(tokens)) block.push_back(std::move(statement));
  }
  tokens.take();
  return block;
}

syntax::Variable parse_variable(TokenStream& tokens) {
  syntax::Variable variable;
  const std::string_view word = tokens.take().text;
  using Kind = syntax::Variable::Kind;
  variable.kind = word == "var"     ? Kind::Var
                  : word == "let"   ? Kind::Let
                  : word == "const" ? Kind::Const
                                    : Kind::Override;
  if (variable.kind == Kind::Var && tokens.accept(TokenKind::TemplateStart)) {
    variable.qualifiers = parse_arguments(tokens, TokenKind::TemplateEnd);
  }
  const Token name = tokens.expect_name("the name of a variable");
  variable.name = std::string(name.text);
  variable.name_range = name.range;
  if (tokens.accept(TokenKind::Colon)) variable.type = parse_type_name(tokens, "a type");
  if (tokens.accept(TokenKind::Equal)) variable.initializer = parse_expression(tokens);
  const bool needs_value = variable.kind == Kind::Let || variable.kind == Kind::Const;
  if (needs_value && !variable.initializer) {
    tokens.fail_expected("'='", "and a value for '" + variable.name + "'");
  }
  return variable;
}

syntax::ConstAssert parse_const_assert(TokenStream& tokens) {
  tokens.take();
  return {parse_expression(tokens)};
}

}  // namespace driftwood::shader::parsing
