#include "text/jinja/expression_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/error.h"

namespace driftwood::jinja {

namespace {

// Real templates stay under 40. The bound keeps parsing, evaluating and destroying within any stack.
constexpr int highest_expression = 200;

int height_of(const ExpressionPtr& expression) { return expression == nullptr ? 0 : expression->height; }

int height_of(const CallArguments& arguments) {
  int height = 0;
  for (const auto& argument : arguments.positional) height = std::max(height, height_of(argument));
  for (const auto& argument : arguments.named) height = std::max(height, height_of(argument.second));
  return height;
}

struct ChildHeight {
  int operator()(const Literal&) const { return 0; }
  int operator()(const NameUse&) const { return 0; }
  int operator()(const ListDisplay& node) const {
    int height = 0;
    for (const auto& item : node.items) height = std::max(height, height_of(item));
    return height;
  }
  int operator()(const DictDisplay& node) const {
    int height = 0;
    for (const auto& [key, value] : node.members) height = std::max({height, height_of(key), height_of(value)});
    return height;
  }
  int operator()(const Unary& node) const { return height_of(node.operand); }
  int operator()(const Binary& node) const { return std::max(height_of(node.left), height_of(node.right)); }
  int operator()(const Comparison& node) const {
    int height = height_of(node.first);
    for (const auto& [op, operand] : node.rest) height = std::max(height, height_of(operand));
    return height;
  }
  int operator()(const Conditional& node) const {
    return std::max({height_of(node.condition), height_of(node.yes), height_of(node.no)});
  }
  int operator()(const Attribute& node) const { return height_of(node.object); }
  int operator()(const Subscript& node) const { return std::max(height_of(node.object), height_of(node.index)); }
  int operator()(const Slice& node) const {
    return std::max({height_of(node.object), height_of(node.start), height_of(node.stop), height_of(node.step)});
  }
  int operator()(const Call& node) const { return std::max(height_of(node.callee), height_of(node.arguments)); }
  int operator()(const FilterUse& node) const { return std::max(height_of(node.input), height_of(node.arguments)); }
  int operator()(const TestUse& node) const { return std::max(height_of(node.input), height_of(node.arguments)); }
};

bool is_one_of(const Token& token, std::initializer_list<std::string_view> texts) {
  return token.kind == TokenKind::Operator && std::find(texts.begin(), texts.end(), token.text) != texts.end();
}

}  // namespace

bool TokenCursor::take_operator(std::string_view text) {
  if (!at_operator(text)) return false;
  take();
  return true;
}

bool TokenCursor::take_name(std::string_view text) {
  if (!at_name(text)) return false;
  take();
  return true;
}

void TokenCursor::expect_operator(std::string_view text) {
  if (!take_operator(text)) fail(fmt::format("'{}' is expected", text));
}

std::string TokenCursor::expect_name() {
  if (!at(TokenKind::Name)) fail("a name is expected");
  return take().text;
}

void TokenCursor::expect(TokenKind kind, std::string_view what) {
  if (!at(kind)) fail(fmt::format("{} is expected", what));
  take();
}

void TokenCursor::fail(std::string_view what) const {
  const Token& token = peek();
  const std::string found = token.text.empty() || token.kind == TokenKind::Text
                                ? "another part of the template"
                                : fmt::format("'{}'", token.text.substr(0, 40));
  throw InvalidInput(fmt::format("{}: {}, but {} is there.", describe(token.place), what, found));
}

class ExpressionParser::Nesting {
 public:
  explicit Nesting(ExpressionParser& parser) : parser_(parser) {
    if (++parser_.nesting_ > highest_expression) {
      --parser_.nesting_;
      throw InvalidInput(fmt::format("{}: an expression nests deeper than {} levels.",
                                     describe(parser_.cursor_.peek().place), highest_expression));
    }
  }
  ~Nesting() { --parser_.nesting_; }

