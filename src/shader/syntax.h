// The untyped tree that the parser makes of one file. Names are text; what they mean is found by the linker (between
// files) and the checker (inside one).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "shader/ir.h"
#include "shader/source.h"

namespace driftwood::shader::syntax {

struct Expression;
struct Statement;
using ExpressionPtr = std::unique_ptr<Expression>;
using StatementPtr = std::unique_ptr<Statement>;
using Block = std::vector<StatementPtr>;

// ---- expressions --------------------------------------------------------------------------------------------

/// A name with its template arguments: `x`, `vec4<f32>`, `array<u32, 8>`. Types are written with these too.
struct Name {
  std::string text;
  std::vector<ExpressionPtr> arguments;
};
struct Number {
  ConstantScalar value;
  std::string text;
};
struct Boolean {
  bool value;
};
enum class UnaryOp : std::uint8_t { Negate, Not, Complement, AddressOf, Dereference };
struct Unary {
  UnaryOp op;
  ExpressionPtr operand;
};
struct Binary {
  BinaryOp op;
  ExpressionPtr left, right;
};
/// A function call, value constructor or conversion.
struct Call {
  ExpressionPtr callee;  // a Name
  std::vector<ExpressionPtr> arguments;
};
struct Index {
  ExpressionPtr base, index;
};
struct Member {
  ExpressionPtr base;
  std::string name;
  SourceRange name_range;
};

struct Expression {
  SourceRange range;
  std::uint32_t depth = 1;  // of the tree below, itself included
  std::variant<Name, Number, Boolean, Unary, Binary, Call, Index, Member> node;
};

// ---- attributes ---------------------------------------------------------------------------------------------

/// `@name` or `@name(arguments)`.
struct Attribute {
  std::string name;
  std::vector<ExpressionPtr> arguments;
  SourceRange range;
};
using Attributes = std::vector<Attribute>;

// ---- statements ---------------------------------------------------------------------------------------------

/// `var`, `let`, `const` and `override`, in a function or a module.
struct Variable {
  enum class Kind : std::uint8_t { Var, Let, Const, Override };
  Kind kind = Kind::Let;
  std::string name;
  SourceRange name_range;
  std::vector<ExpressionPtr> qualifiers;  // `<storage, read_write>` of a var
  ExpressionPtr type;                     // may be null
  ExpressionPtr initializer;              // may be null
};
/// `target = value`, `target op= value`; `_ = value` has no target.
struct Assignment {
  ExpressionPtr target;
  std::optional<BinaryOp> op;
  ExpressionPtr value;
};
struct Increment {
  ExpressionPtr target;
  bool is_decrement = false;
};
struct CallStatement {
  ExpressionPtr call;
};
struct If {
  ExpressionPtr condition;
  Block then_block;
  Block else_block;  // `else if`: holds that If alone
  bool has_else = false;
};
struct For {
  StatementPtr init;
  ExpressionPtr condition;
  StatementPtr update;
  Block body;
  bool is_while = false;
};
struct Loop {
  Block body;
  Block continuing;
  bool has_continuing = false;
  ExpressionPtr break_if;
};
struct Switch {
  struct Clause {
    std::vector<ExpressionPtr> selectors;  // `default` among them is null
    Block body;
    SourceRange range;
  };
  ExpressionPtr selector;
  std::vector<Clause> clauses;
};
struct Break {};
struct Continue {};
struct Return {
  ExpressionPtr value;
};
struct Compound {
  Block body;
};
struct ConstAssert {
  ExpressionPtr condition;
};

struct Statement {
  SourceRange range;
  Attributes attributes;
  std::variant<Variable, Assignment, Increment, CallStatement, If, For, Loop, Switch, Break, Continue, Return, Compound,
               ConstAssert>
      node;
};

// ---- declarations -------------------------------------------------------------------------------------------

struct Alias {
  std::string name;
  SourceRange name_range;
  ExpressionPtr type;
};
struct Struct {
  struct Field {
    Attributes attributes;
    std::string name;
    SourceRange name_range;
    ExpressionPtr type;
  };
  std::string name;
  SourceRange name_range;
  std::vector<Field> fields;
};
struct Function {
  struct Parameter {
    Attributes attributes;
    std::string name;
    SourceRange name_range;
    ExpressionPtr type;
  };
  std::string name;
  SourceRange name_range;
  std::vector<Parameter> parameters;
  ExpressionPtr result;   // null: none
  SourceRange signature;  // from `fn` to before the body
  Block body;
  SourceRange end;  // the closing brace
};

struct Declaration {
  SourceRange range;
  Attributes attributes;
  std::variant<Variable, Alias, Struct, Function, ConstAssert> node;

  /// The declared name; empty for const_assert.
  const std::string& name() const;
  SourceRange name_range() const;
};

/// `import package::a::b as c;` gives module "package::a", item "b", name "c".
struct Import {
  std::string module;
  std::string item;
  std::string name;
  SourceRange range;
};

struct File {
  std::uint16_t file = 0;
  std::vector<std::string> enables;  // `enable f16;`
  std::vector<Import> imports;
  std::vector<std::unique_ptr<Declaration>> declarations;
};

/// The attribute of that name, or null.
const Attribute* find_attribute(const Attributes& attributes, std::string_view name);

/// As WGSL, one statement a line, every operator in parentheses: for tests and dumps.
std::string print(const File& file);
std::string print(const Expression& expression);

/// "+", "<<=" without "=", and so on.
std::string_view to_string(BinaryOp op);
std::string_view to_string(UnaryOp op);

}  // namespace driftwood::shader::syntax
