#include "shader/parser.h"

#include "shader/parsing/expressions.h"
#include "shader/parsing/statements.h"
#include "shader/parsing/token_stream.h"

namespace driftwood::shader {

namespace {

using parsing::TokenStream;
using syntax::Declaration;

class FileParser {
 public:
  FileParser(const SourceFiles& files, std::uint16_t file) : tokens_(files, file) { result_.file = file; }

  syntax::File run() {
    directives_and_imports();
    while (!tokens_.at(TokenKind::End)) {
      if (tokens_.accept(TokenKind::Semicolon)) continue;
      result_.declarations.push_back(declaration());
    }
    return std::move(result_);
  }

  syntax::ExpressionPtr type_only() {
    auto type = parsing::parse_type_name(tokens_, "a type");
    if (!tokens_.at(TokenKind::End)) tokens_.fail_expected("the end", "after the type");
    return type;
  }

 private:
  void directives_and_imports() {
    while (true) {
      if (tokens_.accept(TokenKind::Semicolon)) continue;
      if (tokens_.at_keyword("enable") || tokens_.at_keyword("requires")) {
        const bool enables = tokens_.take().text == "enable";
        do {
          const Token name = tokens_.expect(TokenKind::Identifier, "in the directive");
          if (enables && name.text != "f16" && name.text != "subgroups") {
            tokens_.fail(name.range, "The extension '" + std::string(name.text) +
                                         "' is not known; 'f16' and 'subgroups' are, and need no 'enable'.");
          }
          if (enables) result_.enables.emplace_back(name.text);
        } while (tokens_.accept(TokenKind::Comma));
        tokens_.expect(TokenKind::Semicolon, "at the end of the directive");
      } else if (tokens_.at_keyword("diagnostic")) {
        tokens_.take();
        tokens_.expect(TokenKind::LeftParen, "after 'diagnostic'");
        parsing::parse_arguments(tokens_, TokenKind::RightParen);
        tokens_.expect(TokenKind::Semicolon, "at the end of the directive");
      } else if (tokens_.at_keyword("import")) {
        import();
      } else {
        return;
      }
    }
  }

  void import() {
    const Token word = tokens_.take();
    const Token root = tokens_.expect(TokenKind::Identifier, "after 'import'");
    if (root.text == "super") tokens_.fail(root.range, "Imports begin at 'package'; 'super' is not supported.");
    tokens_.expect(TokenKind::ColonColon, "in the import");
    import_tail(std::string(root.text), word.range);
    tokens_.expect(TokenKind::Semicolon, "at the end of the import");
  }

  /// What follows `module::`: a name, a longer path, or a list in braces.
  void import_tail(const std::string& module, SourceRange begin) {
    if (tokens_.accept(TokenKind::LeftBrace)) {
      const TokenStream::Nesting nesting(tokens_);
      do {
        if (tokens_.at(TokenKind::RightBrace)) break;
        import_tail(module, tokens_.peek().range);
      } while (tokens_.accept(TokenKind::Comma));
      tokens_.expect(TokenKind::RightBrace, "at the end of the list");
      return;
    }
    std::string path = module;
    Token name = tokens_.expect(TokenKind::Identifier, "in the import");
    while (tokens_.accept(TokenKind::ColonColon)) {
      path += "::" + std::string(name.text);
      if (tokens_.at(TokenKind::LeftBrace)) return import_tail(path, begin);
      name = tokens_.expect(TokenKind::Identifier, "in the import");
    }
    syntax::Import import{path, std::string(name.text), std::string(name.text), {}};
    if (tokens_.at_name("as")) {
      tokens_.take();
      import.name = std::string(tokens_.expect_name("a name").text);
    }
    import.range = tokens_.range_from(begin);
    result_.imports.push_back(std::move(import));
  }

  std::unique_ptr<Declaration> declaration() {
    auto result = std::make_unique<Declaration>();
    result->attributes = parsing::parse_attributes(tokens_);
    const SourceRange begin = tokens_.peek().range;
    if (tokens_.at_keyword("fn")) {
      result->node = function();
    } else if (tokens_.at_keyword("struct")) {
      result->node = structure();
    } else {
      result->node = semicolon_declaration();
    }
    result->range = tokens_.range_from(begin);
    return result;
  }

