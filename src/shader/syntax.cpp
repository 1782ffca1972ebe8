#include "shader/syntax.h"

#include <array>

namespace driftwood::shader::syntax {

namespace {

std::string join(const std::vector<ExpressionPtr>& list) {
  std::string text;
  for (const ExpressionPtr& item : list) text += (text.empty() ? "" : ", ") + (item ? print(*item) : "default");
  return text;
}

std::string attributes_text(const Attributes& attributes) {
  std::string text;
  for (const Attribute& attribute : attributes) {
    text += "@" + attribute.name;
    if (!attribute.arguments.empty()) text += "(" + join(attribute.arguments) + ")";
    text += " ";
  }
  return text;
}

struct ExpressionPrinter {
  std::string operator()(const Name& n) const {
    return n.arguments.empty() ? n.text : n.text + "<" + join(n.arguments) + ">";
  }
  std::string operator()(const Number& n) const { return n.text; }
  std::string operator()(const Boolean& b) const { return b.value ? "true" : "false"; }
  std::string operator()(const Unary& u) const { return std::string(to_string(u.op)) + print(*u.operand); }
  std::string operator()(const Binary& b) const {
    return "(" + print(*b.left) + " " + std::string(to_string(b.op)) + " " + print(*b.right) + ")";
  }
  std::string operator()(const Call& c) const { return print(*c.callee) + "(" + join(c.arguments) + ")"; }
  std::string operator()(const Index& i) const { return base(*i.base) + "[" + print(*i.index) + "]"; }
  std::string operator()(const Member& m) const { return base(*m.base) + "." + m.name; }

  static std::string base(const Expression& e) {
    return std::holds_alternative<Unary>(e.node) ? "(" + print(e) + ")" : print(e);
  }
};

class FilePrinter {
 public:
  std::string run(const File& file) {
    for (const std::string& name : file.enables) line("enable " + name + ";");
    for (const Import& import : file.imports) {
      line("import " + import.module + "::" + import.item + (import.name == import.item ? "" : " as " + import.name) +
           ";");
    }
    for (const auto& declaration : file.declarations) {
      prefix_ = attributes_text(declaration->attributes);
      std::visit(*this, declaration->node);
    }
    return std::move(out_);
  }

  void operator()(const Variable& v) { line(variable(v) + ";"); }
  void operator()(const Alias& a) { line("alias " + a.name + " = " + print(*a.type) + ";"); }
  void operator()(const ConstAssert& a) { line("const_assert " + print(*a.condition) + ";"); }
  void operator()(const Struct& s) {
    line("struct " + s.name + " {");
    ++indent_;
    for (const auto& field : s.fields)
      line(attributes_text(field.attributes) + field.name + ": " + print(*field.type) + ",");
    --indent_;
    line("}");
  }
  void operator()(const Function& f) {
    std::string text = "fn " + f.name + "(";
    for (const auto& parameter : f.parameters) {
      if (&parameter != &f.parameters.front()) text += ", ";
      text += attributes_text(parameter.attributes) + parameter.name + ": " + print(*parameter.type);
    }
    text += ")";
    if (f.result) text += " -> " + print(*f.result);
    block(text, f.body);
  }

