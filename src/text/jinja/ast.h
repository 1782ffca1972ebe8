// A parsed chat template.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "text/jinja/lexer.h"
#include "text/jinja/value.h"

namespace driftwood::jinja {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

struct CallArguments {
  std::vector<ExpressionPtr> positional;
  std::vector<std::pair<std::string, ExpressionPtr>> named;
};

struct Literal {
  Value value;
};
struct NameUse {
  std::string name;
};
struct ListDisplay {
  std::vector<ExpressionPtr> items;
  bool is_tuple = false;
};
struct DictDisplay {
  std::vector<std::pair<ExpressionPtr, ExpressionPtr>> members;
};
struct Unary {
  std::string op;
  ExpressionPtr operand;
};
struct Binary {
  std::string op;
  ExpressionPtr left, right;
};  // "and" and "or" too
struct Comparison {
  ExpressionPtr first;
  std::vector<std::pair<std::string, ExpressionPtr>> rest;
};  // "in", "not in" too
struct Conditional {
  ExpressionPtr condition, yes, no;
};  // no: null where there is no else
struct Attribute {
  ExpressionPtr object;
  std::string name;
};
struct Subscript {
  ExpressionPtr object, index;
};
struct Slice {
  ExpressionPtr object, start, stop, step;
};  // null where left out
struct Call {
  ExpressionPtr callee;
  CallArguments arguments;
};
struct FilterUse {
  ExpressionPtr input;
  std::string name;
  CallArguments arguments;
};
struct TestUse {
  ExpressionPtr input;
  std::string name;
  CallArguments arguments;
  bool is_negated;
};

struct Expression {
  std::variant<Literal, NameUse, ListDisplay, DictDisplay, Unary, Binary, Comparison, Conditional, Attribute, Subscript,
               Slice, Call, FilterUse, TestUse>
      node;
  Place place = {};
  int height = 1;  // of the tree, bounded by the parser: evaluation recurses
};

struct Statement;
using StatementPtr = std::unique_ptr<Statement>;
using Body = std::vector<StatementPtr>;

struct Text {
  std::string text;
};
struct Print {
  ExpressionPtr value;
};
struct For {
  std::vector<std::string> targets;
  ExpressionPtr iterable, condition;
  Body body, otherwise;
};
struct If {
  std::vector<std::pair<ExpressionPtr, Body>> branches;
  Body otherwise;
};
struct Set {
  std::vector<std::string> targets;
  std::string attribute;
  ExpressionPtr value;
};
struct SetBlock {
  std::string target;
  Body body;
};
struct Macro {
  std::string name;
  std::vector<std::pair<std::string, ExpressionPtr>> parameters;
  Body body;
};
struct Generation {
  Body body;
};  // Hugging Face's mark around the assistant's text: prints its body
struct Break {};
struct Continue {};

struct Statement {
  std::variant<Text, Print, For, If, Set, SetBlock, Macro, Generation, Break, Continue> node;
  Place place = {};
};

}  // namespace driftwood::jinja