  decltype(Declaration::node) semicolon_declaration() {
    decltype(Declaration::node) node;
    if (tokens_.at_keyword("var") || tokens_.at_keyword("const") || tokens_.at_keyword("override")) {
      node = parsing::parse_variable(tokens_);
    } else if (tokens_.at_keyword("alias")) {
      node = alias();
    } else if (tokens_.at_keyword("const_assert")) {
      node = parsing::parse_const_assert(tokens_);
    } else if (tokens_.at_keyword("let")) {
      tokens_.fail(tokens_.peek().range, "'let' is for functions; at module scope write 'const' or 'override'.");
    } else if (tokens_.at_keyword("enable") || tokens_.at_keyword("requires") || tokens_.at_keyword("diagnostic") ||
               tokens_.at_keyword("import")) {
      tokens_.fail(tokens_.peek().range,
                   "'" + std::string(tokens_.peek().text) + "' must stand before the first declaration.");
    } else {
      tokens_.fail_expected("a declaration ('fn', 'var', 'const', 'override', 'alias' or 'struct')", "");
    }
    tokens_.expect(TokenKind::Semicolon, "at the end of the declaration");
    return node;
  }

  syntax::Alias alias() {
    tokens_.take();
    syntax::Alias result;
    const Token name = tokens_.expect_name("the name of an alias");
    result.name = std::string(name.text);
    result.name_range = name.range;
    tokens_.expect(TokenKind::Equal, "after the name of the alias");
    result.type = parsing::parse_type_name(tokens_, "a type");
    return result;
  }

  syntax::Struct structure() {
    tokens_.take();
    syntax::Struct result;
    const Token name = tokens_.expect_name("the name of a structure");
    result.name = std::string(name.text);
    result.name_range = name.range;
    tokens_.expect(TokenKind::LeftBrace, "after the name of the structure");
    while (!tokens_.at(TokenKind::RightBrace)) {
      syntax::Struct::Field field;
      field.attributes = parsing::parse_attributes(tokens_);
      const Token field_name = tokens_.expect_name("the name of a member");
      field.name = std::string(field_name.text);
      field.name_range = field_name.range;
      tokens_.expect(TokenKind::Colon, "after the name of the member");
      field.type = parsing::parse_type_name(tokens_, "a type");
      result.fields.push_back(std::move(field));
      if (!tokens_.accept(TokenKind::Comma)) break;
    }
    tokens_.expect(TokenKind::RightBrace, "at the end of the structure");
    return result;
  }

  syntax::Function function() {
    const Token word = tokens_.take();
    syntax::Function result;
    const Token name = tokens_.expect_name("the name of a function");
    result.name = std::string(name.text);
    result.name_range = name.range;
    tokens_.expect(TokenKind::LeftParen, "after the name of the function");
    while (!tokens_.at(TokenKind::RightParen)) {
      syntax::Function::Parameter parameter;
      parameter.attributes = parsing::parse_attributes(tokens_);
      const Token parameter_name = tokens_.expect_name("the name of a parameter");
      parameter.name = std::string(parameter_name.text);
      parameter.name_range = parameter_name.range;
      tokens_.expect(TokenKind::Colon, "after the name of the parameter");
      parameter.type = parsing::parse_type_name(tokens_, "a type");
      result.parameters.push_back(std::move(parameter));
      if (!tokens_.accept(TokenKind::Comma)) break;
    }
    tokens_.expect(TokenKind::RightParen, "at the end of the parameters");
    if (tokens_.accept(TokenKind::Arrow)) {
      const syntax::Attributes attributes = parsing::parse_attributes(tokens_);
      if (!attributes.empty()) tokens_.fail(attributes[0].range, "Results of compute kernels take no attributes.");
      result.result = parsing::parse_type_name(tokens_, "a type");
    }
    result.signature = tokens_.range_from(word.range);
    result.body = parsing::parse_block(tokens_, "before the body of the function");
    result.end = {word.range.file, tokens_.last_end() - 1, tokens_.last_end()};
    return result;
  }

  TokenStream tokens_;
  syntax::File result_;
};

}  // namespace

syntax::File parse(const SourceFiles& files, std::uint16_t file) { return FileParser(files, file).run(); }

syntax::ExpressionPtr parse_type(const SourceFiles& files, std::uint16_t file) {
  return FileParser(files, file).type_only();
}

}  // namespace driftwood::shader
