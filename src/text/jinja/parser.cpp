#include "text/jinja/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "base/error.h"
#include "text/jinja/expression_parser.h"

namespace driftwood::jinja {

namespace {

constexpr int deepest_block = 50;

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)), cursor_(tokens_), expressions_(cursor_) {}

  Body run() {
    Body body = parse_body({});
    if (!cursor_.at(TokenKind::End)) cursor_.fail("the end of the template is expected");
    return body;
  }

 private:
  template <class Node>
  static StatementPtr make(Node node, Place place) {
    auto statement = std::make_unique<Statement>();
    statement->node = std::move(node);
    statement->place = place;
    return statement;
  }

  /// Statements up to a block that begins with one of `ends`, whose name is next then.
  Body parse_body(std::initializer_list<std::string_view> ends) {
    if (++depth_ > deepest_block) cursor_.fail(fmt::format("blocks nest deeper than {} levels", deepest_block));
    Body body;
    while (!cursor_.at(TokenKind::End)) {
      const Place place = cursor_.peek().place;
      if (cursor_.at(TokenKind::Text)) {
        body.push_back(make(Text{cursor_.take().text}, place));
      } else if (cursor_.at(TokenKind::PrintBegin)) {
        cursor_.take();
        body.push_back(make(Print{expressions_.parse_tuple()}, place));
        cursor_.expect(TokenKind::PrintEnd, "'}}'");
      } else {
        cursor_.expect(TokenKind::BlockBegin, "a block");
        if (std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return cursor_.at_name(end); })) {
          --depth_;
          return body;
        }
        body.push_back(parse_statement(place));
      }
    }
    if (ends.size() > 0) cursor_.fail(fmt::format("'{{% {} %}}' is expected", *(ends.end() - 1)));
    --depth_;
    return body;
  }

  void end_block() { cursor_.expect(TokenKind::BlockEnd, "'%}'"); }

  void end_body(std::string_view name) {
    if (!cursor_.take_name(name)) cursor_.fail(fmt::format("'{}' is expected", name));
    end_block();
  }

  StatementPtr parse_statement(Place place) {
    const std::string name = cursor_.expect_name();
    if (name == "for") return make(parse_for(), place);
    if (name == "if") return make(parse_if(), place);
    if (name == "set") return parse_set(place);
    if (name == "macro") return make(parse_macro(), place);
    if (name == "generation") {
      end_block();
      Generation generation{parse_body({"endgeneration"})};
      end_body("endgeneration");
      return make(std::move(generation), place);
    }
    if (name == "break" || name == "continue") {
      if (loops_ == 0) cursor_.fail(fmt::format("'{}' is outside of a loop", name));
      end_block();
      if (name == "break") return make(Break{}, place);
      return make(Continue{}, place);
    }
    throw Unsupported(fmt::format("{}: the statement '{}' is not supported.", describe(place), name.substr(0, 40)));
  }

  For parse_for() {
    For loop;
    loop.targets = parse_targets();
    if (!cursor_.take_name("in")) cursor_.fail("'in' is expected");
    loop.iterable = expressions_.parse_or();
    if (cursor_.take_name("if")) loop.condition = expressions_.parse();
    if (cursor_.at_name("recursive")) cursor_.fail("a loop that is not recursive is expected");
    end_block();
    ++loops_;
    loop.body = parse_body({"else", "endfor"});
    --loops_;
    if (cursor_.take_name("else")) {
      end_block();
      loop.otherwise = parse_body({"endfor"});
    }
    end_body("endfor");
    return loop;
  }

  If parse_if() {
    If choice;
    do {
      ExpressionPtr condition = expressions_.parse_tuple();
      end_block();
      choice.branches.emplace_back(std::move(condition), parse_body({"elif", "else", "endif"}));
    } while (cursor_.take_name("elif"));
    if (cursor_.take_name("else")) {
      end_block();
      choice.otherwise = parse_body({"endif"});
    }
    end_body("endif");
    return choice;
  }

  StatementPtr parse_set(Place place) {
    Set set;
    set.targets = parse_targets();
    if (set.targets.size() == 1 && cursor_.take_operator(".")) set.attribute = cursor_.expect_name();
    if (cursor_.take_operator("=")) {
      set.value = expressions_.parse_tuple();
      end_block();
      return make(std::move(set), place);
    }
    if (set.targets.size() > 1 || !set.attribute.empty()) cursor_.fail("'=' is expected");
    end_block();
    SetBlock block{set.targets.front(), parse_body({"endset"})};
    end_body("endset");
    return make(std::move(block), place);
  }

  Macro parse_macro() {
    Macro macro;
    macro.name = cursor_.expect_name();
    cursor_.expect_operator("(");
    while (!cursor_.at_operator(")")) {
      std::string name = cursor_.expect_name();
      macro.parameters.emplace_back(std::move(name), cursor_.take_operator("=") ? expressions_.parse() : nullptr);
      if (!cursor_.take_operator(",")) break;
    }
    cursor_.expect_operator(")");
    end_block();
    const int loops = std::exchange(loops_, 0);
    macro.body = parse_body({"endmacro"});
    loops_ = loops;
    end_body("endmacro");
    return macro;
  }

  /// "a" or "a, b", with or without parentheses.
  std::vector<std::string> parse_targets() {
    std::vector<std::string> targets;
    const bool has_parentheses = cursor_.take_operator("(");
    do {
      targets.push_back(cursor_.expect_name());
    } while (cursor_.take_operator(","));
    if (has_parentheses) cursor_.expect_operator(")");
    return targets;
  }

  std::vector<Token> tokens_;
  TokenCursor cursor_;
  ExpressionParser expressions_;
  int depth_ = 0;
  int loops_ = 0;
};

}  // namespace

Body parse_template(std::string_view source) { return Parser(tokenize_template(source)).run(); }

}  // namespace driftwood::jinja