 private:
  ExpressionParser& parser_;
};

template <class Node>
ExpressionPtr ExpressionParser::make(Node node, Place place) const {
  auto expression = std::make_unique<Expression>();
  expression->height = ChildHeight()(node) + 1;
  expression->place = place;
  expression->node = std::move(node);
  if (expression->height > highest_expression) {
    throw InvalidInput(
        fmt::format("{}: an expression nests deeper than {} levels.", describe(place), highest_expression));
  }
  return expression;
}

ExpressionPtr ExpressionParser::parse() {
  const Nesting nesting(*this);
  const Place place = cursor_.peek().place;
  ExpressionPtr expression = parse_or();
  while (cursor_.take_name("if")) {
    ExpressionPtr condition = parse_or();
    ExpressionPtr no = cursor_.take_name("else") ? parse() : nullptr;
    expression = make(Conditional{std::move(condition), std::move(expression), std::move(no)}, place);
  }
  return expression;
}

ExpressionPtr ExpressionParser::parse_tuple() {
  const Place place = cursor_.peek().place;
  ExpressionPtr first = parse();
  if (!cursor_.at_operator(",")) return first;
  ListDisplay tuple{{}, true};
  tuple.items.push_back(std::move(first));
  while (cursor_.take_operator(",")) {
    if (cursor_.at(TokenKind::BlockEnd) || cursor_.at(TokenKind::PrintEnd) || cursor_.at_operator(")")) break;
    tuple.items.push_back(parse());
  }
  return make(std::move(tuple), place);
}

ExpressionPtr ExpressionParser::parse_or() {
  ExpressionPtr left = parse_and();
  while (cursor_.at_name("or")) {
    const Place place = cursor_.take().place;
    left = make(Binary{"or", std::move(left), parse_and()}, place);
  }
  return left;
}

ExpressionPtr ExpressionParser::parse_and() {
  ExpressionPtr left = parse_not();
  while (cursor_.at_name("and")) {
    const Place place = cursor_.take().place;
    left = make(Binary{"and", std::move(left), parse_not()}, place);
  }
  return left;
}

ExpressionPtr ExpressionParser::parse_not() {
  const Nesting nesting(*this);
  if (!cursor_.at_name("not")) return parse_comparison();
  const Place place = cursor_.take().place;
  return make(Unary{"not", parse_not()}, place);
}

ExpressionPtr ExpressionParser::parse_comparison() {
  Comparison comparison{parse_sum(), {}};
  const Place place = cursor_.peek().place;
  while (true) {
    std::string op;
    if (is_one_of(cursor_.peek(), {"==", "!=", "<", "<=", ">", ">="})) {
      op = cursor_.take().text;
    } else if (cursor_.take_name("in")) {
      op = "in";
    } else if (cursor_.at_name("not") && cursor_.at_name("in", 1)) {
      cursor_.take();
      cursor_.take();
      op = "not in";
    } else {
      break;
    }
    comparison.rest.emplace_back(op, parse_sum());
  }
  return comparison.rest.empty() ? std::move(comparison.first) : make(std::move(comparison), place);
}

ExpressionPtr ExpressionParser::parse_sum() {
  ExpressionPtr left = parse_concatenation();
  while (is_one_of(cursor_.peek(), {"+", "-"})) {
    const Token op = cursor_.take();
    left = make(Binary{op.text, std::move(left), parse_concatenation()}, op.place);
  }
  return left;
}

ExpressionPtr ExpressionParser::parse_concatenation() {
  ExpressionPtr left = parse_product();
  while (cursor_.at_operator("~")) {
    const Place place = cursor_.take().place;
    left = make(Binary{"~", std::move(left), parse_product()}, place);
  }
  return left;
}

ExpressionPtr ExpressionParser::parse_product() {
  ExpressionPtr left = parse_power();
  while (is_one_of(cursor_.peek(), {"*", "/", "//", "%"})) {
    const Token op = cursor_.take();
    left = make(Binary{op.text, std::move(left), parse_power()}, op.place);
  }
  return left;
}

ExpressionPtr ExpressionParser::parse_power() {
  ExpressionPtr left = parse_unary(true);
  while (cursor_.at_operator("**")) {
    const Place place = cursor_.take().place;
    left = make(Binary{"**", std::move(left), parse_unary(true)}, place);
  }
  return left;
}

ExpressionPtr ExpressionParser::parse_unary(bool with_filters) {
  const Nesting nesting(*this);
  ExpressionPtr expression;
  if (is_one_of(cursor_.peek(), {"-", "+"})) {
    const Token op = cursor_.take();
    expression = make(Unary{op.text, parse_unary(false)}, op.place);
  } else {
    expression = parse_primary();
  }
  expression = parse_postfix(std::move(expression));
  return with_filters ? parse_filters(std::move(expression)) : std::move(expression);
}

ExpressionPtr ExpressionParser::parse_primary() {
  const Token token = cursor_.peek();
  switch (token.kind) {
    case TokenKind::Name: {
      cursor_.take();
      if (token.text == "true" || token.text == "True") return make(Literal{Value(true)}, token.place);
      if (token.text == "false" || token.text == "False") return make(Literal{Value(false)}, token.place);
      if (token.text == "none" || token.text == "None") return make(Literal{Value(None{})}, token.place);
      return make(NameUse{token.text}, token.place);
    }
    case TokenKind::String: {
      std::string text;
      while (cursor_.at(TokenKind::String)) text += cursor_.take().text;
      return make(Literal{Value(std::move(text))}, token.place);
    }
    case TokenKind::Integer: {
      std::int64_t number = 0;
      const auto result = std::from_chars(token.text.data(), token.text.data() + token.text.size(), number);
      if (result.ec != std::errc()) cursor_.fail("an integer of at most 64 bits is expected");
      cursor_.take();
      return make(Literal{Value(number)}, token.place);
    }
    case TokenKind::Float:
      cursor_.take();
      return make(Literal{Value(std::strtod(token.text.c_str(), nullptr))}, token.place);
    default: break;
  }
  if (cursor_.at_operator("[")) return parse_list();
  if (cursor_.at_operator("{")) return parse_dict();
  if (!cursor_.take_operator("(")) cursor_.fail("an expression is expected");
  if (cursor_.take_operator(")")) return make(ListDisplay{{}, true}, token.place);
  ExpressionPtr inner = parse_tuple();
  cursor_.expect_operator(")");
  return inner;
}

ExpressionPtr ExpressionParser::parse_list() {
  const Place place = cursor_.take().place;
  ListDisplay list;
  while (!cursor_.at_operator("]")) {
    list.items.push_back(parse());
    if (!cursor_.take_operator(",")) break;
  }
  cursor_.expect_operator("]");
  return make(std::move(list), place);
}

ExpressionPtr ExpressionParser::parse_dict() {
  const Place place = cursor_.take().place;
  DictDisplay dict;
  while (!cursor_.at_operator("}")) {
    ExpressionPtr key = parse();
    cursor_.expect_operator(":");
    dict.members.emplace_back(std::move(key), parse());
    if (!cursor_.take_operator(",")) break;
  }
  cursor_.expect_operator("}");
  return make(std::move(dict), place);
}

ExpressionPtr ExpressionParser::parse_postfix(ExpressionPtr expression) {
  while (true) {
    const Place place = cursor_.peek().place;
    if (cursor_.take_operator(".")) {
      if (cursor_.at(TokenKind::Integer)) {
        ExpressionPtr index = parse_primary();
        expression = make(Subscript{std::move(expression), std::move(index)}, place);
      } else {
        expression = make(Attribute{std::move(expression), cursor_.expect_name()}, place);
      }
    } else if (cursor_.at_operator("[")) {
      expression = parse_subscript(std::move(expression));
    } else if (cursor_.at_operator("(")) {
      expression = make(Call{std::move(expression), parse_arguments()}, place);
    } else {
      return expression;
    }
  }
}

ExpressionPtr ExpressionParser::parse_subscript(ExpressionPtr object) {
  const Place place = cursor_.take().place;
  ExpressionPtr parts[3];
  int colons = 0;
  while (!cursor_.at_operator("]")) {
    if (cursor_.take_operator(":")) {
      if (++colons > 2) cursor_.fail("']' is expected");
    } else {
      if (parts[colons] != nullptr) cursor_.fail("']' is expected");
      parts[colons] = parse();
    }
  }
  cursor_.expect_operator("]");
  if (colons > 0) {
    return make(Slice{std::move(object), std::move(parts[0]), std::move(parts[1]), std::move(parts[2])}, place);
  }
  if (parts[0] == nullptr) cursor_.fail("an index is expected");
  return make(Subscript{std::move(object), std::move(parts[0])}, place);
}

ExpressionPtr ExpressionParser::parse_filters(ExpressionPtr expression) {
  while (true) {
    const Place place = cursor_.peek().place;
    if (cursor_.take_operator("|")) {
      std::string name = cursor_.expect_name();
      CallArguments arguments;
      if (cursor_.at_operator("(")) arguments = parse_arguments();
      expression = make(FilterUse{std::move(expression), std::move(name), std::move(arguments)}, place);
      expression = parse_postfix(std::move(expression));
    } else if (cursor_.take_name("is")) {
      expression = parse_test(std::move(expression));
    } else {
      return expression;
    }
  }
}

ExpressionPtr ExpressionParser::parse_test(ExpressionPtr input) {
  const Place place = cursor_.peek().place;
  const bool is_negated = cursor_.take_name("not");
  std::string name = cursor_.expect_name();
  CallArguments arguments;
  const Token& next = cursor_.peek();
  const bool is_name = next.kind == TokenKind::Name && next.text != "else" && next.text != "or" && next.text != "and" &&
                       next.text != "is" && next.text != "if" && next.text != "not" && next.text != "in";
  if (cursor_.at_operator("(")) {
    arguments = parse_arguments();
  } else if (is_name || next.kind == TokenKind::String || next.kind == TokenKind::Integer ||
             next.kind == TokenKind::Float || is_one_of(next, {"[", "{"})) {
    arguments.positional.push_back(parse_postfix(parse_primary()));
  }
  return make(TestUse{std::move(input), std::move(name), std::move(arguments), is_negated}, place);
}

CallArguments ExpressionParser::parse_arguments() {
  CallArguments arguments;
  cursor_.expect_operator("(");
  while (!cursor_.at_operator(")")) {
    if (cursor_.at(TokenKind::Name) && cursor_.at_operator("=", 1)) {
      std::string name = cursor_.take().text;
      cursor_.take();
      arguments.named.emplace_back(std::move(name), parse());
    } else {
      arguments.positional.push_back(parse());
    }
    if (!cursor_.take_operator(",")) break;
  }
  cursor_.expect_operator(")");
  return arguments;
}

}  // namespace driftwood::jinja