  void operator()(const Assignment& a) { line(simple(a) + ";"); }
  void operator()(const Increment& i) { line(simple(i) + ";"); }
  void operator()(const CallStatement& c) { line(print(*c.call) + ";"); }
  void operator()(const If& s) {
    block("if " + print(*s.condition), s.then_block);
    if (s.has_else) block("else", s.else_block);
  }
  void operator()(const For& s) {
    if (s.is_while) return block("while " + print(*s.condition), s.body);
    std::string text = "for (" + (s.init ? simple_statement(*s.init) : "") + ";";
    if (s.condition) text += " " + print(*s.condition);
    text += ";";
    if (s.update) text += " " + simple_statement(*s.update);
    block(text + ")", s.body);
  }
  void operator()(const Loop& s) {
    line("loop {");
    ++indent_;
    statements(s.body);
    if (s.has_continuing) {
      line("continuing {");
      ++indent_;
      statements(s.continuing);
      if (s.break_if) line("break if " + print(*s.break_if) + ";");
      --indent_;
      line("}");
    }
    --indent_;
    line("}");
  }
  void operator()(const Switch& s) {
    line("switch " + print(*s.selector) + " {");
    ++indent_;
    for (const auto& clause : s.clauses) block("case " + join(clause.selectors) + ":", clause.body);
    --indent_;
    line("}");
  }
  void operator()(const Break&) { line("break;"); }
  void operator()(const Continue&) { line("continue;"); }
  void operator()(const Return& r) { line(r.value ? "return " + print(*r.value) + ";" : "return;"); }
  void operator()(const Compound& c) { block("", c.body); }

 private:
  void line(const std::string& text) {
    out_ += std::string(indent_ * 2, ' ') + prefix_ + text + "\n";
    prefix_.clear();
  }

  void statements(const Block& body) {
    for (const StatementPtr& statement : body) {
      prefix_ = attributes_text(statement->attributes);
      std::visit(*this, statement->node);
    }
  }

  void block(const std::string& head, const Block& body) {
    line(head.empty() ? "{" : head + " {");
    ++indent_;
    statements(body);
    --indent_;
    line("}");
  }

  static std::string variable(const Variable& v) {
    constexpr std::array<const char*, 4> words = {"var", "let", "const", "override"};
    std::string text = words[static_cast<std::size_t>(v.kind)];
    if (!v.qualifiers.empty()) text += "<" + join(v.qualifiers) + ">";
    text += " " + v.name;
    if (v.type) text += ": " + print(*v.type);
    if (v.initializer) text += " = " + print(*v.initializer);
    return text;
  }
  static std::string simple(const Assignment& a) {
    return (a.target ? print(*a.target) : "_") + " " + (a.op ? std::string(to_string(*a.op)) : "") + "= " +
           print(*a.value);
  }
  static std::string simple(const Increment& i) { return print(*i.target) + (i.is_decrement ? "--" : "++"); }
  static std::string simple_statement(const Statement& s) {
    if (const auto* v = std::get_if<Variable>(&s.node)) return variable(*v);
    if (const auto* a = std::get_if<Assignment>(&s.node)) return simple(*a);
    if (const auto* i = std::get_if<Increment>(&s.node)) return simple(*i);
    if (const auto* c = std::get_if<CallStatement>(&s.node)) return print(*c->call);
    return "";
  }

  std::string out_;
  std::string prefix_;
  std::size_t indent_ = 0;
};

const std::string no_name;

}  // namespace

const std::string& Declaration::name() const {
  return std::visit(
      [](const auto& d) -> const std::string& {
        if constexpr (requires { d.name; }) {
          return d.name;
        } else {
          return no_name;
        }
      },
      node);
}

SourceRange Declaration::name_range() const {
  return std::visit(
      [this](const auto& d) {
        if constexpr (requires { d.name_range; }) {
          return d.name_range;
        } else {
          return range;
        }
      },
      node);
}

const Attribute* find_attribute(const Attributes& attributes, std::string_view name) {
  for (const Attribute& attribute : attributes) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

std::string print(const File& file) { return FilePrinter().run(file); }
std::string print(const Expression& expression) { return std::visit(ExpressionPrinter{}, expression.node); }

std::string_view to_string(BinaryOp op) {
  constexpr std::array<std::string_view, 18> names = {"+",  "-",  "*",  "/",  "%",  "&", "|",  "^", "<<",
                                                      ">>", "&&", "||", "==", "!=", "<", "<=", ">", ">="};
  return names[static_cast<std::size_t>(op)];
}

std::string_view to_string(UnaryOp op) {
  constexpr std::array<std::string_view, 5> names = {"-", "!", "~", "&", "*"};
  return names[static_cast<std::size_t>(op)];
}

}  // namespace driftwood::shader::syntax
